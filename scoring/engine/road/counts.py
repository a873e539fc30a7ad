"""How many records have which outcome, and why those without a score have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.result import Outcome, RecordResult

STATUSES = ("scored", "not_applicable", "unparsed", "unscored")
_MAX_REASONS = 20
_PLACE = re.compile(r"^(?:prediction |reference )?(?:line|record|row) \d+: ")


def status_counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many outcomes there are of each status.

    Examples:
        >>> status_counts([Outcome(1.0), Outcome.unscored("x")])
        {'scored': 1, 'not_applicable': 0, 'unparsed': 0, 'unscored': 1}
    """
    found: Counter[str] = Counter(outcome.status for outcome in outcomes)
    return {status: found[status] for status in STATUSES}


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


def outcome_counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Counts of some outcomes: each status, and ``with_score``.

    A policy of the spec may give a failure a score; it is then counted under its status and under ``with_score``.
    """
    with_score = sum(1 for one in outcomes if one.value is not None and one.status != "not_applicable")
    return {"records": len(outcomes), **status_counts(outcomes), "with_score": with_score}


def record_counts(results: Sequence[RecordResult]) -> dict[str, int]:
    """Counts of some records.

    ``not_parsed`` counts every response that did not parse, with a score or not. ``pass_undecided``, where there are
    any, counts the records for which the spec's ``pass`` could not be decided, so that ``pass_rate`` leaves them out.
    """
    not_parsed = sum(1 for result in results if result.unparsed_reason is not None)
    undecided = sum(1 for result in results if result.passed is None and "pass" in (result.outcome.notes or ()))
    counts = {**outcome_counts([result.outcome for result in results]), "not_parsed": not_parsed}
    return {**counts, "pass_undecided": undecided} if undecided else counts
