"""`scoring audit`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.support.golden import REPOSITORY

QUICKSTART = str(REPOSITORY / "specs" / "quickstart" / "invoices")

Capture = pytest.CaptureFixture[str]


def test_a_sound_task(capsys: Capture) -> None:
    assert main(["audit", f"{QUICKSTART}.yaml", f"{QUICKSTART}.jsonl"]) == 0
    header, vendor, *_ = capsys.readouterr().out.splitlines()
    assert header.split()[:4] == ["scorer", "reference", "empty", "typos"]
    assert vendor.split()[:5] == ["vendor", "yes", "yes", "yes", "yes"]


def test_a_declared_change_must_be_overlooked(capsys: Capture) -> None:
    given = [f"{QUICKSTART}.yaml", f"{QUICKSTART}.jsonl", "--invariant", "case"]
    assert main(["audit", *given]) == 0
    assert main(["audit", *given, "--invariant", "whitespace"]) == 1
    shown = capsys.readouterr().out
    assert "vendor  more space is scored otherwise" in shown
    assert "… and " in shown


def test_as_json(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "pack.yaml"
    spec.write_text(
        "kind: pack\nname: demo\nversion: 1.0.0\nscorers:\n"
        '  odd: {score: equal | scale(0.5), examples: [["a\\x1b", "a\\x1b", 0.5]]}\n'
    )
    assert main(["audit", str(spec), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is False
    law = found["scorers"][0]["laws"][0]
    assert (law["law"], law["holds"], law["broken"][0]["found"]) == ("reference", False, "0.5000")
    assert main(["audit", str(spec)]) == 1
    shown = capsys.readouterr().out
    assert '"a\\u001b" for "a\\u001b" gives 0.5000' in shown
    assert "\x1b" not in shown


def test_nothing_to_try(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "task.yaml"
    spec.write_text("kind: task\nname: demo\nscore: equal\n")
    assert main(["audit", str(spec)]) == 2
    assert "nothing to try" in capsys.readouterr().err
    spec.write_text("kind: task\nname: demo\nscore: equl\n")
    assert main(["audit", str(spec)]) == 1
