"""The similarity of a string with the single characters of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.registry import primitive, table
from scoring.values import Score


@primitive(topics=("answers", "text"))
def character_similarity(prediction: str, reference: str, /) -> Score:
    """Return the best similarity of the prediction with any single character of the reference.

    A prediction of n characters that shares one with the reference gets 2 / (n + 1), any other 0. Released code
    computes this where it passes a string instead of a list of references, and so iterates over its characters.

    Examples:
        >>> character_similarity("h", "harbour meadow")
        1.0
        >>> character_similarity("ru", "harbour meadow")
        0.6666666666666666

    Source:
        MMESGBench, anls_compute(gt, pred) in eval_score.py.
    """
    return 0.0 if frozenset(prediction).isdisjoint(reference) else 2.0 / (len(prediction) + 1)


@table(character_similarity)
def _(predictions: list[str], references: list[str], /) -> Any:
    found = np.zeros((len(predictions), len(references)))
    for row, text in zip(found, predictions, strict=True):
        characters = frozenset(text)
        row[[not characters.isdisjoint(one) for one in references]] = 2.0 / (len(text) + 1)
    return found
