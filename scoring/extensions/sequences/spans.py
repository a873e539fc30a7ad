"""Spans of two lists that overlap without one being part of the other."""

from __future__ import annotations

import math
from typing import Any

from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score, show_value

MOST_PAIRS = 4_000_000
"""The limit on pairs of spans that are compared."""


@primitive(
    better="lower",
    range=(0.0, math.inf),
    traits=("by_value",),
    topics=("labels", "lists"),
    aka=("crossing brackets", "overlapping constituents"),
)
def crossing_spans(prediction: list[Any], reference: list[Any], /) -> Score:
    """Count the predicted spans that cross one of the reference: they share a part, and each has a part of its own.

    A span is a list that ends with its first and last position, such as `["NP", 0, 2]` of `bracket_spans` or
    `tag_spans`; what stands before them does not count.

    Raises:
        Unscored: when an item is no span, or there are more than 4,000,000 pairs of spans.

    Examples:
        >>> crossing_spans([["NP", 0, 2], ["VP", 3, 4]], [["S", 0, 4], ["PP", 2, 3]])
        2.0

    Source:
        Black et al.: A procedure for quantitatively comparing the syntactic coverage of English grammars, 1991.
    """
    ours = [_ends(span, "prediction") for span in prediction]
    theirs = {_ends(span, "reference") for span in reference}
    if len(ours) * len(theirs) > MOST_PAIRS:
        raise Unscored(f"{len(ours):,} and {len(theirs):,} spans have more than {MOST_PAIRS:,} pairs")
    return float(sum(any(_cross(one, other) for other in theirs) for one in ours))


def _ends(span: Any, side: str) -> tuple[int, int]:
    ends = span[-2:] if isinstance(span, list) else ()
    if len(ends) != 2 or {type(end) for end in ends} != {int} or ends[0] > ends[1]:
        raise Unscored(f"the {side} holds {show_value(span)}, which is no span: a list that ends with two positions")
    return ends[0], ends[1]


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (first, last), (begin, end) = one, other
    return first < begin <= last < end or begin < first <= end < last
