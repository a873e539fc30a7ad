"""MEGA-Bench as released: Damerau-Levenshtein similarity, of texts or of lists."""

from __future__ import annotations

from typing import Any

from rapidfuzz.distance import DamerauLevenshtein

from scoring.primitives.text.edit import check_size, similarities
from scoring.registry import batch, primitive
from scoring.values import Score


@primitive(uses=("rapidfuzz",))
def megabench_upstream_similarity(prediction: Any, reference: Any, /) -> Score:
    """Damerau-Levenshtein similarity of two texts, or of two lists item by item.

    Examples:
        >>> megabench_upstream_similarity("ab", "ba"), megabench_upstream_similarity(["x"], ["x", "y"])
        (0.5, 0.5)

    Source:
        MEGA-Bench, released code, normalized_similarity_damerau_levenshtein.
    """
    if type(prediction) is str is type(reference):
        check_size(prediction, reference)
        return DamerauLevenshtein.normalized_similarity(prediction, reference)
    if isinstance(reference, str) and not isinstance(prediction, str):
        return 0.0
    if hasattr(prediction, "__len__") and hasattr(reference, "__len__"):
        check_size(prediction, reference)
    return DamerauLevenshtein.normalized_similarity(prediction, reference)


@batch(megabench_upstream_similarity)
def _(predictions: list[Any], references: list[Any]) -> Any:
    if {*map(type, predictions), *map(type, references)} != {str}:
        raise TypeError("lists are compared one by one")
    return similarities("DamerauLevenshtein", predictions, references)
