"""MEGA-Bench as released: Damerau-Levenshtein similarity, of texts or of lists."""

from __future__ import annotations

from typing import Any

from rapidfuzz.distance import DamerauLevenshtein

from scoring.primitives.text.edit import check_size
from scoring.registry import batch, primitive
from scoring.values import Score

_ALIGNED_UNCHECKED = 10_000


@primitive(uses=("rapidfuzz",))
def megabench_upstream_similarity(prediction: Any, reference: Any, /) -> Score:
    """Damerau-Levenshtein similarity of two texts, or of two lists item by item.

    Examples:
        >>> megabench_upstream_similarity("ab", "ba"), megabench_upstream_similarity(["x"], ["x", "y"])
        (0.5, 0.5)

    Source:
        MEGA-Bench, released code, normalized_similarity_damerau_levenshtein.
    """
    if isinstance(reference, str) and not isinstance(prediction, str):
        return 0.0
    if hasattr(prediction, "__len__") and hasattr(reference, "__len__"):
        check_size(prediction, reference)
    return DamerauLevenshtein.normalized_similarity(prediction, reference)


@batch(megabench_upstream_similarity)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    import numpy
    from rapidfuzz.process import cpdist

    kinds = {*map(type, predictions), *map(type, references)}
    longest = max(map(len, references), default=0) if kinds == {str} else _ALIGNED_UNCHECKED
    if longest >= _ALIGNED_UNCHECKED or max(map(len, predictions), default=0) >= _ALIGNED_UNCHECKED:
        return list(map(megabench_upstream_similarity, predictions, references))
    scorer: Any = DamerauLevenshtein.normalized_similarity
    scores: list[float] = cpdist(predictions, references, scorer=scorer, dtype=numpy.float64).tolist()
    return scores
