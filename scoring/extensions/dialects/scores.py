"""The scores of several scorers or tasks on the same answers, and the records on which they differ, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct


class DialectScores(Struct, frozen=True):
    """The scores of one dialect for all pairs, and the number of pairs whose score differs from the first dialect's."""

    name: str
    doc: str
    scores: tuple[float | None, ...]
    differing: int

    @property
    def mean(self) -> float | None:
        """The mean of its scores, None if no pair has one."""
        known = [score for score in self.scores if score is not None]
        return math.fsum(known) / len(known) if known else None


class Compared(NamedTuple):
    """One compared pair: the record's id, its parsed answer, its prepared reference, and the values that expressions
    can read."""

    id: Any
    prediction: Any
    reference: Any
    row: Mapping[str, Any]


def scores_against_first(
    columns: Mapping[str, tuple[float | None, ...]], docs: Mapping[str, str]
) -> list[DialectScores]:
    """Return the scores of each dialect with the number of pairs on which it differs from the first dialect.

    ``columns`` has the scores of all pairs, ``docs`` the description, both by the name of the dialect.
    """
    first = next(iter(columns.values()), ())
    return [
        DialectScores(
            name,
            docs.get(name, ""),
            scores,
            sum(not equal_up_to_rounding(*pair) for pair in zip(scores, first, strict=True)),
        )
        for name, scores in columns.items()
    ]


def differing_indexes(found: Sequence[DialectScores]) -> list[int]:
    """Return the indexes of the pairs to which the dialects give different scores, largest differences first."""
    rows = list(zip(*(one.scores for one in found), strict=True))
    apart = [place for place, row in enumerate(rows) if not all(equal_up_to_rounding(score, row[0]) for score in row)]
    return sorted(apart, key=lambda place: (-_spread(rows[place]), place))


def _spread(scores: Sequence[float | None]) -> float:
    known = [score for score in scores if score is not None]
    return max(known) - min(known) if known else 0.0


def equal_up_to_rounding(score: float | None, other: float | None) -> bool:
    """Return whether two scores are equal up to rounding; a missing score equals only another missing one."""
    if score is None or other is None:
        return score is other
    return abs(score - other) <= 1e-9


def dialects_data(found: Sequence[DialectScores], pairs: Sequence[Compared]) -> dict[str, Any]:
    """Return the scores of several dialects as plain data: the mean of each, and the records on which they differ."""
    return {
        "dialects": [{"name": one.name, "doc": one.doc, "mean": one.mean, "differing": one.differing} for one in found],
        "records": [
            {"id": pairs[place].id, "scores": {one.name: one.scores[place] for one in found}}
            for place in differing_indexes(found)
        ],
    }
