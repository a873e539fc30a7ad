"""A lock pins how data are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from tests.extensions.columns.test_settings_of_formats import EMPTY, SPEC


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps(SPEC))
    return Path("t.json")


def test_a_lock_refuses_data_that_are_read_by_other_settings(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.csv").write_bytes(EMPTY)
    score = ["score", "t.json", "d.csv", "--locked", "--format", "concise"]
    assert main(["lock", "t.json"]) == 0
    assert main(score) == 0
    capsys.readouterr()
    assert main([*score, "--input-format", "csv,empty=text"]) == 1
    told = capsys.readouterr().err
    assert (
        "[lock-mismatch] the settings of the data's format are `empty=text`, and the lock of `t` says as usual" in told
    )
    assert main(["lock", "t.json", "--input-format", "csv,empty=text"]) == 0
    assert main(["check", "t.json", "--locked"]) == 0
    assert main([*score, "--input-format", "csv,empty=text"]) == 0
    assert main(score) == 1
    with pytest.raises(SpecError, match="says `empty=text`"):
        scoring.load("t.json").evaluate("d.csv")
    assert scoring.evaluate("t.json", "d.csv", locked=False)


def test_a_lock_refuses_other_bounds_on_data(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("d.jsonl").write_text("".join(json.dumps({"response": "a" * n, "reference": "a" * n}) + "\n" for n in (1, 99)))
    assert main(["lock", "t.json"]) == 0
    assert main(["score", "t.json", "d.jsonl", "--locked"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("SCORING_LIMITS", "line=100")
    for command in (["score", "t.json", "d.jsonl", "--locked"], ["check", "t.json", "--locked"]):
        assert main([*command, "--format", "concise"]) == 1
        told = "".join(capsys.readouterr())
        assert "the bounds on data (SCORING_LIMITS) are `line=100`, and the lock of `t` says as usual" in told
    assert main(["lock", "t.json"]) == 0
    assert main(["check", "t.json", "--locked"]) == 0


def test_a_lock_pins_the_settings_of_the_format_of_references(spec: Path) -> None:
    Path("p.jsonl").write_text('{"id": "1", "response": "a"}\n')
    Path("r.csv").write_text("id,reference\n1,a\n")
    score = ["score", "t.json", "p.jsonl", "--references", "r.csv", "--locked"]
    said = ["--reference-format", "csv,empty=text"]
    assert main(["lock", "t.json", *said]) == 0
    assert main([*score, *said]) == 0
    assert main(score) == 1
