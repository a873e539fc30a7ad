"""GLEU: the smaller of n-gram precision and recall."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from scoring.registry import AtLeast, primitive
from scoring.values import Score


def _grams(tokens: list[Any], most: int) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(tokens[start : start + order]) for order in range(1, most + 1) for start in range(len(tokens) - order + 1)
    )


@primitive(laws=("symmetric", "bounded"))
def gleu(prediction: list[str], reference: list[str], /, *, most: Annotated[int, AtLeast(1)] = 4) -> Score:
    """Shared 1- to 4-grams over the larger of the two n-gram counts; two empty lists score 0.

    Args:
        most: The longest n-gram.

    Examples:
        >>> gleu(["a", "b"], ["a", "c"])
        0.3333333333333333

    Source:
        Wu et al. 2016, "Google's Neural Machine Translation System", section 5.2.
    """
    predicted, wanted = _grams(prediction, most), _grams(reference, most)
    larger = max(predicted.total(), wanted.total())
    return (predicted & wanted).total() / larger if larger else 0.0
