"""Aggregators over the fields of one record. Fields that are not applicable are left out before they are called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from scoring.ranges import EVERYTHING, ScoreRange, as_range, hull
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
    weights = [field.weight for field in applicable_fields(fields)]
    if over == "positive":
        weights = [weight for weight in weights if weight > 0]
    else:
        need_no_negative(weights)
    total = math.fsum(weights)
    if total == 0:
        of_what = "positive weights" if over == "positive" else "weights"
        raise Unscored(f"the {of_what} of the applicable fields sum to 0")
    # A field of weight 0 is left out whatever its score: 0 times an infinite score is not a number.
    return math.fsum(field.score * field.weight for field in fields if field.weight) / total


@batch(mean)
def _(columns: Sequence[Sequence[float]], weights: Sequence[float]) -> Any:
    import numpy as np

    total = math.fsum(weights)
    if len(columns) == 1 and total:
        with np.errstate(all="ignore"):
            return np.asarray(columns[0]) * weights[0] / total + 0.0
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
    return math.fsum(field.score * field.weight for field in applicable_fields(fields) if field.weight)


@bounds(total)
def _(fields: list[ScoreRange]) -> ScoreRange:
    return as_range(0.0) if all(one == as_range(0.0) for one in fields) else EVERYTHING


# Bounds must hold for every subset of the fields, because any of them may be not applicable.


@bounds(mean)
def _(fields: list[ScoreRange], *, over: str | None = "all") -> ScoreRange:
    found = hull(fields)
    if over == "all":
        return found
    # Fields with negative weights can outweigh the others by any factor; if no score is ever below 0, they only lower
    # the result.
    return ScoreRange(-math.inf, found.high) if found.low >= 0 else EVERYTHING


def need_no_negative(weights: list[float]) -> None:
    """Raise Unscored if a weight is negative."""
    if min(weights) < 0:
        raise Unscored('a weight is negative: join with `mean(over="positive")` or `sum`')


def applicable_fields(fields: FieldScores) -> FieldScores:
    """Return the fields, of which there must be one."""
    if not fields:
        raise NotApplicable("no field of this record is applicable")
    return fields
