"""Aggregators of which few fields decide: the least, the greatest, and products, which one 0 makes 0."""

from __future__ import annotations

import math

from scoring.primitives.aggregate.joins import applicable_fields, need_no_negative
from scoring.ranges import ScoreRange, apply, as_range, hull
from scoring.registry import FieldScores, bounds, primitive
from scoring.result import Unscored
from scoring.values import Score


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
    return min(field.score for field in applicable_fields(fields))


@primitive(name="max", laws=("monotone",), traits=("unweighted",), topics=("scores",))
def maximum(fields: FieldScores, /) -> Score:
    """Return the largest field score.

    Raises:
        NotApplicable: when no field is left.

    Examples:
        >>> maximum(FieldScores.of([0.5, 0.25]))
        0.5
    """
    return max(field.score for field in applicable_fields(fields))


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
    found = math.prod(field.score for field in applicable_fields(fields))
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
    applicable_fields(fields)
    need_no_negative([field.weight for field in fields])
    total = math.fsum(field.weight for field in fields)
    if total == 0:
        raise Unscored("the weights of the applicable fields sum to 0")
    if any(field.score <= 0 and field.weight for field in fields):
        return 0.0
    return math.exp(math.fsum(field.weight * math.log(field.score) for field in fields if field.weight) / total)


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
