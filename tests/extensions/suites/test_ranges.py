"""The tasks of a suite are bounded each by its own range."""

from __future__ import annotations

import json
from pathlib import Path

import scoring
from tests.unit.api.test_ranges import RECORDS, RIGHT


def test_the_tasks_of_a_suite_are_bounded_each_by_its_own_range(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "answers").mkdir()
    for name, aggregate, answers in (("far", "4 * a - 1", []), ("near", "a", [RECORDS[0]])):
        spec = f"kind: task\nname: {name}\nfields: {{a: equal}}\naggregate: '{aggregate}'\n"
        (tmp_path / "tasks" / f"{name}.yaml").write_text(spec)
        lines = answers or [{"id": 1, "reference": RIGHT}]
        (tmp_path / "answers" / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "suite.yaml").write_text("kind: suite\nname: both\ntasks: tasks\nmetrics: [macro]\n")
    summary = scoring.evaluate(tmp_path / "suite.yaml", tmp_path / "answers").summary
    (macro,) = summary["metrics"]
    # One task has 1, the other would have -1 or 3: no mean of the two lies beyond.
    assert (macro["value"], macro["bounds"], macro["range"]) == (1.0, [0.0, 2.0], [-1.0, 3.0])
    assert [task.get("range") for task in summary["tasks"]] == [[-1.0, 3.0], None]
