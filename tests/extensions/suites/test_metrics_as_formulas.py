"""Metrics of a suite that are formulas over its tasks."""

from __future__ import annotations

import json
from pathlib import Path

import scoring


def test_a_suite_has_formulas_over_its_tasks(tmp_path: Path) -> None:
    for name, right in (("one", 1), ("two", 3)):
        (tmp_path / f"{name}.yaml").write_text(f"kind: task\nname: {name}\nscore: equal\n")
        lines = [{"id": place, "response": "x" if place < right else "y", "reference": "x"} for place in range(4)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "attributes.json").write_text(json.dumps({"one": {"weight": 3}, "two": {"weight": 1}}))
    suite = {
        "kind": "suite",
        "name": "s",
        "tasks": ["one.yaml", "two.yaml"],
        "attributes": "attributes.json",
        "score": {"share": "count(score == 1) / count()"},
        "metrics": [{"weighted": "sum(score * record.weight) / sum(record.weight)"}, {"plain": "macro"}],
    }
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    run = scoring.evaluate(tmp_path / "suite.json", tmp_path)
    assert run.metrics == {"weighted": (0.25 * 3 + 0.75) / 4, "plain": 0.5}
