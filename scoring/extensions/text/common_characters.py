"""Similarities of the characters of short texts, other than by edits."""

from __future__ import annotations

from functools import cache
from typing import Any

from scoring.primitives.text.edit import check_size, in_columns, similarity_of
from scoring.registry import primitive, upper_bound
from scoring.result import Unscored
from scoring.values import Score


@primitive(
    laws=("symmetric", "identity", "bounded"),
    uses=("rapidfuzz",),
    topics=("answers", "text"),
    aka=("fuzz ratio", "rapidfuzz ratio", "fuzzy match", "lcs similarity"),
)
def indel(prediction: str, reference: str, /) -> Score:
    """Compare texts by insertions and deletions: twice the longest common subsequence over the sum of the lengths.

    A substitution costs two edits here and one in `levenshtein`, so their results differ; libraries often call this
    similarity "ratio".

    Raises:
        Unscored: when both texts are so long that aligning them would take seconds.

    Examples:
        >>> indel("ab", "ba"), round(indel("kitten", "sitting"), 3)
        (0.5, 0.615)

    Source:
        rapidfuzz fuzz.ratio, as used in MMESGBench, which divides it by 100.
    """
    check_size(prediction, reference)
    similarity: float = similarity_of("Indel")(prediction, reference)
    return similarity


in_columns(indel, "Indel")


MAX_LENGTH = 5_000
"""The limit on characters of unequal texts: the method takes at least quadratic time."""


@primitive(topics=("answers", "text"), aka=("sequencematcher", "difflib", "ratcliff-obershelp"))
def gestalt(prediction: str, reference: str, /) -> Score:
    """Compare texts by Ratcliff and Obershelp's method: the longest common block, then likewise left and right of it.

    The comparison is not symmetric. If the prediction has 200 characters or more, characters that make up more than a
    hundredth of it do not start a block, as in Python's difflib.

    Raises:
        Unscored: when a text is longer than 5,000 characters and the two differ.

    Examples:
        >>> gestalt("abcdx", "abcde")
        0.8

    Source:
        Ratcliff, Metzener: Pattern Matching: The Gestalt Approach, Dr. Dobb's Journal (1988); as used in MMESGBench
        for the items of lists.
    """
    if prediction == reference:
        return 1.0
    if max(len(prediction), len(reference)) > MAX_LENGTH:
        raise Unscored(f"a text has more than {MAX_LENGTH} characters")
    if len(prediction) < _POPULAR:
        return 2.0 * _matched(reference, prediction) / (len(reference) + len(prediction))
    from difflib import SequenceMatcher

    return SequenceMatcher(None, reference, prediction).ratio()


# From this length on, difflib ignores frequent characters.
_POPULAR = 200


def _matched(first: str, second: str) -> int:
    """Return how many characters of two texts match by Ratcliff and Obershelp's method.

    The longest common block is matched first, then likewise the parts to the left and right of it. Of several longest
    blocks it takes the one that begins earliest in the first text, then earliest in the second.

    Testing for a block that is one character longer is a single substring search in C, so a text of n characters needs
    about n searches.
    """
    total = 0
    waiting = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        last = len(one) - 1
        place = start = size = 0
        while place + size <= last:
            if one[place : place + size + 1] in other:
                start = place
                size += 1
            else:
                place += 1
        if not size:
            continue
        total += size
        at = other.index(one[start : start + size])
        end = start + size
        for left, right in ((one[:start], other[:at]), (one[end:], other[at + size :])):
            if len(left) > 1 and len(right) > 1:
                if not frozenset(left).isdisjoint(right):
                    waiting.append((left, right))
            elif left and right and (left in right or right in left):
                total += 1
    return total


@upper_bound(gestalt)
def _(prediction: str, reference: str) -> float:
    if prediction == reference or max(len(prediction), len(reference)) > MAX_LENGTH:
        return 1.0
    # The matched blocks form a common subsequence, so they are at most as long as the longest one.
    longest: int = _subsequence()(reference, prediction)
    return 2.0 * longest / (len(reference) + len(prediction))


@cache
def _subsequence() -> Any:
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity
