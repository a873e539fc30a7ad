"""Rescorers that read a similarity as a distance."""

from __future__ import annotations

from typing import Annotated

from scoring.registry import Between, primitive
from scoring.values import Score

_ROUNDING = 1e-12


@primitive(laws=("monotone",))
def closer_than(score: Score, /, *, distance: Annotated[float, Between(0, 1)]) -> Score:
    """Keep a similarity whose distance (1 - similarity) is strictly less than a limit, else 0.

    Args:
        distance: A distance of this or more scores 0.

    Examples:
        >>> closer_than(0.5, distance=0.5), closer_than(0.6, distance=0.5)
        (0.0, 0.6)

    Source:
        Biten et al.: Scene Text Visual Question Answering, ICCV 2019, equation 1.
    """
    return score if 1.0 - score < distance - _ROUNDING else 0.0
