"""Counts of outcomes and of the reasons for missing scores, over records and for each field."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field

from scoring.lazy_pattern import lazy_pattern
from scoring.outcomes import STATUSES, FieldColumn, Outcomes, Results
from scoring.result import Outcome
from scoring.statistics.exact import ExactSum
from scoring.statistics.statistic import added

_MAX_REASONS = 20
_PLACE = lazy_pattern(r"^(?:prediction |reference )?(?:[^:\n]+\.\w+ )?(?:line|record|row) \d+: ")


Reasons: TypeAlias = "Counter[tuple[str, str]]"
"""How often each combination of status and reason occurred."""


def count_reasons(outcomes: Iterable[Outcome]) -> Reasons:
    """Return how often each reason for not being scored occurs; positions in the file are removed from the reasons."""
    return Counter(
        (outcome.status, _PLACE.sub("", outcome.reason)[:300])
        for outcome in outcomes
        if outcome.status != "scored" and outcome.reason
    )


def reason_entries(found: Reasons) -> list[dict[str, Any]]:
    """Return the reasons as a summary lists them, most frequent first and the rarest combined into one entry."""
    ordered = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    shown: list[dict[str, Any]] = [
        {"status": status, "reason": reason, "count": count} for (status, reason), count in ordered
    ]
    if len(shown) > _MAX_REASONS:
        rest = shown[_MAX_REASONS:]
        more = sum(entry["count"] for entry in rest)
        shown = [*shown[:_MAX_REASONS], {"status": "other", "reason": f"{len(rest)} more reasons", "count": more}]
    return shown


def scored_share(counts: Mapping[str, int]) -> float | None:
    """Return the share of records with a score among those to which the task applies; None if it applies to none.

    Examples:
        >>> scored_share({"records": 9, "not_applicable": 5, "with_score": 3})
        0.75
    """
    applicable = counts["records"] - counts["not_applicable"]
    return counts["with_score"] / applicable if applicable else None


def outcome_counts(outcomes: Outcomes, positions: Sequence[int] | None = None) -> dict[str, int]:
    """Return the counts of all outcomes, or of those at some positions: by status, and of those ``with_score``.

    A policy of the spec may give a failure a score; such an outcome counts under its status and under ``with_score``.

    Examples:
        >>> outcome_counts(Outcomes.of([Outcome(1.0), Outcome.unscored("x")]))["with_score"]
        1
    """
    statuses, values = np.asarray(outcomes.statuses, np.uint8), np.asarray(outcomes.values)
    if positions is not None:
        chosen = np.asarray(positions, dtype=np.int64)
        statuses, values = statuses[chosen], values[chosen]
    *found, absent = np.bincount(statuses, minlength=len(STATUSES) + 1).tolist()  # ABSENT is the last code
    counts = dict(zip(STATUSES, found, strict=True))
    return {"records": len(statuses) - absent, **counts, "with_score": int(np.count_nonzero(~np.isnan(values)))}


def record_counts(results: Results, outcomes: Outcomes, positions: Sequence[int] | None = None) -> dict[str, int]:
    """Return the counts of all records, or of those at some positions, by status and by the names below.

    ``not_parsed`` counts every response that did not parse, with a score or not. ``pass_undecided``, which is present
    only if not 0, counts the records whose ``pass`` condition could not be decided, so ``pass_rate`` leaves them out.
    """
    odd = outcomes.odd
    if positions is None:
        not_parsed, looked_at = len(results.unparsed), list(odd.values())
    else:
        not_parsed = len(results.unparsed.keys() & set(positions)) if results.unparsed else 0
        looked_at = [odd[position] for position in positions if position in odd] if odd else []
    undecided = sum("pass" in (outcome.notes or ()) for outcome in looked_at)
    counts = {**outcome_counts(outcomes, positions), "not_parsed": not_parsed}
    return {**counts, "pass_undecided": undecided} if undecided else counts


class FieldTally(Struct, frozen=True):
    """The mergeable state from which a field's row in the summary's table of fields is computed.

    Args:
        weight: The field's weight, None for a field that no record reached.
        counts: The counts of its outcomes.
        total: The exact sum of its scores, None if that is out of the range of numbers.
        notes: How often each text note occurred, such as the branch of a cascade that decided.
    """

    weight: float | None = None
    counts: Mapping[str, int] = field(default_factory=lambda: outcome_counts(Outcomes.of(())))
    total: ExactSum | None = field(default_factory=ExactSum)
    notes: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, column: FieldColumn) -> FieldTally:
        """Return the tally of one field's column of results."""
        outcomes = column.outcomes
        try:
            total = ExactSum.of([value for value in outcomes.values if value == value])
        except (OverflowError, ValueError):
            total = None
        notes = Counter(
            (name, value)
            for outcome in outcomes.odd.values()
            for name, value in (outcome.notes or {}).items()
            if isinstance(value, str)
        )
        return cls(column.weight, outcome_counts(outcomes), total, notes)

    def merge(self, other: FieldTally) -> FieldTally:
        """Return the tally over the records of both tallies."""
        weight = other.weight if self.weight is None else self.weight
        try:
            total = self.total.merge(other.total) if self.total is not None and other.total is not None else None
        except (OverflowError, ValueError):
            total = None
        return FieldTally(weight, added(self.counts, other.counts), total, added(self.notes, other.notes))

    def pack(self) -> dict[str, Any]:
        """Return the tally as plain data."""
        total = None if self.total is None else list(self.total.parts)
        notes = [[*note, count] for note, count in self.notes.items()]
        return {"weight": self.weight, "counts": dict(self.counts), "total": total, "notes": notes}

    @classmethod
    def unpack(cls, data: Mapping[str, Any]) -> FieldTally:
        """Return the tally from the plain data that `pack` returns."""
        total = None if data["total"] is None else ExactSum.of(list(map(float, data["total"])))
        return cls(data["weight"], data["counts"], total, {(name, value): n for name, value, n in data["notes"]})

    def row(self, name: str) -> dict[str, Any]:
        """Return this field's row in the table of fields: its name, weight, mean score, counts, coverage and notes.

        The mean does not depend on the order of the records, to the last bit.
        """
        notes: dict[str, dict[str, int]] = {}
        for (note, value), count in sorted(self.notes.items()):
            notes.setdefault(note, {})[value] = count
        scored = self.counts["with_score"]
        mean = None if not scored else math.nan if self.total is None else self.total.value / scored
        counts = {**self.counts, "coverage": scored_share(self.counts)}
        return {"field": name, "weight": self.weight, "mean": mean, **counts, **({"notes": notes} if notes else {})}


def field_table(fields: Mapping[str, FieldTally], order: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the table of fields, one row for each: first those in ``order``, that of the spec, then others by name."""
    # The order of fields that only records name must not depend on the order of the records.
    names = [*order, *sorted(name for name in fields if name not in order)]
    return [fields.get(name, FieldTally()).row(name) for name in names]
