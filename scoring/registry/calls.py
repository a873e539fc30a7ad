"""Calling pipelines from inside a combinator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def matrix(
    scorer: Callable[[Any, Any], float], predictions: Sequence[Any], references: Sequence[Any]
) -> list[list[float]]:
    """The scores of every prediction (rows) with every reference (columns); batched where the scorer can.

    Examples:
        >>> matrix(lambda p, r: float(p == r), ["a", "b"], ["b"])
        [[0.0], [1.0]]
    """
    batched = getattr(scorer, "matrix", None)
    if batched is not None:
        scores: list[list[float]] = batched(predictions, references)
        return scores
    return [[scorer(prediction, reference) for reference in references] for prediction in predictions]
