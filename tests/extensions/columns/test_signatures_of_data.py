"""What a signature says of data, through the command line: settings of their format, and plain paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main

TASK = "kind: task\nname: t\nversion: 1.0.0\nscore: equal\n"
CELLS = 'id,response,reference\n1,a,a\n2,,""\n3,b,a\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TASK)
    Path("rows.csv").write_text(CELLS)
    return tmp_path


def scored(output: str, *how: str) -> dict[str, Any]:
    assert main(["score", "t.yaml", "rows.csv", "-o", output, *how]) in (0, 3)
    held: dict[str, Any] = json.loads(Path(output, "manifest.json").read_text())
    return held


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(list(arguments))
    return code, " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("folder")
def test_settings_that_are_not_as_usual_stand_in_the_signature() -> None:
    usual, text = scored("usual"), scored("text", "--input-format", "csv,empty=text")
    assert "format:" not in usual["signature"]
    assert "|format:empty=text|" in text["signature"]
    assert json.loads(Path("text", "summary.json").read_text())["signature"] == text["signature"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("said", ["csv", "csv,empty=missing"])
def test_what_is_said_as_usual_is_not_in_it(said: str) -> None:
    assert scored("one")["signature"] == scored("other", "--input-format", said)["signature"]
