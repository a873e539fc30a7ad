"""The table of fields: for each its mean and its outcomes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.engine.road.counts import coverage, outcome_counts
from scoring.outcomes import FieldColumn, Outcomes
from scoring.result import Outcome


def field_table(fields: Mapping[str, FieldColumn], order: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One row for each field: first those of the spec in its order, then others by name.

    Args:
        fields: The columns of the fields, as figures can use them.
        order: The fields of the spec.
    """
    # Fields that only the records name must not stand in the order in which the records came.
    names = [*order, *sorted(name for name in fields if name not in order)]
    return [_row(name, fields.get(name)) for name in names]


def _row(name: str, column: FieldColumn | None) -> dict[str, Any]:
    outcomes = column.outcomes if column is not None else Outcomes.of(())
    counts = outcome_counts(outcomes)
    return {
        "field": name,
        "weight": column.weight if column is not None else None,
        "mean": mean(value for value in outcomes.values if value == value),
        **counts,
        "coverage": coverage(counts),
        **({"notes": notes} if (notes := note_counts(outcomes.odd.values())) else {}),
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


def mean(values: Iterable[float]) -> float | None:
    """The mean of finite values, exact to the last bit whatever their order; NaN where their sum leaves the numbers.

    Examples:
        >>> mean([0.1] * 10), mean([])
        (0.1, None)
    """
    found = list(values)
    try:
        return math.fsum(found) / len(found) if found else None
    except OverflowError:
        return math.nan
