"""Task results: the part of each task's results that a suite keeps, writes to `task_results.json`, and can read again.

The summary of a suite is computed from them alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.records.record_reader import place_reader, read_column
from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.report import InputReport
from scoring.engine.road.figures import Figures, note_empty, with_reasons
from scoring.errors import InputError
from scoring.extensions.suites.layout import NAME_KEYS, is_attribute, name_of
from scoring.extensions.suites.model import Suite, in_group
from scoring.format.front_ends import front_ends
from scoring.ranges import EVERYTHING, UNIT, ScoreRange
from scoring.statistics.rows import Rows
from scoring.values import is_number

# The first of the keys are those that we write; files of other tools may have the second ones.
_RECORDS = ("num_query", "records")
_DEMOS = ("num_demo", "demos")
# The counts that must all be present for any of them to be used.
_COUNTS = ("records", "not_applicable", "with_score")
_OWN = {*NAME_KEYS, "score", *_RECORDS, *_DEMOS, "coverage", "reason", "metrics", "counts", "signature", "attributes"}


class TaskResult(Struct, frozen=True):
    """The result of one task.

    Args:
        name: The name of the task.
        score: The value of its headline metric, None if it has none.
        records: Number of its records.
        demos: Number of examples in its prompt; they are not records, but some benchmarks count them as samples.
        reason: The reason why there is no score.
        coverage: The share of records with a score among those to which the task applies.
        attributes: Its attributes, for breakdowns.
        metrics: All its metrics, as in the summary of a task.
        counts: The counts of its records by outcome.
        signature: The signature of the task that computed the score.
    """

    name: str
    score: float | None
    records: int = 0
    demos: int = 0
    reason: str | None = None
    coverage: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    metrics: Sequence[Mapping[str, Any]] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    signature: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, with ``eval_type`` next to ``name`` and ``score`` in addition to the
        attributes."""
        data: dict[str, Any] = {
            "name": self.name,
            "score": self.score,
            "eval_type": self.attributes.get("eval_type"),
            "num_demo": self.demos,
            "num_query": self.records,
            "coverage": self.coverage,
        }
        if self.reason is not None:
            data["reason"] = self.reason
        if self.counts:
            data["counts"] = dict(self.counts)
        if self.metrics:
            data["metrics"] = [dict(metric) for metric in self.metrics]
        if self.signature:
            data["signature"] = self.signature
        return {**data, "attributes": dict(self.attributes)}


def result_of(row: Mapping[str, Any], where: str) -> TaskResult:
    """Return the result of a task that a row of a results file contains.

    Args:
        row: The row.
        where: Its position in messages.

    Raises:
        InputError: when the row names no task, or its score is not a finite number.

    Examples:
        >>> result_of({"name": "chess", "score": 0.5, "num_query": 15, "eval_type": "rule"}, "record 1").attributes
        {'eval_type': 'rule'}
    """
    name = name_of(row)
    if name is None:
        raise InputError(f"can't read the task results: {where} names no task")
    score = _first(row, _score_keys())
    if score is not None and not (is_number(score) and math.isfinite(score)):
        raise InputError(f"can't read the task results: the score of `{name}` ({where}) is not a finite number")
    more, counts = row.get("attributes"), row.get("counts")
    own = {key: value for key, value in row.items() if key not in (*_OWN, *_score_keys()) and is_attribute(value)}
    return TaskResult(
        name,
        None if score is None else float(score),
        _count(row, _RECORDS, name),
        _count(row, _DEMOS, name),
        row.get("reason") or (None if score is not None else "no score"),
        row.get("coverage"),
        {**own, **(more if isinstance(more, dict) else {})},
        tuple(row.get("metrics") or ()),
        counts if isinstance(counts, dict) and all(isinstance(counts.get(key), int) for key in _COUNTS) else {},
        str(row.get("signature") or ""),
    )


def read_results(path: Path, report: InputReport) -> list[TaskResult]:
    """Return the task results in a file; of several results of one task only the first, the others are added to
    `report`.

    Raises:
        InputError: when the file can't be read, or a row is not a task result.
    """
    found: dict[str, TaskResult] = {}
    for row in read_rows(InputFile(str(path))):
        if row.record is None:
            raise InputError(f"can't read the task results: {row.reason}")
        result = result_of(row.record, row.where)
        if result.name in found:
            report.add("repeated_tasks", f"{result.name} ({row.where})")
        found.setdefault(result.name, result)
    return list(found.values())


