"""Comparators of texts of which one may be a part of the other."""

from __future__ import annotations

from functools import cache
from typing import Any

from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

MOST_WORK = 10_000_000_000
"""The limit on the work of a pair: the squared length of the shorter text, for each character of both. It takes about
two seconds."""


@cache
def _ratio() -> Any:
    """Return rapidfuzz's function, cached, since even an import of a loaded module takes as long as comparing two
    words."""
    from rapidfuzz.fuzz import partial_ratio

    return partial_ratio


@primitive(
    laws=("symmetric", "identity", "bounded"),
    uses=("rapidfuzz",),
    topics=("answers", "text"),
    aka=("fuzz partial ratio", "substring similarity", "best partial match", "fuzzywuzzy"),
)
def partial_ratio(prediction: str, reference: str, /) -> Score:
    """Compare the shorter of two texts with each part of the longer one of at most its length, and take the best
    `indel` similarity.

    Parts are as long as the shorter text, or shorter at both ends of the longer one. If only one of the texts is empty,
    the score is 0. This is rapidfuzz's meaning. fuzzywuzzy's function of that name tries only the parts that difflib's
    blocks suggest, so it can miss the best one, and rounds to whole percent.

    Raises:
        Unscored: when both texts are so long that comparing all parts would take seconds.

    Examples:
        >>> partial_ratio("the answer is Paris.", "paris"), partial_ratio("Paris", "The Paris of the East")
        (0.8, 1.0)

    Source:
        rapidfuzz fuzz.partial_ratio, divided by 100.
    """
    if prediction == reference:
        return 1.0
    less, more = sorted((len(prediction), len(reference)))
    if not less:
        return 0.0
    if less * less * (less + more) > MOST_WORK:
        raise Unscored(f"texts of {less:,} and {more:,} characters have too many parts to be compared")
    ratio: float = _ratio()(prediction, reference) / 100
    return ratio
