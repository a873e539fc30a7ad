"""The steps of ANLS as it was published: case that may count, and a threshold of distances, not of similarities."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from scoring.ranges import ScoreRange
from scoring.registry import Between, batch, bounds, primitive
from scoring.registry.pairs import floats
from scoring.values import Score


@primitive
def fold_case(text: str, /, *, sensitive: bool = False) -> str:
    """Convert text to lower case, unless case matters.

    Args:
        sensitive: Whether case matters; the text is then returned unchanged.

    Examples:
        >>> fold_case("St. Louis"), fold_case("St. Louis", sensitive=True)
        ('st. louis', 'St. Louis')
    """
    return text if sensitive else text.lower()


@primitive(laws=("monotone",))
def closer_than(
    score: Score, /, *, distance: Annotated[float, Between(0, 1)], rounding: Annotated[float, Between(0, 1e-6)] = 1e-12
) -> Score:
    """Return a similarity unchanged if its distance (1 - similarity) is strictly less than a limit, else 0.

    A distance equal to the limit scores 0, even if binary rounding makes it slightly less: a similarity of 0.9 has the
    distance 0.1, although 1 - 0.9 is computed as less than 0.1.

    Args:
        distance: A distance of this or more scores 0.
        rounding: A tolerance for rounding errors: the distance must be less than the limit by at least this much.

    Examples:
        >>> closer_than(0.5, distance=0.5), closer_than(0.6, distance=0.5)
        (0.0, 0.6)

    Source:
        Biten et al.: Scene Text Visual Question Answering (ST-VQA), ICCV 2019, equation 1.
    """
    return score if 1.0 - score < distance - rounding else 0.0


@batch(closer_than)
def _(scores: Any, *, distance: float, rounding: float = 1e-12) -> Any:
    array = floats(scores)
    return np.where(1.0 - array < distance - rounding, array, 0.0)


@bounds(closer_than)
def _(score: ScoreRange, **_: Any) -> ScoreRange:
    return score.hull(0.0)
