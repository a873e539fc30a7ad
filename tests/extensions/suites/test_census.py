"""The census of a suite names its tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.unit.engine.road.test_census import pairs, rows, task


def test_a_suite_tells_it_of_its_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "suite.yaml").write_text("kind: suite\nname: s\ntasks: [{path: tasks}]\n")
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "one.yaml").write_text(json.dumps(task(score="equal", name="one")))
    made = rows(lambda n: {"task": "one", **pairs(str, int)(n)})
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in made))
    assert main(["score", str(tmp_path / "suite.yaml"), str(tmp_path / "data.jsonl")]) == 3
    assert "one: `answer`: answer '0', reference 0 (20 of 20 pairs)" in capsys.readouterr().out
