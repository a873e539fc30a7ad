"""How long a text may be."""

from __future__ import annotations

import re
from typing import Annotated

from scoring.registry import AtLeast, primitive
from scoring.result import Unscored
from scoring.values import Score

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@primitive
def has_length(
    prediction: str,
    reference: object,
    /,
    *,
    least: Annotated[int, AtLeast(0)] | None = None,
    most: Annotated[int, AtLeast(0)] | None = None,
) -> Score:
    """1 when the number of words lies within the bounds, else 0; ``well-known`` and ``don't`` are one word each.

    Args:
        least: The smallest number of words, inclusive.
        most: The largest number of words, inclusive.

    Examples:
        >>> has_length("one two three", None, least=3, most=3), has_length("one two", None, least=3)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, length.
    """
    if least is None and most is None:
        raise Unscored("a length needs `least` or `most`")
    size = sum(1 for _ in _WORD.finditer(prediction))
    return float((least is None or size >= least) and (most is None or size <= most))
