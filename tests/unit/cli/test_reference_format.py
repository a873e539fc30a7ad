"""The format of references, which may be another one than that of the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.data.file_format import other_settings
from scoring.errors import InputError

Capture = pytest.CaptureFixture[str]

TASK = {"kind": "task", "name": "t", "score": "equal"}
ANSWERS = [{"id": number, "response": answer} for number, answer in enumerate("ab")]
GOLD = [{"id": number, "reference": answer} for number, answer in enumerate("ac")]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("task.json").write_text(json.dumps(TASK))
    Path("answers").write_text("".join(json.dumps(answer) + "\n" for answer in ANSWERS))
    Path("gold").write_text(json.dumps(GOLD))


def test_it_is_that_of_the_references_alone(capsys: Capture) -> None:
    assert main(["score", "task.json", "answers", "--references", "gold"]) == 2
    assert "can't read gold: it is one JSON text" in capsys.readouterr().err
    given = ["--references", "gold", "--reference-format", "json"]
    assert main(["score", "task.json", "answers", *given, "-o", "run"]) == 0
    manifest: dict[str, Any] = json.loads(Path("run", "manifest.json").read_text())
    assert [entry["kind"] for entry in manifest["inputs"]] == ["spec", "jsonl", "json"]
    assert manifest["settings"]["reference_format"] == "json"


def test_python_takes_it_too() -> None:
    run = scoring.evaluate(TASK, "answers", references="gold", reference_format="json")
    assert run.summary["metrics"][0]["value"] == 0.5


def test_it_needs_a_file() -> None:
    why = "--reference-format is of a file that is given, not of a table; leave it out"
    with pytest.raises(InputError, match=why):
        scoring.evaluate(TASK, "answers", references=GOLD, reference_format="json")


def test_runs_without_it_have_no_setting_of_that_name() -> None:
    run = scoring.evaluate(TASK, [{"id": 1, "response": "a", "reference": "a"}])
    assert "reference_format" not in run.settings


def test_settings_of_either_are_told_apart() -> None:
    assert other_settings(None, "jsonl") == other_settings("jsonl", None) == []
