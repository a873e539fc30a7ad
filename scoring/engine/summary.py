"""The summary of a run: metrics with intervals and bounds, counts, fields, breakdowns, what was odd about the input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.engine.counts import coverage, reasons, record_counts
from scoring.engine.field_table import field_table
from scoring.engine.inputs.report import InputReport
from scoring.engine.protocol import CompiledTask
from scoring.metrics.rows import Rows
from scoring.result import Outcome, RecordResult


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
    held = [countable(result) for result in results]
    rows = Rows.of(held, records)
    counts = record_counts(held)
    return {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        "counts": counts,
        "coverage": coverage(counts),
        "metrics": metric_table(task, rows),
        "fields": field_table(held, task.field_names),
        "by": {name: _groups(task, name, held, rows) for name in task.by},
        "reasons": reasons(result.outcome for result in held),
        "inputs": report.to_json(),
    }


def countable(result: RecordResult) -> RecordResult:
    """The result as figures can use it: a score that is no finite number does not count as one.

    Examples:
        >>> countable(RecordResult("q", Outcome(float("nan")))).reason
        'the score is nan, not a finite number'
    """
    value = result.outcome.value
    bad = result.status == "scored" and not _finite(value)
    fields = {name: part for name, part in result.fields.items() if part.status == "scored" and not _finite(part.score)}
    if not bad and not fields:
        return result
    return replace(
        result,
        outcome=Outcome.unscored(f"the score is {value}, not a finite number") if bad else result.outcome,
        fields={
            name: replace(part, outcome=Outcome.unscored(f"the score is {part.score}, not a finite number"))
            if name in fields else part
            for name, part in result.fields.items()
        },
    )


def _finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def metric_table(task: CompiledTask, rows: Rows, *, prefix: str = "") -> list[dict[str, Any]]:
    """Each metric with its value, interval and bounds. ``prefix`` names the group, so that each figure has its own
    stream of random numbers."""
    from scoring.metrics.uncertainty import bounds, interval

    found = []
    for metric in task.metrics:
        statistic = metric(rows)
        spread = interval(statistic, name=f"{prefix}{metric.text}", seed=task.seed)
        limits = bounds(metric, rows) if _incomplete(rows) else None
        found.append({
            "metric": metric.text,
            "value": statistic.value(),
            "interval": [spread.low, spread.high] if spread else None,
            "level": spread.confidence if spread else None,
            "method": spread.method if spread else None,
            "units": statistic.count,
            "bounds": list(limits) if limits else None,
            **({"details": details} if (details := statistic.details()) else {}),
        })
    return found


def _incomplete(rows: Rows) -> bool:
    return any(status in ("unscored", "unparsed") for status in rows.statuses)


def _groups(task: CompiledTask, name: str, results: Sequence[RecordResult], rows: Rows) -> list[dict[str, Any]]:
    """The metrics of each group; a record whose value is a list counts in each of its groups."""
    places: dict[str, tuple[Any, list[int]]] = {}
    for place, result in enumerate(results):
        for value in group_values(result.attributes.get(name)):
            places.setdefault(f"{type(value).__name__}:{value}", (value, []))[1].append(place)
    found = []
    for key in sorted(places, key=lambda key: (places[key][0] is None, str(places[key][0]), key)):
        value, members = places[key]
        counts = record_counts([results[place] for place in members])
        found.append({
            "group": value, "counts": counts, "coverage": coverage(counts),
            "metrics": metric_table(task, rows.select(members), prefix=f"{name}={value}|"),
        })
    return found


def group_values(value: Any) -> list[Any]:
    """The groups that an attribute's value puts a record in; each once.

    Examples:
        >>> group_values("de"), group_values(["de", "en", "de"]), group_values(None), group_values([])
        (['de'], ['de', 'en'], [None], [None])
    """
    from scoring.engine.strict_json import canonical

    values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
    named = [item if item is None or isinstance(item, (str, bool, int, float)) else canonical(item) for item in values]
    return list(dict.fromkeys(named)) or [None]
