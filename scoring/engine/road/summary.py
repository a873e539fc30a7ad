"""The summary of a run: metrics with intervals and bounds, counts, fields, breakdowns, what was odd about the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.data.rows.report import InputReport
from scoring.engine.road.counts import coverage, field_table, reasons, record_counts
from scoring.engine.road.figures import Figures, note_empty
from scoring.engine.road.protocol import RecordScorer
from scoring.outcomes import SCORED, UNDECIDED, UNPARSED, UNSCORED, Outcomes, Results
from scoring.statistics.breakdown import attributes_of
from scoring.statistics.rows import Rows


def summarise(
    task: RecordScorer, results: Results, records: Sequence[Mapping[str, Any]], report: InputReport
) -> dict[str, Any]:
    """The summary as plain data; the same whatever the order of the records.

    Args:
        task: What scored them.
        results: One result for each record.
        records: The records themselves, for metrics that read them; empty where none does.
        report: What was odd about the input.
    """
    own = results.outcomes.counted()
    fields = {name: replace(column, outcomes=column.outcomes.counted()) for name, column in results.fields.items()}
    rows = _rows(task, results, own, {name: column.outcomes for name, column in fields.items()}, records)
    counts = record_counts(results, own)
    figures = Figures(task.metrics, task.intervals, task.seed)
    note_empty(rows.column, task.by, task.intervals.cluster, report)

    def describe(places: Sequence[int]) -> Mapping[str, Any]:
        part = record_counts(results, own, places)
        return {"counts": part, "coverage": coverage(part)}

    return {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        "intervals": task.intervals.to_json(),
        "counts": counts,
        "coverage": coverage(counts),
        "metrics": figures.of(rows),
        "fields": field_table(fields, task.field_names),
        "by": {name: figures.by(rows, name, describe) for name in task.by},
        "reasons": reasons(own.odd.values()),
        "inputs": report.to_json(),
    }


def _rows(
    task: RecordScorer,
    results: Results,
    own: Outcomes,
    fields: Mapping[str, Outcomes],
    records: Sequence[Mapping[str, Any]],
) -> Rows:
    """The table of the metrics. What a policy gave a score counts as one, and every field of the spec has a column."""
    import numpy as np

    size, passed = len(results), np.asarray(results.passed, dtype=np.uint8)
    cluster = task.intervals.cluster
    names = [part for name in task.by for part in attributes_of(name)] + ([cluster] if cluster else [])
    empty = np.full(size, np.nan)
    return Rows(
        results.ids,
        np.asarray(own.values, dtype=np.float64),
        statuses=_statuses(own),
        weights=np.asarray(results.weights),
        passed=np.where(passed == UNDECIDED, -1, passed).astype(np.int8),
        fields={
            **dict.fromkeys(task.field_names, empty),
            **{name: np.asarray(outcomes.values) for name, outcomes in fields.items()},
        },
        records=records,
        columns={
            **{name: [None] * size for name in names},
            **{name: results.attribute(name) for name in results.attributes},
        },
        reader_of=task.reader_of,
    )


def _statuses(outcomes: Outcomes) -> Any:
    """A status byte each, as metrics take them: a failure that counts is a score."""
    import numpy as np

    statuses = np.asarray(outcomes.statuses, dtype=np.uint8)
    failed = (statuses == UNPARSED) | (statuses == UNSCORED)
    return np.where(failed & ~np.isnan(np.asarray(outcomes.values)), SCORED, statuses).astype(np.uint8)
