"""How many records have which outcome, and why those without a score have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.outcomes import ABSENT, STATUSES, Outcomes, Results
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
