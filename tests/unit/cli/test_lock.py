"""`scoring lock`, and `--locked`."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main

Capture = pytest.CaptureFixture[str]

HOUSE = "kind: pack\nname: house\nversion: 1.0.0\nscorers:\n  close: casefold | levenshtein\n"
TASK = "kind: task\nname: demo\nversion: 1.0.0\nimports: {house: ./house.yaml, anls: anls@1}\nscore: house.close\n"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "house.yaml").write_text(HOUSE)
    (tmp_path / "task.yaml").write_text(TASK)
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "A"}\n')
    return tmp_path / "task.yaml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "task.yaml has no lock file"),
        ("[]", "task.lock.json is no lock file: it is not written as one"),
        ('{"format": 1}', "task.lock.json is no lock file: it has no 'packs'"),
        ('{"format": 3, "packs": {}}', "format 3 is unknown"),
        ("[" * 100_000, "task.lock.json is no lock file"),
    ],
)
def test_without_a_lock_that_can_be_read(task: Path, capsys: Capture, content: str | None, message: str) -> None:
    if content is not None:
        (task.parent / "task.lock.json").write_text(content)
    assert main(["check", str(task), "--locked", "--format", "concise"]) == 1
    assert message in capsys.readouterr().out
