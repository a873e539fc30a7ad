"""Aggregators over the fields of one record. Fields that are not applicable are left out before they are called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from scoring.ranges import EVERYTHING, ScoreRange, apply, as_range, hull
from scoring.registry import FieldScores, batch, bounds, primitive
from scoring.result import NotApplicable, Unscored
from scoring.values import Score


@primitive(laws=("monotone",), topics=("scores",))
def mean(fields: FieldScores, /, *, over: Literal["all", "positive"] = "all") -> Score:
    """Average the scores of fields, or of the items of `each`, by their weights.

    Fields that are not applicable are left out and the other weights renormalised.

    Args:
        over: The weights whose sum is the divisor: all weights, none of which may then be negative, or only the
            positive ones, so that a score with a negative weight is a deduction.

    Raises:
        NotApplicable: when no field is left.
        Unscored: when the divisor is 0, or a weight is negative under ``over="all"``.

    Examples:
        >>> mean(FieldScores.of([1.0, 0.0], [3, 1]))
        0.75
        >>> mean(FieldScores.of([1.0, 0.0, 1.0], [6, 4, -3]), over="positive")
        0.3

    Source:
        As used in MEGA-Bench metrics README, Aggregation Functions, mean; HealthBench (Arora et al. 2025), Scoring, for
        over="positive".
    """
    weights = [field.weight for field in _need(fields)]
    if over == "positive":
        weights = [weight for weight in weights if weight > 0]
    else:
        _need_no_negative(weights)
    total = math.fsum(weights)
    if total == 0:
        of_what = "positive weights" if over == "positive" else "weights"
        raise Unscored(f"the {of_what} of the applicable fields sum to 0")
    # A field of weight 0 is left out whatever its score: 0 times an infinite score is not a number.
    return math.fsum(field.score * field.weight for field in fields if field.weight) / total


@batch(mean)
def _(columns: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    total = math.fsum(weights)
    if len(columns) == 1:
        return [score * weights[0] / total + 0.0 for score in columns[0]]
    weighted = [
        column if weight == 1 else [score * weight for score in column]
        for column, weight in zip(columns, weights, strict=True)
        if weight
    ]
    return [math.fsum(scores) / total + 0.0 for scores in zip(*weighted, strict=True)]


@primitive(name="sum", laws=("monotone",), topics=("scores",), aka=("points reached",))
def total(fields: FieldScores, /) -> Score:
    """Sum the scores of fields, or of the items of `each`, each multiplied by its weight: the points reached.

    Raises:
        NotApplicable: when no field is left.

    Examples:
        >>> total(FieldScores.of([1.0, 0.5, 1.0], [3, 2, -1]))
        3.0
    """
    return math.fsum(field.score * field.weight for field in _need(fields) if field.weight)


@bounds(total)
def _(fields: list[ScoreRange]) -> ScoreRange:
    return as_range(0.0) if all(one == as_range(0.0) for one in fields) else EVERYTHING


@primitive(name="min", laws=("monotone",), traits=("unweighted",), topics=("scores",))
def minimum(fields: FieldScores, /) -> Score:
    """Return the smallest field score.

    Raises:
        NotApplicable: when no field is left.

    Examples:
        >>> minimum(FieldScores.of([1.0, 0.25]))
        0.25

    Source:
        As used in MEGA-Bench metrics README, Aggregation Functions, min.
    """
    return min(field.score for field in _need(fields))


@primitive(name="max", laws=("monotone",), traits=("unweighted",), topics=("scores",))
def maximum(fields: FieldScores, /) -> Score:
    """Return the largest field score.

    Raises:
        NotApplicable: when no field is left.

    Examples:
        >>> maximum(FieldScores.of([0.5, 0.25]))
        0.5
    """
    return max(field.score for field in _need(fields))


@primitive(traits=("unweighted",), topics=("scores",))
def product(fields: FieldScores, /) -> Score:
    """Multiply the field scores: one field that scores 0 makes the whole 0.

    Raises:
        NotApplicable: when no field is left.
        Unscored: when one score is 0 and another infinite.

    Examples:
        >>> product(FieldScores.of([0.5, 0.5]))
        0.25
    """
    found = math.prod(field.score for field in _need(fields))
    if math.isnan(found):
        raise Unscored("the product of 0 and an infinite score is not a number")
    return found


@primitive(topics=("scores",))
def geometric_mean(fields: FieldScores, /) -> Score:
    """Compute the weighted geometric mean of the field scores; 0 where a field that has a weight scores 0 or less.

    Raises:
        NotApplicable: when no field is left.
        Unscored: when the weights sum to 0, or one is negative.

    Examples:
        >>> geometric_mean(FieldScores.of([1.0, 0.25]))
        0.5
    """
    _need(fields)
    _need_no_negative([field.weight for field in fields])
    total = math.fsum(field.weight for field in fields)
    if total == 0:
        raise Unscored("the weights of the applicable fields sum to 0")
    if any(field.score <= 0 and field.weight for field in fields):
        return 0.0
    return math.exp(math.fsum(field.weight * math.log(field.score) for field in fields if field.weight) / total)


# Bounds must hold for every subset of the fields, because any of them may be not applicable.


@bounds(mean)
def _(fields: list[ScoreRange], *, over: str | None = "all") -> ScoreRange:
    found = hull(fields)
    if over == "all":
        return found
    # Fields with negative weights can outweigh the others by any factor; if no score is ever below 0, they only lower
    # the result.
    return ScoreRange(-math.inf, found.high) if found.low >= 0 else EVERYTHING


@bounds(minimum)
@bounds(maximum)
def _(fields: list[ScoreRange]) -> ScoreRange:
    return hull(fields)


@bounds(product)
def _(fields: list[ScoreRange]) -> ScoreRange:
    first, *others = fields or [as_range(1.0)]
    found = first
    for field in others:
        found = found.hull(field, apply("*", found, field))
    return found


@bounds(geometric_mean)
def _(fields: list[ScoreRange]) -> ScoreRange:
    return hull(fields).within(0.0, math.inf)


def _need_no_negative(weights: list[float]) -> None:
    if min(weights) < 0:
        raise Unscored('a weight is negative: join with `mean(over="positive")` or `sum`')


def _need(fields: FieldScores) -> FieldScores:
    if not fields:
        raise NotApplicable("no field of this record is applicable")
    return fields