@cache
def _score_keys() -> tuple[str, ...]:
    """Return the keys under which task results may have the score: our own key first, then those of other tools."""
    return ("score", *(key for form in front_ends() for key in form.score_keys))


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _count(row: Mapping[str, Any], keys: Iterable[str], name: str) -> int:
    value = _first(row, keys)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"can't read the task results: a count of `{name}` is not a whole number: {value!r:.40}")
    return value


# ---- the summary


def summarise_suite(suite: Suite, results: Sequence[TaskResult], report: InputReport) -> dict[str, Any]:
    """Return the summary of a suite as plain data: metrics, groups, breakdowns, tasks and counts, and the remarks in
    `report`, to which attributes that no task has are added. The order of the results does not matter."""
    ordered = tasks_of(suite, results)
    table = task_table(ordered)
    by, intervals = suite.spec.by, suite.spec.intervals
    figures = Figures(suite.metrics, intervals, suite.seed, unlisted=True)
    note_empty(table.column, [*by, *suite.spec.attributes.read], intervals.cluster, report)

    def describe(positions: Sequence[int]) -> dict[str, Any]:
        return _described([ordered[position] for position in positions])

    def group(name: str, members: Mapping[str, Any]) -> dict[str, Any]:
        positions = [position for position, result in enumerate(ordered) if in_group(members, result.attributes)]
        return {"group": name, **describe(positions), "metrics": figures.of(table.select(positions))}

    return {
        "suite": {"name": suite.name, "version": suite.version},
        "signature": suite.signature,
        "seed": suite.seed,
        "intervals": intervals.to_json(),
        **_described(ordered),
        "metrics": with_reasons(
            figures.of(table),
            suite.metrics,
            lambda path: any(value is not None for value in table.column(path)),
            "task" if any(result.score is not None for result in ordered) else "",
        ),
        "groups": [group(name, members) for name, members in suite.groups.items()],
        "by": {name: figures.by(table, name, describe) for name in by},
        "tasks": [_line(result) for result in ordered],
        "reasons": _reasons(ordered),
        "inputs": report.to_json(),
    }


def tasks_of(suite: Suite, results: Sequence[TaskResult]) -> list[TaskResult]:
    """Return the results of tasks, sorted by name, with the attributes that the suite's sources give each task."""
    found = []
    for result in results:
        attributes = suite.reading.attributes(result.name, result.attributes)
        shown = attributes.get("num_demo")
        demos = shown if isinstance(shown, int) and not isinstance(shown, bool) and shown > 0 else 0
        found.append(replace(result, attributes=attributes, demos=result.demos or demos))
    return sorted(found, key=lambda result: result.name)


def _described(results: Sequence[TaskResult]) -> dict[str, Any]:
    """Return the entries ``counts`` and ``coverage`` of a summary for some tasks."""
    scored = [result for result in results if result.score is not None]
    return {
        "counts": {
            "tasks": len(results),
            "scored": len(scored),
            "unscored": len(results) - len(scored),
            "records": sum(result.records for result in results),
            "records_without_score": sum(map(_without_score, results)),
            # Leaderboards' number of samples: the records of tasks with a score, and their demonstrations.
            "records_of_scored": sum(result.records for result in scored),
            "demos_of_scored": sum(result.demos for result in scored),
        },
        "coverage": len(scored) / len(results) if results else None,
    }


def _without_score(result: TaskResult) -> int:
    """Return the number of records of a task that should have a score but have none; without counts, all records if the
    task has no score, else 0."""
    counts = result.counts
    if not counts:
        return result.records if result.score is None else 0
    return counts["records"] - counts["not_applicable"] - counts["with_score"]


def task_table(results: Sequence[TaskResult]) -> Rows:
    """Return a table with a row for each task, from which metrics over the tasks are computed; its columns are the
    tasks' attributes."""
    rows = Rows.of_scores(
        [result.score for result in results],
        ids=[result.name for result in results],
        weights=[float(result.records) for result in results],
    )
    ranges = [_range_of(result) for result in results]
    low, high = (np.array([getattr(one, end) for one in ranges], dtype=np.float64) for end in ("low", "high"))
    return replace(
        rows, records=[result.attributes for result in results], column_of=_read_attributes, ends={None: (low, high)}
    )


def _read_attributes(path: str, records: Sequence[Mapping[str, Any]]) -> list[Any]:
    return read_column(place_reader(path), records)


def _range_of(result: TaskResult) -> ScoreRange:
    """Return the range of a task's headline metric; if unknown, 0 to 1 if the score is within it, else unbounded."""
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
