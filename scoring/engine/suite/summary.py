"""The summary of a suite, computed from task results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.compiler.record import reader
from scoring.data.rows.report import InputReport
from scoring.engine.road.figures import Figures, note_empty, with_reasons
from scoring.engine.suite.model import Suite, TaskGroup
from scoring.engine.suite.results import TaskResult
from scoring.ranges import EVERYTHING, UNIT, ScoreRange
from scoring.statistics.rows import Rows


def summarise_suite(suite: Suite, results: Sequence[TaskResult], report: InputReport) -> dict[str, Any]:
    """The summary as plain data; the same whatever the order of the results.

    Args:
        suite: How results are joined, grouped and broken down.
        results: One result for each task.
        report: What was odd about the data.
    """
    ordered = tasks_of(suite, results)
    table = task_table(ordered)
    figures = Figures(suite.metrics, suite.intervals, suite.seed, unlisted=True)
    note_empty(table.column, [*suite.by, *suite.spec.attributes.read], suite.intervals.cluster, report)

    def describe(places: Sequence[int]) -> dict[str, Any]:
        return _described([ordered[place] for place in places])

    def group(name: str, members: TaskGroup) -> dict[str, Any]:
        places = [place for place, result in enumerate(ordered) if members.holds(result.attributes)]
        return {"group": name, **describe(places), "metrics": figures.of(table.select(places))}

    return {
        "suite": {"name": suite.name, "version": suite.version},
        "signature": suite.signature,
        "seed": suite.seed,
        "intervals": suite.intervals.to_json(),
        **_described(ordered),
        "metrics": with_reasons(
            figures.of(table),
            suite.metrics,
            lambda path: any(value is not None for value in table.column(path)),
            "task" if any(result.score is not None for result in ordered) else "",
        ),
        "groups": [group(name, members) for name, members in suite.groups.items()],
        "by": {name: figures.by(table, name, describe) for name in suite.by},
        "tasks": [_line(result) for result in ordered],
        "reasons": _reasons(ordered),
        "inputs": report.to_json(),
    }


def tasks_of(suite: Suite, results: Sequence[TaskResult]) -> list[TaskResult]:
    """The results by name, with the attributes that the suite knows of their tasks."""
    return sorted((_with_attributes(suite, result) for result in results), key=lambda result: result.name)


def _with_attributes(suite: Suite, result: TaskResult) -> TaskResult:
    found = suite.reading.attributes(result.name, result.attributes)
    demos = result.demos or _whole(found.get("num_demo"))
    return replace(result, attributes=found, demos=demos)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _described(results: Sequence[TaskResult]) -> dict[str, Any]:
    """Counts and coverage of some tasks."""
    scored = [result for result in results if result.score is not None]
    return {
        "counts": {
            "tasks": len(results),
            "scored": len(scored),
            "unscored": len(results) - len(scored),
            "records": sum(result.records for result in results),
            "records_without_score": sum(map(_without_score, results)),
            # What leaderboards call samples: the records of the tasks that have a score, and their demonstrations.
            "records_of_scored": sum(result.records for result in scored),
            "demos_of_scored": sum(result.demos for result in scored),
        },
        "coverage": len(scored) / len(results) if results else None,
    }


def _without_score(result: TaskResult) -> int:
    """How many records of a task should have a score and have none; results of others do not tell."""
    counts = result.counts
    if not counts:
        return result.records if result.score is None else 0
    return counts["records"] - counts["not_applicable"] - counts["with_score"]


def task_table(results: Sequence[TaskResult]) -> Rows:
    """The tasks as a table: what breakdowns and clusters name is read out of their attributes."""
    import numpy as np

    rows = Rows.of_scores(
        [result.score for result in results],
        ids=[result.name for result in results],
        weights=[float(result.records) for result in results],
    )
    ranges = [_range_of(result) for result in results]
    low, high = (np.array([getattr(one, end) for one in ranges], dtype=np.float64) for end in ("low", "high"))
    return replace(rows, records=[result.attributes for result in results], reader_of=reader, ends={None: (low, high)})


def _range_of(result: TaskResult) -> ScoreRange:
    """What a task's headline may come to; results of others say nothing, and most are in the unit interval."""
    if result.metrics:
        return ScoreRange.of_json(result.metrics[0].get("range"))
    return UNIT if result.score is None or UNIT.holds(result.score) else EVERYTHING


def _line(result: TaskResult) -> dict[str, Any]:
    ends = result.metrics[0].get("range") if result.metrics else None
    return {
        "task": result.name,
        "score": result.score,
        "eval_type": result.attributes.get("eval_type"),
        "records": result.records,
        "coverage": result.coverage,
        **({"range": ends} if ends else {}),
        **({"reason": result.reason} if result.reason is not None else {}),
    }


def _reasons(results: Sequence[TaskResult]) -> list[dict[str, Any]]:
    found = Counter(result.reason or "no score" for result in results if result.score is None)
    ordered: Sequence[tuple[str, int]] = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    return [{"status": "unscored", "reason": reason, "count": count} for reason, count in ordered]


def headline(summary: Mapping[str, Any]) -> float | None:
    """The first metric's value over all tasks."""
    metrics = summary["metrics"]
    return metrics[0]["value"] if metrics else None
