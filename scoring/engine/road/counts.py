"""How many records have which outcome, why those without a score have none, and the same for each field."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.outcomes import ABSENT, STATUSES, FieldColumn, Outcomes, Results
from scoring.result import Outcome

_MAX_REASONS = 20
_PLACE = re.compile(r"^(?:prediction |reference )?(?:line|record|row) \d+: ")


def reasons(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    """The reasons of outcomes without a score, most frequent first; places in the file are left out of the count."""
    found = Counter(
        (outcome.status, _PLACE.sub("", outcome.reason)[:300])
        for outcome in outcomes
        if outcome.status != "scored" and outcome.reason
    )
    ordered = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    shown: list[dict[str, Any]] = [
        {"status": status, "reason": reason, "count": count} for (status, reason), count in ordered
    ]
    if len(shown) > _MAX_REASONS:
        rest = shown[_MAX_REASONS:]
        more = sum(entry["count"] for entry in rest)
        shown = [*shown[:_MAX_REASONS], {"status": "other", "reason": f"{len(rest)} more reasons", "count": more}]
    return shown


def coverage(counts: Mapping[str, int]) -> float | None:
    """The share of the records that have a score, of those to which the task applies.

    Examples:
        >>> coverage({"records": 9, "not_applicable": 5, "with_score": 3})
        0.75
    """
    applicable = counts["records"] - counts["not_applicable"]
    return counts["with_score"] / applicable if applicable else None


def outcome_counts(outcomes: Outcomes, places: Sequence[int] | None = None) -> dict[str, int]:
    """Counts of some outcomes: each status, and ``with_score``.

    A policy of the spec may give a failure a score; it is then counted under its status and under ``with_score``.

    Args:
        outcomes: A column, as figures can use it.
        places: Which of them count; all where not given.

    Examples:
        >>> outcome_counts(Outcomes.of([Outcome(1.0), Outcome.unscored("x")]))["with_score"]
        1
    """
    statuses, values = outcomes.statuses, outcomes.values
    if places is not None:
        statuses = bytearray(map(statuses.__getitem__, places))
    held = values if places is None else map(values.__getitem__, places)
    return {
        "records": len(statuses) - statuses.count(ABSENT),
        **{status: statuses.count(code) for code, status in enumerate(STATUSES)},
        "with_score": sum(value == value for value in held),  # NaN is not equal to itself
    }


def record_counts(results: Results, outcomes: Outcomes, places: Sequence[int] | None = None) -> dict[str, int]:
    """Counts of some records.

    ``not_parsed`` counts every response that did not parse, with a score or not. ``pass_undecided``, where there are
    any, counts the records for which the spec's ``pass`` could not be decided, so that ``pass_rate`` leaves them out.

    Args:
        results: The results.
        outcomes: Their own outcomes, as figures can use them.
        places: Which records count; all where not given.
    """
    odd = outcomes.odd
    if places is None:
        not_parsed, looked_at = len(results.unparsed), list(odd.values())
    else:
        not_parsed = sum(place in results.unparsed for place in places)
        looked_at = [odd[place] for place in places if place in odd]
    undecided = sum("pass" in (outcome.notes or ()) for outcome in looked_at)
    counts = {**outcome_counts(outcomes, places), "not_parsed": not_parsed}
    return {**counts, "pass_undecided": undecided} if undecided else counts


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
