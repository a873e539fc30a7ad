"""The table of fields: for each its mean and its outcomes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from scoring.engine.road.counts import coverage, outcome_counts
from scoring.result import FieldResult, Outcome, RecordResult


def field_table(results: Sequence[RecordResult], order: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One row for each field: first those of the spec in its order, then others by name."""
    parts: dict[str, list[FieldResult]] = {name: [] for name in order}
    for result in results:
        for name, part in result.fields.items():
            parts.setdefault(name, []).append(part)
    # Fields that only the records name must not stand in the order in which the records came.
    names = [*order, *sorted(name for name in parts if name not in order)]
    return [_row(name, parts[name]) for name in names]


def _row(name: str, parts: list[FieldResult]) -> dict[str, Any]:
    counts = outcome_counts([part.outcome for part in parts])
    weights = {part.weight for part in parts}
    with_score = [part.score for part in parts if part.score is not None and part.status != "not_applicable"]
    return {
        "field": name,
        "weight": weights.pop() if len(weights) == 1 else None,
        "mean": mean(with_score),
        **counts,
        "coverage": coverage(counts),
        **({"notes": notes} if (notes := note_counts(part.outcome for part in parts)) else {}),
    }


def note_counts(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """How often each note was left, for notes of one word, such as which branch of a cascade decided.

    Examples:
        >>> note_counts([Outcome(1.0, notes={"decided_by": "rule"}), Outcome(1.0)])
        {'decided_by': {'rule': 1}}
    """
    found = Counter(
        (name, value) for outcome in outcomes for name, value in (outcome.notes or {}).items() if isinstance(value, str)
    )
    counts: dict[str, dict[str, int]] = {}
    for (name, value), count in sorted(found.items()):
        counts.setdefault(name, {})[value] = count
    return counts


def mean(values: Iterable[Any]) -> float | None:
    """The mean of the values, exact to the last bit whatever their order; None where one is no real number.

    Examples:
        >>> mean([0.1] * 10), mean([]), mean([1j])
        (0.1, None, None)
    """
    found = list(values)
    if not found or any(isinstance(value, complex) for value in found):
        return None
    try:
        return math.fsum(found) / len(found)
    except (OverflowError, ValueError):  # infinities of both signs have no sum
        return math.nan
