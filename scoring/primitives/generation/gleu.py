"""GLEU: the smaller of n-gram precision and recall."""

from __future__ import annotations

from itertools import starmap
from typing import Annotated

from scoring.primitives.generation.grams import grams_of, shared
from scoring.registry import AtLeast, primitive
from scoring.values import Score


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
    pairs = [(grams_of(prediction, n), grams_of(reference, n)) for n in range(1, most + 1)]
    larger = max(sum(grams[0] for grams in side) for side in zip(*pairs, strict=True))
    return sum(starmap(shared, pairs)) / larger if larger else 0.0
