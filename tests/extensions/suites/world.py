"""A small suite on disk: two native tasks and a MEGA-Bench one, with data for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.api.sources import source
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Options
from scoring.extensions.suites.compile import compile_suite
from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.run import SuiteRun, read_tasks, run_suite
from scoring.format.load import Loader

CAPITALS = "kind: task\nname: capitals\nscore: casefold | equal\n"
SUMS = "kind: task\nname: sums\nparse: number\nscore: equal\n"
CHESS = {
    "field_score_function": {"move": "exact_str_match"},
    "aggregation": {"function": "mean", "field_weights": {"move": 1}},
    "response_parse_function": "answer_string",
}
DATA = [
    {"task": "capitals", "id": 1, "response": "PARIS", "reference": "Paris"},
    {"task": "sums", "id": 1, "response": "4", "reference": 4},
    {"task": "capitals", "id": 2, "response": "Lyon", "reference": "Rome"},
    {"task": "chess", "id": 1, "response": "Answer: e4", "reference": {"move": "e4"}},
    {"task": "capitals", "id": 3, "response": "oslo", "reference": "Oslo"},
    {"task": "sums", "id": 2, "response": "7", "reference": 8},
]
SCORES = {"capitals": 2 / 3, "sums": 0.5, "chess": 1.0}


def make(folder: Path, **more: Any) -> Path:
    """The suite's file, after writing its tasks; ``more`` is added to it."""
    tasks = folder / "tasks"
    (tasks / "chess").mkdir(parents=True)
    (tasks / "capitals.yaml").write_text(CAPITALS)
    (tasks / "sums.yaml").write_text(SUMS)
    (tasks / "chess" / "metrics.json").write_text(json.dumps(CHESS))
    path = folder / "suite.json"
    path.write_text(json.dumps({"kind": "suite", "name": "world", "version": "1.0.0", "tasks": "./tasks", **more}))
    return path


def rows(path: Path, data: Sequence[Mapping[str, Any]]) -> Path:
    """A JSONL file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in data))
    return path


def compiled(path: Path, **given: Any) -> Suite:
    """The compiled suite of a file."""
    return compile_suite(Loader().file(path, path.name), **given)


def run(
    suite: Suite, data: Path, references: Path | None = None, report: InputReport | None = None, **options: Any
) -> SuiteRun:
    """The suite run on a file or folder."""
    report = report or InputReport()
    gold = source(references) if references else None
    items, _ = read_tasks(suite, source(data), gold, report)
    return run_suite(suite, items, options=Options(**options), report=report)


def scores(done: SuiteRun) -> dict[str, float | None]:
    """The score of every task."""
    return {task.name: task.score for task in done.tasks}


def metrics(done: SuiteRun) -> dict[str, float | None]:
    """The value of each metric over the tasks."""
    return {one["metric"]: one["value"] for one in done.summary["metrics"]}
