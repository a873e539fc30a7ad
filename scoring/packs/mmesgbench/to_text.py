"""The similarity that MMESGBench's released code computes where it is meant to compare strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.registry import primitive, table
from scoring.values import Score


@primitive
def mmesgbench_upstream_character_similarity(prediction: str, reference: str, /) -> Score:
    """Return the best similarity of the prediction with any single character of the reference.

    The released code passes the reference where a list of references is expected, so its loop iterates over characters:
    a prediction of n characters that shares one with the reference gets 2 / (n + 1).

    Examples:
        >>> mmesgbench_upstream_character_similarity("h", "harbour meadow")
        1.0
        >>> mmesgbench_upstream_character_similarity("ru", "harbour meadow")
        0.6666666666666666

    Source:
        MMESGBench, anls_compute(gt, pred) in eval_score.py.
    """
    return 0.0 if frozenset(prediction).isdisjoint(reference) else 2.0 / (len(prediction) + 1)


@table(mmesgbench_upstream_character_similarity)
def _(predictions: list[str], references: list[str], /) -> Any:
    found = np.zeros((len(predictions), len(references)))
    for row, text in zip(found, predictions, strict=True):
        characters = frozenset(text)
        row[[not characters.isdisjoint(one) for one in references]] = 2.0 / (len(text) + 1)
    return found
