"""Combinators over lists and mappings."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from scoring.primitives.combine.item_pairs import (
    ItemPairs,
    KeyPairs,
    aligned,
    mean_over,
    selected_keys,
    too_long_reason,
)
from scoring.primitives.combine.tables import sum_in_order
from scoring.ranges import ScoreRange
from scoring.registry import Scorer, batch, bounds, matrix, primitive
from scoring.result import Unscored
from scoring.values import Score

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


@primitive(topics=("mappings", "extraction"), aka=("field by field", "dict score", "key value match"))
def per_key(
    prediction: dict[K, V],
    reference: dict[K, V],
    /,
    *,
    scorer: Scorer[V],
    over: Literal["union", "reference", "prediction", "common"] = "union",
    missing: Literal["zero", "fill"] = "zero",
    fill: object = None,
    empty: float = 1.0,
) -> Score:
    """Average the scores of two mappings' values, compared key by key.

    Args:
        scorer: Compares the two values of one key.
        over: The keys that count: those of either side, of the reference, of the prediction, or only the shared ones.
        missing: A key that one side lacks scores 0 (``zero``), or ``fill`` is compared in place of its value.
        fill: The value that replaces a missing one under ``missing="fill"``.
        empty: The score when no key counts.

    Examples:
        >>> per_key({"a": 1, "b": 2}, {"a": 1, "c": 3}, scorer=lambda p, r: float(p == r), over="reference")
        0.5

    Source:
        As used in MEGA-Bench metrics README, Dictionary Comparisons: agg_recall is over="reference",
        agg_jaccard over="union".
    """
    keys = selected_keys(prediction, reference, over)
    if not keys:
        return empty
    scores = [
        scorer(prediction.get(key, fill), reference.get(key, fill))  # type: ignore[arg-type]  # fill is any value
        if missing == "fill" or (key in prediction and key in reference)
        else 0.0
        for key in keys
    ]
    return sum_in_order(scores) / len(keys)


batch(per_key)(KeyPairs)


@bounds(per_key)
def _(*, scorer: ScoreRange, empty: ScoreRange, missing: str | None, **_: Any) -> ScoreRange:
    found = scorer.hull(empty)
    return found if missing == "fill" else found.hull(0.0)


@primitive(
    uses=("numpy", "scipy"),
    topics=("lists", "extraction"),
    aka=("hungarian matching", "bipartite matching", "optimal assignment", "linear sum assignment"),
)
def align(
    prediction: list[A],
    reference: list[A],
    /,
    *,
    scorer: Scorer[A],
    by: Literal["optimal", "best", "order", "greedy"] = "optimal",
    over: Literal["longer", "reference", "prediction"] = "longer",
    empty: float = 1.0,
) -> Score:
    """Pair the items of two lists and average the scores of the pairs.

    Args:
        scorer: Compares two items.
        by: ``optimal`` is the assignment with the greatest sum (Hungarian method), ``greedy`` takes the best
            remaining pair first, ``order`` pairs by position, ``best`` gives every item of the list named by ``over``
            (of the prediction, if ``longer``) its best partner, which other items may share.
        over: The list whose length divides the sum of the pairs' scores, so that unpaired items count 0.
        empty: The score when both lists are empty, so that the divisor is 0.

    Raises:
        Unscored: when there are more to compare than a million pairs of items, 4 million pairs of values within the
            items, or 400 million pairs of characters of their strings. Under ``order`` there is no such limit.

    Examples:
        >>> align(["b", "a"], ["a", "b", "c"], scorer=lambda p, r: float(p == r), over="prediction")
        1.0

    Source:
        As used in MEGA-Bench metrics README, nbbox_iou_tuple: by="best", over="prediction".
    """
    height, width = len(prediction), len(reference)
    if not height or not width:
        return empty if height == width else 0.0
    if by == "order":
        return mean_over([scorer(p, r) for p, r in zip(prediction, reference, strict=False)], height, width, over)
    why = too_long_reason(prediction, reference, by)
    if why is not None:
        raise Unscored(why)
    return aligned(matrix(scorer, prediction, reference), by, over)


batch(align)(ItemPairs)


@bounds(align)
def _(*, scorer: ScoreRange, empty: ScoreRange, **_: Any) -> ScoreRange:
    return scorer.hull(empty, 0.0)
