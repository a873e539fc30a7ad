"""Combinators over lists and mappings."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from scoring.primitives.combine.assignment import best_rows, greedy_pairs, optimal_pairs
from scoring.registry import Between, Scorer, Transform, matrix, primitive
from scoring.values import Score

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")
B = TypeVar("B")


@primitive
def map_items(items: list[A], /, *, step: Transform[A, B]) -> list[B]:
    """Apply a pipeline to every item of a list.

    Args:
        step: What is applied to each item.

    Examples:
        >>> map_items(["A", "b"], step=str.lower)
        ['a', 'b']
    """
    return [step(item) for item in items]


@primitive
def map_values(mapping: dict[K, A], /, *, step: Transform[A, B]) -> dict[K, B]:
    """Apply a pipeline to every value of a mapping; keys stay.

    Args:
        step: What is applied to each value.

    Examples:
        >>> map_values({"x": "A"}, step=str.lower)
        {'x': 'a'}
    """
    return {key: step(value) for key, value in mapping.items()}


@primitive
def per_key(
    prediction: dict[K, V],
    reference: dict[K, V],
    /,
    *,
    scorer: Scorer[V],
    over: Literal["union", "reference", "prediction", "common"] = "union",
    missing: Literal["zero", "fill"] = "zero",
    fill: object = None,
    empty: Annotated[float, Between(0, 1)] = 1.0,
) -> Score:
    """The mean score of the values under each key.

    Args:
        scorer: Compares the two values of one key.
        over: Which keys count: of both sides together, of the reference, of the prediction, or only shared ones.
        missing: A key that one side lacks scores 0 (``zero``), or is compared as ``fill``.
        fill: The value that stands in for a missing one under ``missing="fill"``.
        empty: The score when no key counts.

    Examples:
        >>> per_key({"a": 1, "b": 2}, {"a": 1, "c": 3}, scorer=lambda p, r: float(p == r), over="reference")
        0.5

    Source:
        MEGA-Bench metrics README, Dictionary Comparisons: agg_recall is over="reference", agg_jaccard over="union".
    """
    keys = _keys(prediction, reference, over)
    if not keys:
        return empty
    scores = [
        scorer(prediction.get(key, fill), reference.get(key, fill))  # type: ignore[arg-type]  # fill is any value
        if missing == "fill" or (key in prediction and key in reference)
        else 0.0
        for key in keys
    ]
    return sum(scores) / len(keys)


def _keys(prediction: dict[K, V], reference: dict[K, V], over: str) -> list[K]:
    if over == "reference":
        return list(reference)
    if over == "prediction":
        return list(prediction)
    if over == "common":
        return [key for key in reference if key in prediction]
    return list(reference) + [key for key in prediction if key not in reference]


@primitive(uses=("scipy",))
def align(
    prediction: list[A],
    reference: list[A],
    /,
    *,
    scorer: Scorer[A],
    by: Literal["optimal", "best", "order", "greedy"] = "optimal",
    over: Literal["longer", "reference", "prediction"] = "longer",
    empty: Annotated[float, Between(0, 1)] = 1.0,
) -> Score:
    """Pair the items of two lists and average the scores of the pairs.

    Args:
        scorer: Compares two items.
        by: ``optimal`` is the assignment with the greatest sum (Hungarian method), ``greedy`` takes the best
            remaining pair first, ``order`` pairs by position, ``best`` gives every item of the side that counts
            its best partner, which others may share.
        over: Whose length divides the sum of the pairs' scores; unpaired items so count 0.
        empty: The score when the divisor is 0 because both lists are empty.

    Examples:
        >>> align(["b", "a"], ["a", "b", "c"], scorer=lambda p, r: float(p == r), over="prediction")
        1.0

    Source:
        MEGA-Bench metrics README, nbbox_iou_tuple: by="best", over="prediction".
    """
    sizes = {"prediction": len(prediction), "reference": len(reference)}
    divisor = sizes.get(over, max(sizes.values()))
    if divisor == 0:
        return empty if not prediction and not reference else 0.0
    if not prediction or not reference:
        return 0.0
    if by == "order":
        scores = [scorer(p, r) for p, r in zip(prediction, reference, strict=False)]
        return sum(scores) / divisor
    table = matrix(scorer, prediction, reference)
    if by == "best":
        return sum(best_rows(table, by_column=over == "reference")) / divisor
    pairs = optimal_pairs(table) if by == "optimal" else greedy_pairs(table)
    return sum(table[row][column] for row, column in pairs) / divisor
