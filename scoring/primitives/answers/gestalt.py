"""Gestalt pattern matching of texts."""

from __future__ import annotations

from difflib import SequenceMatcher

from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

MAX_LENGTH = 5_000
"""The method is quadratic at best: longer texts are refused unless a quick bound decides."""


@primitive
def gestalt(prediction: str, reference: str, /) -> Score:
    """Compare texts by Ratcliff and Obershelp's method: the longest common block, then the same on both its sides.

    Not symmetric. From 200 characters of the prediction on, characters that make up more than a hundredth of it do
    not start a block, as in Python's difflib.

    Raises:
        Unscored: when a text is longer than 5,000 characters.

    Examples:
        >>> gestalt("abcdx", "abcde")
        0.8

    Source:
        Ratcliff, Metzener: Pattern Matching: The Gestalt Approach, Dr. Dobb's Journal (1988); MMESGBench list items.
    """
    if prediction == reference:
        return 1.0
    if max(len(prediction), len(reference)) > MAX_LENGTH:
        raise Unscored(f"a text has more than {MAX_LENGTH} characters")
    return SequenceMatcher(None, reference, prediction).ratio()
