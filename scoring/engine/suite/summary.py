"""The summary of a suite, computed from task results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.compiler.record import reader
from scoring.engine.road.summary import group_value, metric_table
from scoring.engine.suite.model import Suite
from scoring.engine.suite.oddities import SuiteReport
from scoring.engine.suite.results import TaskResult
from scoring.statistics.breakdown import attributes_of, parts_of
from scoring.statistics.rows import Rows


def summarise_suite(suite: Suite, results: Sequence[TaskResult], report: SuiteReport) -> dict[str, Any]:
    """The summary as plain data; the same whatever the order of the results.

    Args:
        suite: How results are joined, grouped and broken down.
        results: One result for each task.
        report: What was odd about the data.
    """
    ordered = sorted((_with_attributes(suite, result) for result in results), key=lambda result: result.name)
    return {
        "suite": {"name": suite.name, "version": suite.version},
        "signature": suite.signature,
        "seed": suite.seed,
        "intervals": suite.intervals.to_json(),
        **_figures(suite, ordered, ""),
        "groups": [
            {"group": name, **_figures(suite, [one for one in ordered if group.holds(one.attributes)], f"{name}|")}
            for name, group in suite.groups.items()
        ],
        "by": {name: _breakdown(suite, ordered, name) for name in suite.by},
        "tasks": [_line(result) for result in ordered],
        "reasons": _reasons(ordered),
        "inputs": report.to_json(),
    }


def _with_attributes(suite: Suite, result: TaskResult) -> TaskResult:
    found = suite.reading.attributes(result.name, result.attributes)
    demos = result.demos or _whole(found.get("num_demo"))
    return replace(result, attributes=found, demos=demos)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _figures(suite: Suite, results: Sequence[TaskResult], prefix: str) -> dict[str, Any]:
    """Counts, coverage and metrics of some tasks. ``prefix`` keeps the random numbers of each figure apart."""
    scored = [result for result in results if result.score is not None]
    return {
        "counts": {
            "tasks": len(results),
            "scored": len(scored),
            "unscored": len(results) - len(scored),
            "records": sum(result.records for result in results),
            "records_without_score": sum(map(_without_score, results)),
            # What MEGA-Bench calls samples: the records of the tasks that have a score, and their demonstrations.
            "records_of_scored": sum(result.records for result in scored),
            "demos_of_scored": sum(result.demos for result in scored),
        },
        "coverage": len(scored) / len(results) if results else None,
        "metrics": metric_table(suite, _rows(suite, results), prefix=prefix),  # type: ignore[arg-type]  # metrics and seed do
    }


def _without_score(result: TaskResult) -> int:
    """How many records of a task should have a score and have none; results of others do not tell."""
    counts = result.counts
    if not counts:
        return result.records if result.score is None else 0
    return counts["records"] - counts["not_applicable"] - counts["with_score"]


def _rows(suite: Suite, results: Sequence[TaskResult]) -> Rows:
    rows = Rows.of_scores(
        [result.score for result in results],
        ids=[result.name for result in results],
        weights=[float(result.records) for result in results],
    )
    names = dict.fromkeys(name for result in results for name in result.attributes)
    columns = {name: [result.attributes.get(name) for result in results] for name in names}
    cluster = suite.intervals.cluster
    if cluster is not None:
        columns[cluster] = [reader(cluster)(result.attributes) for result in results]
    return replace(rows, columns=columns)


def _breakdown(suite: Suite, results: Sequence[TaskResult], name: str) -> list[dict[str, Any]]:
    reads = [reader(path) for path in attributes_of(name)]
    columns = [[_group(read(result.attributes)) for result in results] for read in reads]
    found = []
    for part in parts_of(columns):
        group = part.group[0] if len(part.group) == 1 else part.label
        members = [results[place] for place in part.places]
        found.append({"group": group, **_figures(suite, members, f"{name}={part.label}|")})
    return found


def _group(value: Any) -> Any:
    """The groups that a value stands for; a task with an empty list is in none of them."""
    return value if value == [] else group_value(value)


def _line(result: TaskResult) -> dict[str, Any]:
    return {
        "task": result.name,
        "score": result.score,
        "eval_type": result.attributes.get("eval_type"),
        "records": result.records,
        "coverage": result.coverage,
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
