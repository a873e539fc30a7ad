"""The summary of a run: metrics with intervals and bounds, counts, fields, breakdowns, what was odd about the input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.data.rows.report import InputReport
from scoring.data.strict_json import canonical, escape_surrogates
from scoring.engine.road.counts import coverage, reasons, record_counts
from scoring.engine.road.field_table import field_table
from scoring.engine.road.protocol import CompiledMetric, CompiledTask
from scoring.result import Outcome, RecordResult
from scoring.statistics.breakdown import attributes_of, parts_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.statistics.intervals import Interval


def summarise(
    task: CompiledTask, results: Sequence[RecordResult], records: Sequence[Mapping[str, Any]], report: InputReport
) -> dict[str, Any]:
    """The summary as plain data; the same whatever the order of the records.

    Args:
        task: What scored them.
        results: One result for each record.
        records: The records themselves, for metrics that read them; empty where none does.
        report: What was odd about the input.
    """
    counted = [countable(result) for result in results]
    rows = Rows.of([_for_metrics(result) for result in counted], records, task.reader_of)
    # A field that no record got as far as still has a column.
    empty: list[float | None] = [None] * len(rows)
    rows = replace(rows, fields={**dict.fromkeys(task.field_names, empty), **rows.fields})
    counts = record_counts(counted)
    return {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        "intervals": task.intervals.to_json(),
        "counts": counts,
        "coverage": coverage(counts),
        "metrics": metric_table(task, rows),
        "fields": field_table(counted, task.field_names),
        "by": {name: _groups(task, name, counted, rows) for name in task.by},
        "reasons": reasons(result.outcome for result in counted),
        "inputs": report.to_json(),
    }


def _for_metrics(result: RecordResult) -> RecordResult:
    """The result with a failure that the spec's policy gave a score as what it counts: a score."""
    if _is_plain(result.outcome) and all(_is_plain(part.outcome) for part in result.fields.values()):
        return result
    fields = {name: replace(part, outcome=_as_scored(part.outcome)) for name, part in result.fields.items()}
    return replace(result, outcome=_as_scored(result.outcome), fields=fields)


def _is_plain(outcome: Outcome) -> bool:
    return outcome.status in ("scored", "not_applicable") or outcome.value is None


def _as_scored(outcome: Outcome) -> Outcome:
    return outcome if _is_plain(outcome) else Outcome(outcome.value)


def countable(result: RecordResult) -> RecordResult:
    """The result as figures can use it: a score that is no finite number does not count as one.

    Examples:
        >>> countable(RecordResult("q", Outcome(float("nan")))).reason
        'the score is nan, not a finite number'
    """
    value = result.outcome.value
    bad = _is_no_number(result.outcome)
    fields = {name for name, part in result.fields.items() if _is_no_number(part.outcome)}
    if not bad and not fields:
        return result
    return replace(
        result,
        outcome=Outcome.unscored(f"the score is {value}, not a finite number") if bad else result.outcome,
        fields={
            name: replace(part, outcome=Outcome.unscored(f"the score is {part.score}, not a finite number"))
            if name in fields
            else part
            for name, part in result.fields.items()
        },
    )


def _is_no_number(outcome: Outcome) -> bool:
    value = outcome.value
    if outcome.status == "not_applicable" or (value is None and outcome.status != "scored"):
        return False
    return not (isinstance(value, (int, float)) and math.isfinite(value))


def metric_table(task: CompiledTask, rows: Rows, *, prefix: str = "") -> list[dict[str, Any]]:
    """Each metric with its value, interval and bounds. ``prefix`` names the group, so that each figure has its own
    stream of random numbers."""
    from scoring.statistics.intervals import bounds

    found = []
    clusters = _clusters(task, rows)
    for metric in task.metrics:
        statistic = metric(rows)
        # A name is hashed as UTF-8, which has no lone surrogates.
        spread = _interval(task, metric, rows, statistic, clusters, escape_surrogates(f"{prefix}{metric.text}"))
        limits = bounds(metric, rows) if _incomplete(rows) else None
        found.append(
            {
                "metric": metric.text,
                "value": statistic.value(),
                "interval": [spread.low, spread.high] if spread else None,
                "level": spread.confidence if spread else None,
                "method": spread.method if spread else None,
                "units": statistic.count,
                "bounds": list(limits) if limits else None,
                **({"details": details} if (details := statistic.details()) else {}),
            }
        )
    return found


def _clusters(task: CompiledTask, rows: Rows) -> list[str | None] | None:
    """The cluster of each record, None where the spec names no attribute; a list makes one cluster as a whole."""
    name = task.intervals.cluster
    if name is None:
        return None
    held = rows.columns.get(name) or [None] * len(rows)
    return [None if value is None else canonical(value) for value in held]


def _interval(
    task: CompiledTask,
    metric: CompiledMetric,
    rows: Rows,
    statistic: Statistic,
    column: list[str | None] | None,
    name: str,
) -> Interval | None:
    """A figure's interval as the spec wants it; what is no share of records takes "auto" for a share's interval."""
    from scoring.statistics.clusters import clustered_statistic, clusters_of
    from scoring.statistics.intervals import interval

    wanted, clusters = task.intervals, None
    method = wanted.method
    if column is not None:
        statistic = clustered_statistic(metric, rows, column, keyed_by=statistic.keyed_by).finished()
        clusters = clusters_of(statistic)
    elif method in ("wilson", "clopper_pearson") and not statistic.finished().is_proportion:
        method = "auto"
    return interval(
        statistic,
        name=name,
        seed=task.seed,
        method=method,
        confidence=wanted.confidence,
        resamples=wanted.resamples,
        clusters=clusters,
    )


def _incomplete(rows: Rows) -> bool:
    return any(status in ("unscored", "unparsed") for status in rows.statuses)


def _groups(task: CompiledTask, name: str, results: Sequence[RecordResult], rows: Rows) -> list[dict[str, Any]]:
    """The metrics of each group; a record whose value is a list counts in each of its groups."""
    crossed = attributes_of(name)
    columns = [[group_value(result.attributes.get(attribute)) for result in results] for attribute in crossed]
    found = []
    for part in parts_of(columns):
        counts = record_counts([results[place] for place in part.places])
        values = {"values": dict(zip(crossed, part.group, strict=True))} if len(crossed) > 1 else {}
        found.append(
            {
                "group": part.group[0] if len(crossed) == 1 else part.label,
                **values,
                "counts": counts,
                "coverage": coverage(counts),
                "metrics": metric_table(task, rows.select(part.places), prefix=f"{name}={part.label}|"),
            }
        )
    return found


def group_value(value: Any) -> Any:
    """An attribute's value as breakdowns take it: what is no plain value becomes its JSON, no value at all is None.

    Examples:
        >>> group_value("de"), group_value(["de", {"a": 1}]), group_value([])
        ('de', ['de', '{"a":1}'], None)
    """
    if isinstance(value, (list, tuple, set, frozenset)):
        return [canonical(item) if isinstance(item, (list, tuple)) else group_value(item) for item in value] or None
    return value if value is None or isinstance(value, (str, bool, int, float)) else canonical(value)
