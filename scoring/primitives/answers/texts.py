"""Texts of short answers: writing a value as text, case on demand, and similarities of characters."""

from __future__ import annotations

from typing import Any

from scoring.registry import batch, primitive
from scoring.result import Unscored
from scoring.values import Score

MAX_CELLS = 400_000_000


@primitive
def to_text(value: object, /) -> str:
    """Write a text, number or boolean as text, the way Python prints it; `1` and `1.0` so differ.

    Raises:
        Unscored: for any other value.

    Examples:
        >>> to_text("a"), to_text(1.0), to_text(True)
        ('a', '1.0', 'True')

    Source:
        ANLS* (Peer et al., arXiv:2402.03848), released code: every leaf is compared as text.
    """
    if type(value) is str:
        return value
    if not isinstance(value, (str, int, float)):
        raise Unscored(f"a {type(value).__name__} has no short text")
    return str(value)


@batch(to_text)
def _(values: list[Any]) -> list[str]:
    return values if set(map(type, values)) == {str} else list(map(to_text, values))


@primitive
def fold_case(text: str, /, *, sensitive: bool = False) -> str:
    """Write a text in lower case, unless case matters.

    Args:
        sensitive: Whether case matters; the text then stays as it is.

    Examples:
        >>> fold_case("St. Louis"), fold_case("St. Louis", sensitive=True)
        ('st. louis', 'St. Louis')
    """
    return text if sensitive else text.lower()


@primitive(laws=("symmetric", "identity", "bounded"), uses=("rapidfuzz",))
def indel(prediction: str, reference: str, /) -> Score:
    """Compare texts by insertions and deletions: twice the longest common subsequence over the sum of the lengths.

    A substitution costs two edits here and one in `levenshtein`, so the two disagree; libraries call this one a ratio.

    Raises:
        Unscored: when both texts are so long that aligning them would take seconds.

    Examples:
        >>> indel("ab", "ba"), round(indel("kitten", "sitting"), 3)
        (0.5, 0.615)

    Source:
        rapidfuzz fuzz.ratio, which MMESGBench divides by 100.
    """
    from rapidfuzz.distance import Indel

    _check(prediction, reference)
    return Indel.normalized_similarity(prediction, reference)


@batch(indel)
def _(predictions: list[str], references: list[str]) -> list[float]:
    import numpy as np
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cpdist

    for prediction, reference in zip(predictions, references, strict=True):
        _check(prediction, reference)
    scores: Any = cpdist(predictions, references, scorer=Indel.normalized_similarity, dtype=np.float64)
    found: list[float] = scores.tolist()
    return found


def _check(prediction: str, reference: str) -> None:
    if len(prediction) * len(reference) > MAX_CELLS:
        raise Unscored(f"texts of {len(prediction)} and {len(reference)} characters are too long to be aligned")
