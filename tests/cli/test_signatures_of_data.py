"""What a signature says of data, through the command line: settings of their format, and plain paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError

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


@pytest.mark.usefixtures("folder")
def test_parts_are_merged_to_the_signature_of_the_whole() -> None:
    told = ("--input-format", "csv,empty=text")
    whole = scored("whole", *told)
    main(["score", "t.yaml", "rows.csv", "--parts", "parts", *told])
    assert main(["merge", "parts", "-o", "merged"]) == 0
    assert json.loads(Path("merged", "manifest.json").read_text())["signature"] == whole["signature"]
    assert main(["score", "t.yaml", "rows.csv", "--parts", "parts"]) == 2  # they are parts of another meaning


@pytest.mark.usefixtures("folder")
def test_two_runs_differ_by_the_settings_alone(capsys: pytest.CaptureFixture[str]) -> None:
    scored("usual")
    scored("text", "--input-format", "csv,empty=text")
    _, told = printed(capsys, "diff", "usual", "text")
    assert "the data were read differently: format as usual → empty=text" in told
    _, told = printed(capsys, "diff", "usual", "usual")
    assert "read otherwise" not in told


@pytest.mark.usefixtures("folder")
def test_a_path_that_moved_is_major_since_data_of_before_score_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    Path("u.yaml").write_text(TASK.replace("1.0.0", "1.1.0") + "record:\n  reference: gold\n")
    code, told = printed(capsys, "check", "u.yaml", "--against", "t.yaml")
    assert code == 1
    assert "major: `record.reference`: is read at `gold`, and was at `reference`" in told
    assert scoring.evaluate("t.yaml", "rows.csv").records[0].score == 1.0
    with pytest.raises(SpecError, match="no record has `gold`"):
        scoring.evaluate("u.yaml", "rows.csv")
    Path("u.yaml").write_text(TASK.replace("1.0.0", "1.1.0") + "record:\n  reference: gold || answer\n")
    code, told = printed(capsys, "check", "u.yaml", "--against", "t.yaml")
    assert code == 1
    assert "`record.reference`: is read at `gold || answer`" in told
