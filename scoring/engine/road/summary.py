"""The summary of a run: metrics with intervals and bounds, counts, fields, breakdowns, what was odd about the input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.data.rows.report import InputReport
from scoring.engine.road.counts import coverage, reasons, record_counts
from scoring.engine.road.field_table import field_table
from scoring.engine.road.figures import Figures
from scoring.engine.road.protocol import CompiledTask
from scoring.result import Outcome, RecordResult
from scoring.statistics.rows import Rows


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
    figures = Figures(task.metrics, task.intervals, task.seed)

    def describe(places: Sequence[int]) -> Mapping[str, Any]:
        part = record_counts([counted[place] for place in places])
        return {"counts": part, "coverage": coverage(part)}

    return {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        "intervals": task.intervals.to_json(),
        "counts": counts,
        "coverage": coverage(counts),
        "metrics": figures.of(rows),
        "fields": field_table(counted, task.field_names),
        "by": {name: figures.by(rows, name, describe) for name in task.by},
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
