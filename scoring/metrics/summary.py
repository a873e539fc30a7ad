"""Data-set metrics of scores: means, shares, quantiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from scoring.outcomes import NOT_APPLICABLE, SCORED
from scoring.ranges import ScoreRange
from scoring.registry import Between, ComparedField, ComparedPath, Doc, OfScore, bounds, primitive
from scoring.statistics.rows import Kept, Rows
from scoring.statistics.statistic import Statistic, divide, of_sums

PredictionPath = Annotated[
    ComparedPath, Doc("The path of the given answer; by default the parsed one that the task compares.")
]
ReferencePath = Annotated[
    ComparedPath, Doc("The path of the right answer; by default what the task compares answers with.")
]
AnsweredField = Annotated[ComparedField, Doc("The field whose compared values are used, where the task has several.")]
NotCounted: TypeAlias = dict[str, int]
"""The number of records that do not count in a figure, by reason."""

ScoredField = Annotated[str | None, Doc("The field whose scores count; by default the record's own score.")]


NO_SCORE = "no score"
TOO_LARGE = "a number is too large to count"


def scored(rows: Rows, field: str | None = None) -> tuple[Sequence[Any], Any, Any, NotCounted]:
    """Return ids, scores and weights of the records that have a score (in the field, if given), and how many don't."""
    scores = rows.values(field)
    mask, missing = counting(rows, (np.isnan(scores), NO_SCORE))
    return *kept(mask, rows.ids, scores, np.asarray(rows.weights)), missing


def counting(rows: Rows, *faults: tuple[Any, str]) -> tuple[Any, NotCounted]:
    """Return the mask of the records that count in a figure, and the number of those that do not, by reason.

    Records that are not applicable can be masked out too, but are not counted as missing.

    Args:
        rows: The records.
        faults: For each reason, the mask of the records that it excludes, and its name; a record is counted under its
            first reason.

    Examples:
        >>> import numpy as np
        >>> mask, missing = counting(Rows.of_scores([1.0, None]), (np.array([False, True]), "no score"))
        >>> mask.tolist(), missing
        ([True, False], {'no score': 1})
    """
    mask, missing = np.ones(len(rows), dtype=bool), dict[str, int]()
    applicable = rows.codes != NOT_APPLICABLE
    for fault, why in faults:
        left = mask & np.asarray(fault, dtype=bool)
        mask &= ~left
        if count := int((left & applicable).sum()):
            missing[why] = missing.get(why, 0) + count
    return mask, missing


def kept(mask: Any, ids: Sequence[Any], *columns: Any) -> tuple[Any, ...]:
    """Return the ids and the columns at the positions where a mask is true."""
    if mask.all():
        return ids, *columns
    return Kept(ids, mask), *(column[mask] for column in columns)


def mean_of(
    ids: Sequence[Any], values: Any, weights: Any = None, *, missing: Mapping[str, int] | None = None
) -> Statistic:
    """Return the mean of values with weights (1 by default); ``missing`` has the number of other records by reason."""
    below = np.ones(len(values)) if weights is None else weights
    return of_sums(divide, ids, np.stack([values * below, below]).T, width=2, missing=missing)


@primitive(name="mean", reads="scores", better="scores", topics=("scores",), aka=("average", "avg"))
def mean_score(rows: Rows, /, *, field: ScoredField = None) -> Statistic:
    """Average the scores of the records that have a score; every record counts the same.

    Examples:
        >>> mean_score(Rows.of_scores([1.0, 0.5, None])).value()
        0.75
    """
    ids, scores, _, missing = scored(rows, field)
    return mean_of(ids, scores, missing=missing)


@primitive(name="weighted_mean", reads="scores", better="scores", topics=("scores",), aka=("weighted average",))
def weighted_mean_score(rows: Rows, /, *, field: ScoredField = None) -> Statistic:
    """Average the scores, each record with its own weight.

    Examples:
        >>> weighted_mean_score(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.75
    """
    ids, scores, weights, missing = scored(rows, field)
    return mean_of(ids, scores, weights, missing=missing)


@primitive(
    reads="scores",
    better="higher",
    range=(0.0, 1.0),
    traits=("passes",),
    topics=("scores",),
    aka=("success rate", "pass percentage"),
)
def pass_rate(rows: Rows, /) -> Statistic:
    """Compute the share of records that pass, among those for which the spec's `pass` could be decided.

    Examples:
        >>> pass_rate(Rows.of_scores([1.0, 0.0], passed=[True, False])).value()
        0.5
    """
    passed = rows.decided
    undecided = passed < 0
    mask, missing = counting(rows, (undecided & np.isnan(rows.values()), NO_SCORE), (undecided, "`pass` is undecided"))
    return mean_of(*kept(mask, rows.ids, passed), missing=missing)


@primitive(
    reads="scores",
    better="higher",
    range=(0.0, 1.0),
    topics=("scores", "labels"),
    aka=("share correct", "fraction correct", "proportion correct"),
)
def accuracy(rows: Rows, /, *, threshold: OfScore = 1.0, field: ScoredField = None) -> Statistic:
    """Compute the share of scored records whose score reaches a threshold.

    Args:
        threshold: The lowest score that counts as correct.

    Examples:
        >>> accuracy(Rows.of_scores([1.0, 0.5, 0.25, None]), threshold=0.5).value()
        0.6666666666666666
    """
    ids, scores, _, missing = scored(rows, field)
    return mean_of(ids, scores >= threshold, missing=missing)


@primitive(reads="scores", better="higher", range=(0.0, 1.0), topics=("scores",), aka=("answer rate", "response rate"))
def coverage(rows: Rows, /) -> Statistic:
    """Compute the share of records that have a score, among all records except those that are not applicable.

    Examples:
        >>> coverage(Rows.of_scores([1.0, 0.0, None, None])).value()
        0.5
    """
    codes = rows.codes
    return mean_of(*kept(codes != NOT_APPLICABLE, rows.ids, codes == SCORED))


@primitive(reads="scores", better="scores", topics=("scores",), aka=("median", "percentile"))
def quantile(rows: Rows, /, *, q: Annotated[float, Between(0, 1)] = 0.5, field: ScoredField = None) -> Statistic:
    """Compute a quantile of the scores, by linear interpolation between the two nearest scores.

    Args:
        q: The quantile as a fraction: 0.5 is the median, 0 the lowest score, 1 the highest.

    Examples:
        >>> quantile(Rows.of_scores([0.0, 0.2, 1.0])).value()
        0.2

    Source:
        Hyndman, Fan: Sample Quantiles in Statistical Packages (1996), definition 7.
    """
    from scoring.statistics.quantiles import QuantileStatistic

    ids, scores, _, missing = scored(rows, field)
    return QuantileStatistic(((ids, scores[:, None]),), q, missing=missing)


@bounds(mean_score)
@bounds(weighted_mean_score)
@bounds(quantile)
def of_scores(scores: ScoreRange, **_: Any) -> ScoreRange:
    """Return the range of a figure that always lies within the range of the scores, whatever its settings."""
    return scores
