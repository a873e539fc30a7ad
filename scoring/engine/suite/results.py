"""Results of tasks: what a suite keeps of each, writes to `task_results.json`, and can be computed from again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import InputError
from scoring.engine.suite.attributes import NAME_KEYS, is_attribute, name_of
from scoring.format.front_ends import front_ends

# The keys that results are written with come first; files of others may have the second.
_RECORDS = ("num_query", "records")
_DEMOS = ("num_demo", "demos")
_OWN = {*NAME_KEYS, "score", *_RECORDS, *_DEMOS, "coverage", "reason", "metrics", "counts", "signature", "attributes"}


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one task.

    Args:
        name: The task.
        score: Its headline, None where it has none.
        records: How many records it has.
        demos: How many examples its prompt showed; they are no records, but some benchmarks count them as samples.
        reason: Why there is no score.
        coverage: The share of its records that have a score, of those to which it applies.
        attributes: What it is broken down by.
        metrics: All its metrics, as in the summary of a task.
        counts: Its records by outcome.
        signature: What made its score.
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
        """The result as plain data; ``name``, ``score``, ``eval_type`` and the counts stand beside each other."""
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
    """The result that a row states.

    Raises:
        InputError: when it names no task, or its score is no finite number.

    Examples:
        >>> result_of({"name": "chess", "score": 0.5, "num_query": 15, "eval_type": "rule"}, "record 1").attributes
        {'eval_type': 'rule'}
    """
    name = name_of(row)
    if name is None:
        raise InputError(f"can't read the task results: {where} names no task")
    score = _first(row, _score_keys())
    is_number = isinstance(score, (int, float)) and not isinstance(score, bool) and math.isfinite(score)
    if score is not None and not is_number:
        raise InputError(f"can't read the task results: the score of `{name}` ({where}) is no finite number")
    more = row.get("attributes")
    return TaskResult(
        name,
        None if score is None else float(score),
        _count(row, _RECORDS, name),
        _count(row, _DEMOS, name),
        row.get("reason") or (None if score is not None else "no score"),
        row.get("coverage"),
        {**_attributes(row), **(more if isinstance(more, dict) else {})},
        tuple(row.get("metrics") or ()),
        _counts(row),
        str(row.get("signature") or ""),
    )


def read_results(path: Path, report: InputReport) -> list[TaskResult]:
    """The task results of a file, each task once.

    Raises:
        InputError: when the file can't be read, or a row is no task result.
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


def results_json(results: Iterable[TaskResult]) -> list[dict[str, Any]]:
    """The content of `task_results.json`."""
    return [result.to_json() for result in results]


def _counts(row: Mapping[str, Any]) -> Mapping[str, int]:
    """The records by outcome, where a row tells all that is needed."""
    counts = row.get("counts")
    needed = ("records", "not_applicable", "with_score")
    return counts if isinstance(counts, dict) and all(isinstance(counts.get(key), int) for key in needed) else {}


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in row.items() if key not in _OWN and key not in _score_keys() and is_attribute(value)
    }


@cache
def _score_keys() -> tuple[str, ...]:
    """What results call the score: our own key first, then those of foreign forms."""
    return ("score", *(key for form in front_ends() for key in form.score_keys))


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _count(row: Mapping[str, Any], keys: Iterable[str], name: str) -> int:
    value = _first(row, keys)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"can't read the task results: a count of `{name}` is no whole number: {value!r:.40}")
    return value
