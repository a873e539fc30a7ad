"""Comparators of two bags: lists whose order does not count, but how often each item stands in them does."""

from __future__ import annotations

import math
from collections import Counter
from typing import Annotated, Any

from scoring.registry import Between, primitive
from scoring.values import Score, key_of


def _shared(prediction: list[Any], reference: list[Any]) -> int:
    return sum((Counter(map(key_of, prediction)) & Counter(map(key_of, reference))).values())


@primitive(
    laws=("symmetric",), range=(0.0, math.inf), topics=("lists", "extraction"), aka=("true positives", "overlap")
)
def shared_items(prediction: list[Any], reference: list[Any], /) -> Score:
    """How many items two lists share, each as often as it stands in both: what sums over a data set are made of.

    Examples:
        >>> shared_items(["a", "a", "b"], ["a", "b", "c"])
        2
    """
    return _shared(prediction, reference)


@primitive(laws=("bounded", "identity"), topics=("answers", "lists"), aka=("token precision",))
def bag_precision(
    prediction: list[Any], reference: list[Any], /, *, empty: Annotated[float, Between(0, 1)] = 1.0
) -> Score:
    """The share of the predicted items that the reference holds, each as often as there.

    Args:
        empty: The score of two empty lists.

    Examples:
        >>> bag_precision(["a", "a", "b"], ["a", "b", "c"]), bag_precision([], ["a"])
        (0.6666666666666666, 0.0)
    """
    if not prediction:
        return 0.0 if reference else empty
    return _shared(prediction, reference) / len(prediction)


@primitive(laws=("bounded", "identity"), topics=("answers", "lists"), aka=("token recall",))
def bag_recall(
    prediction: list[Any], reference: list[Any], /, *, empty: Annotated[float, Between(0, 1)] = 1.0
) -> Score:
    """The share of the reference's items that were predicted, each as often as there.

    Args:
        empty: The score of two empty lists.

    Examples:
        >>> bag_recall(["a", "a", "b"], ["a", "b", "c", "d"]), bag_recall(["a"], [])
        (0.5, 0.0)
    """
    if not reference:
        return 0.0 if prediction else empty
    return _shared(prediction, reference) / len(reference)


@primitive(
    laws=("bounded", "identity", "symmetric"),
    topics=("answers", "lists"),
    aka=("token f1", "f1 score", "word f1", "squad f1", "bag of words f1"),
)
def bag_f1(prediction: list[Any], reference: list[Any], /, *, empty: Annotated[float, Between(0, 1)] = 1.0) -> Score:
    """The harmonic mean of precision and recall of two bags, as in the token F1 of short answers.

    Where one list alone is empty, or nothing is shared, the score is 0.

    Args:
        empty: The score of two empty lists: 1, or 0 as in the evaluation of SQuAD 1.1.

    Examples:
        >>> bag_f1("the cat sat".split(), "the cat".split())
        0.8

    Source:
        Rajpurkar et al., SQuAD, 2016, evaluation script, f1_score.
    """
    if not prediction and not reference:
        return empty
    shared = _shared(prediction, reference)
    if not shared:
        return 0.0
    precision, recall = shared / len(prediction), shared / len(reference)
    return 2 * precision * recall / (precision + recall)
