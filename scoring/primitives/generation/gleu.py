"""GLEU: the smaller of n-gram precision and recall."""

from __future__ import annotations

from typing import Annotated

from scoring.primitives.generation.shared_grams import shared_grams
from scoring.registry import AtLeast, primitive
from scoring.values import Score


@primitive(laws=("symmetric", "bounded"), uses=("numpy", "rapidfuzz"), topics=("writing",), aka=("google bleu",))
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
    size = max(len(prediction), len(reference))
    larger = sum(size - place for place in range(min(most, size)))
    return sum(shared_grams(prediction, [reference], min(most, size))) / larger if larger else 0.0
