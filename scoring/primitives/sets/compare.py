"""Comparators of two sets. Items are equal as for `equal`: a boolean is no number."""

from __future__ import annotations

from typing import Annotated, Any

from scoring.registry import Between, primitive
from scoring.values import Score, same_value


def _shared(prediction: frozenset[Any], reference: frozenset[Any]) -> int:
    """How many items both hold; a boolean is no number, so true in the one is not 1 in the other."""
    common = prediction & reference
    # Python takes true for 1 and false for 0; items that hold others may hold them, too.
    has_either = 0 in common or 1 in common
    if not _HOLDERS.isdisjoint(map(type, common)) or (has_either and bool in map(type, (*prediction, *reference))):
        twins = {item: item for item in reference}
        return sum(1 for item in prediction if item in twins and same_value(item, twins[item]))
    return len(common)


_HOLDERS = {tuple, frozenset}


@primitive(
    laws=("symmetric", "identity", "bounded"),
    revision=2,
    topics=("lists",),
    aka=("jaccard index", "jaccard similarity"),
)
def jaccard(prediction: frozenset[Any], reference: frozenset[Any], /) -> Score:
    """The size of the intersection over the size of the union; two empty sets score 1.

    Examples:
        >>> jaccard(frozenset("ab"), frozenset("bc"))
        0.3333333333333333

    Source:
        Jaccard 1901; as used in MEGA-Bench metrics README, jaccard_index.
    """
    shared = _shared(prediction, reference)
    union = len(prediction) + len(reference) - shared
    return shared / union if union else 1.0


@primitive(laws=("bounded",), revision=2, topics=("lists",), aka=("set precision",))
def precision(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """The share of the predicted items that the reference holds; two empty sets score 1.

    Args:
        empty: The score of an empty prediction where the reference holds something.

    Examples:
        >>> precision(frozenset("ax"), frozenset("ab")), precision(frozenset(), frozenset("a"))
        (0.5, 0.0)

    Source:
        van Rijsbergen, Information Retrieval, 1979; as used in MEGA-Bench metrics README, set_precision.
    """
    if not prediction:
        return empty if reference else 1.0
    return _shared(prediction, reference) / len(prediction)


@primitive(laws=("bounded",), revision=2, topics=("lists",), aka=("set recall",))
def recall(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """The share of the reference's items that were predicted; two empty sets score 1.

    Args:
        empty: The score of a prediction that holds something where the reference is empty.

    Examples:
        >>> recall(frozenset("a"), frozenset("ab")), recall(frozenset("a"), frozenset())
        (0.5, 0.0)

    Source:
        van Rijsbergen, Information Retrieval, 1979.
    """
    if not reference:
        return empty if prediction else 1.0
    return _shared(prediction, reference) / len(reference)


@primitive(
    laws=("symmetric", "identity", "bounded"),
    revision=2,
    topics=("lists", "labels"),
    aka=("set f1", "dice", "sorensen dice"),
)
def f1(prediction: frozenset[Any], reference: frozenset[Any], /) -> Score:
    """The harmonic mean of precision and recall of two sets; two empty sets score 1.

    Examples:
        >>> f1(frozenset("ab"), frozenset("bc"))
        0.5

    Source:
        van Rijsbergen, Information Retrieval, 1979; equal to the coefficient of Dice 1945.
    """
    total = len(prediction) + len(reference)
    return 2 * _shared(prediction, reference) / total if total else 1.0
