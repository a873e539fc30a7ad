"""Comparators of two lists."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.values import Score, same_value


@primitive(laws=("bounded", "identity"), revision=2, topics=("lists",))
def common_prefix(prediction: list[Any], reference: list[Any], /) -> Score:
    """The length of the common prefix of two lists, over the length of the reference.

    What the prediction holds beyond it does not count. Two empty lists score 1; against an empty reference
    anything else scores 0. Items are equal as for `equal`: true is not 1.

    Examples:
        >>> common_prefix([1, 2, 9], [1, 2, 3, 4]), common_prefix([], [])
        (0.5, 1.0)

    Source:
        As used in MEGA-Bench metrics README, longest_common_list_prefix_ratio.
    """
    if not reference:
        return 0.0 if prediction else 1.0
    common = 0
    for item, wanted in zip(prediction, reference, strict=False):
        if not same_value(item, wanted):
            break
        common += 1
    return common / len(reference)


@primitive(laws=("symmetric", "identity", "bounded"), topics=("lists",))
def same_length(prediction: list[Any], reference: list[Any], /) -> Score:
    """1 where both lists have as many items, else 0.

    Examples:
        >>> same_length([1, 2], ["a", "b"]), same_length([], [1])
        (1.0, 0.0)
    """
    return 1.0 if len(prediction) == len(reference) else 0.0
