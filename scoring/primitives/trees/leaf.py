"""The leaf scorer that trees have by default: plain texts, Levenshtein similarity, at least one half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.primitives.text.edit import check_size


class TextLeaf:
    """Compares two leaves as text: lower case, single spaces; a similarity below the threshold is 0.

    Examples:
        >>> TextLeaf(0.5)("New  York", "new yorc"), TextLeaf(0.5)(1, 1.0)
        (0.875, 0.0)
    """

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, prediction: Any, reference: Any, /) -> float:
        """The score of one pair."""
        from rapidfuzz.distance import Levenshtein

        left, right = plain_text(prediction), plain_text(reference)
        check_size(left, right)
        similarity = Levenshtein.normalized_similarity(left, right)
        return similarity if similarity >= self.threshold else 0.0

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
        """The scores of all pairs, a row for each prediction."""
        import numpy as np
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        left, right = [plain_text(value) for value in predictions], [plain_text(value) for value in references]
        check_size(max(left, key=len, default=""), max(right, key=len, default=""))
        similarity = cdist(left, right, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
        similarity[similarity < self.threshold] = 0.0
        return similarity


def plain_text(value: Any) -> str:
    """A leaf as plain text: lower case, single spaces.

    Examples:
        >>> plain_text(" New\\n York "), plain_text(True)
        ('new york', 'true')
    """
    return " ".join(str(value).lower().split())


DEFAULT_LEAF = TextLeaf(0.5)
