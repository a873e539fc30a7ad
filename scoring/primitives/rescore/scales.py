"""Rescorers that transform the scale of a score."""

from __future__ import annotations

import math
from typing import Annotated, Any

from scoring.ranges import ScoreRange, apply, as_range
from scoring.registry import AtLeast, batch, bounds, primitive
from scoring.registry.pairs import floats
from scoring.values import Score


@primitive(laws=("antitone",), topics=("scores",), aka=("one minus", "complement"))
def invert(score: Score, /) -> Score:
    """Return 1 minus the score.

    Examples:
        >>> invert(0.25)
        0.75
    """
    return 1.0 - score


@batch(invert)
def _(scores: Any) -> Any:
    return 1.0 - floats(scores)


@bounds(invert)
def _(score: ScoreRange) -> ScoreRange:
    return apply("-", as_range(1.0), score)


@primitive(laws=("monotone",), topics=("scores",), aka=("rescale", "normalize score", "multiply"))
def scale(score: Score, /, *, by: Annotated[float, AtLeast(0)] = 1.0, plus: float = 0.0) -> Score:
    """Multiply the score by a factor, add a constant, and clip the result to 0 to 1.

    Args:
        by: The factor.
        plus: The constant that is added after multiplying.

    Examples:
        >>> scale(0.5, by=3), scale(7, by=0.1)
        (1.0, 0.7000000000000001)
    """
    return min(1.0, max(0.0, score * by + plus))


@bounds(scale)
def _(score: ScoreRange, *, by: ScoreRange, plus: ScoreRange) -> ScoreRange:
    return apply("+", apply("*", score, by), plus).within(0.0, 1.0)


@primitive(laws=("antitone",), topics=("scores",), aka=("exponential decay",))
def exp_decay(score: Score, /, *, rate: Annotated[float, AtLeast(0)] = 1.0) -> Score:
    """Return exp(-rate · distance): 1 for a distance of 0, and less for greater distances.

    Args:
        rate: The speed at which the score falls.

    Examples:
        >>> exp_decay(0.0, rate=10)
        1.0

    Source:
        As used in MEGA-Bench released metrics, sequence_coords_similarity and geo_proximity_location_dict.
    """
    return math.exp(-rate * score)


@batch(exp_decay)
def _(scores: Any, *, rate: float = 1.0) -> Any:
    import numpy as np

    # NumPy's exponential rounds differently.
    return np.array(list(map(math.exp, (-rate * floats(scores)).tolist())))


@bounds(exp_decay)
def _(score: ScoreRange, *, rate: ScoreRange) -> ScoreRange:
    fall = apply("*", score, rate)
    return ScoreRange(_exp(-fall.high), _exp(-fall.low))


def _exp(power: float) -> float:
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf
