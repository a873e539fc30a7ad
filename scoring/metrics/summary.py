"""Data-set metrics of scores: means, shares, quantiles; of a suite each row is a task, weighted by its records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from scoring.outcomes import NOT_APPLICABLE, SCORED
from scoring.ranges import ScoreRange
from scoring.registry import Between, ComparedField, ComparedPath, OfScore, Says, bounds, primitive
from scoring.statistics.quantiles import QuantileStatistic
from scoring.statistics.rows import Kept, Rows
from scoring.statistics.statistic import Statistic, divide, of_sums

PredictionPath = Annotated[
    ComparedPath, Says("The JMESPath of the given answer; the parsed one that the task compares where none is named.")
]
ReferencePath = Annotated[
    ComparedPath, Says("The JMESPath of the right answer; what the task compares answers with where none is named.")
]
AnsweredField = Annotated[ComparedField, Says("The field whose compared values are meant, where the task has several.")]
NotCounted: TypeAlias = dict[str, int]
"""The number of records that do not count in a figure, by reason."""

ScoredField = Annotated[str | None, Says("The field whose scores count; the record's own score where none is named.")]


NO_SCORE = "no score"
TOO_LARGE = "a number is too large to count"


def scored(rows: Rows, field: str | None = None) -> tuple[Sequence[Any], Any, Any, NotCounted]:
    """Id, score and weight of every record that has a score, as arrays, and how many have none."""
    scores = rows.values(field)
    mask, missing = counting(rows, (np.isnan(scores), NO_SCORE))
    return *kept(mask, rows.ids, scores, np.asarray(rows.weights)), missing


def counting(rows: Rows, *faults: tuple[Any, str]) -> tuple[Any, NotCounted]:
    """Return which records count in a figure, and how many do not, by why.

    What is not applicable takes part in nothing, so nobody misses it.

    Args:
        rows: The records.
        faults: Of each reason which records have it, as a mask, and what it is; the first that a record has counts.

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
    """Return the ids and the arrays at the places that a mask keeps."""
    if mask.all():
        return ids, *columns
    return Kept(ids, mask), *(column[mask] for column in columns)


def number_of(value: Any) -> float:
    """Return the value where it is a number that a float can hold, else NaN."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def numbers(values: Iterable[Any]) -> Any:
    """Values as an array; NaN in place of one that is no number that a float can hold."""
    return np.array([number_of(value) for value in values], dtype=np.float64)


def texts_compared(
    rows: Rows, prediction: str | None, reference: str | None, field: str | None
) -> tuple[list[tuple[Any, str, list[str]]], NotCounted]:
    """Return id, given text and right texts of the records that have right ones, and the number of those without.

    An answer that is no text counts as an empty one.
    """
    sides = rows.predictions(prediction, field), rows.references(reference, field)
    found: list[tuple[Any, str, list[str]]] = []
    lacking = np.zeros(len(rows), dtype=bool)
    for place, (key, text, expected) in enumerate(zip(rows.ids, *sides, strict=True)):
        references = [one for one in (expected if isinstance(expected, list) else [expected]) if isinstance(one, str)]
        if references:
            found.append((key, text if isinstance(text, str) else "", references))
        lacking[place] = not references
    return found, counting(rows, (lacking, "no reference text"))[1]


def mean_of(
    ids: Sequence[Any], values: Any, weights: Any = None, *, missing: Mapping[str, int] | None = None
) -> Statistic:
    """Return the mean of some values, each with its weight (1 by default); ``missing`` says who does not count, by
    why."""
    below = np.ones(len(values)) if weights is None else weights
    return of_sums(divide, ids, np.stack([values * below, below]).T, width=2, missing=missing)


@primitive(name="mean", reads="scores", better="scores", topics=("scores",), aka=("average", "avg"))
def mean_score(rows: Rows, /, *, field: ScoredField = None) -> Statistic:
    """Average the scores of the records that have one; every record counts the same.

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
    """Count the share of records that pass, among those for which the spec's `pass` could be decided.

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
    """Count the share of scored records whose score reaches a threshold.

    Args:
        threshold: The least score that counts as correct.

    Examples:
        >>> accuracy(Rows.of_scores([1.0, 0.5, 0.25, None]), threshold=0.5).value()
        0.6666666666666666
    """
    ids, scores, _, missing = scored(rows, field)
    return mean_of(ids, scores >= threshold, missing=missing)


@primitive(reads="scores", better="higher", range=(0.0, 1.0), topics=("scores",), aka=("answer rate", "response rate"))
def coverage(rows: Rows, /) -> Statistic:
    """Count the share of records that have a score, among those that should (not applicable ones left out).

    Examples:
        >>> coverage(Rows.of_scores([1.0, 0.0, None, None])).value()
        0.5
    """
    codes = rows.codes
    return mean_of(*kept(codes != NOT_APPLICABLE, rows.ids, codes == SCORED))


@primitive(reads="scores", better="scores", topics=("scores",), aka=("median", "percentile"))
def quantile(rows: Rows, /, *, q: Annotated[float, Between(0, 1)] = 0.5, field: ScoredField = None) -> Statistic:
    """Read a quantile of the scores, by linear interpolation between the two nearest ones.

    Args:
        q: Which quantile: 0.5 is the median, 0 the least score, 1 the greatest.

    Examples:
        >>> quantile(Rows.of_scores([0.0, 0.2, 1.0])).value()
        0.2

    Source:
        Hyndman, Fan: Sample Quantiles in Statistical Packages (1996), definition 7.
    """
    ids, scores, _, missing = scored(rows, field)
    return QuantileStatistic(((ids, scores[:, None]),), q, missing=missing)


@primitive(
    reads="scores",
    better="scores",
    traits=("of_tasks",),
    topics=("scores",),
    aka=("mean over tasks", "average over subtasks"),
)
def macro(rows: Rows, /) -> Statistic:
    """Average the scores of the tasks of a suite; every task counts the same.

    Examples:
        >>> macro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.5
    """
    return mean_score(rows)


@primitive(reads="scores", better="scores", traits=("of_tasks",), topics=("scores",))
def micro(rows: Rows, /) -> Statistic:
    """Average over all records of a suite: every task counts as often as it has records.

    Examples:
        >>> micro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.75
    """
    return weighted_mean_score(rows)


@bounds(mean_score)
@bounds(weighted_mean_score)
@bounds(quantile)
@bounds(macro)
@bounds(micro)
def of_scores(scores: ScoreRange, **_: Any) -> ScoreRange:
    """Return the range of a figure that is within the range of scores."""
    return scores
