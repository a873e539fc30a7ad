"""Comparators of whole values and of texts within texts."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from scoring.registry import batch, primitive, table, tells
from scoring.values import HOLDERS, Score, levels, numbered, of_classes, same_value


@primitive(
    laws=("symmetric", "bounded"),
    traits=("by_value",),
    revision=2,
    topics=("answers", "choices", "labels"),
    aka=("exact match", "em", "exact", "equals", "quasi-exact match", "string match"),
)
def equal(prediction: Any, reference: Any, /) -> Score:
    """1 for equal values, else 0. Numbers are equal by value, and nothing is equal to a text but that text.

    A boolean is no number: true is not 1, and false is not 0, inside lists, sets and mappings either. Where they are
    meant to be the same, `booleans_as_numbers` goes before.

    Examples:
        >>> equal("a", "a"), equal("A", "a"), equal("1", 1), equal(1, 1.0), equal([True], [1])
        (1.0, 0.0, 0.0, 1.0, 0.0)
    """
    if prediction != reference:
        return 0.0
    # What is equal to a text is that text.
    kind = type(prediction)
    return 1.0 if kind is str or kind is type(reference) in _FLAT or same_value(prediction, reference) else 0.0


_FLAT = frozenset((str, int, float, bool, type(None)))
_NO_BOOLEANS = HOLDERS | _FLAT - {bool}


@batch(equal)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    pairs = zip(predictions, references, strict=True)
    # Where a column has no boolean, Python's equality is this one, which else looks into each pair of equal values.
    is_flat = set(map(type, (*predictions[:1], *references[:1]))) <= _FLAT
    if not is_flat and _have_no_booleans(predictions) and _have_no_booleans(references):
        return [1.0 if one == other else 0.0 for one, other in pairs]
    return [
        1.0 if one == other and (type(one) is type(other) in _FLAT or same_value(one, other)) else 0.0
        for one, other in pairs
    ]


@tells(equal)
def _(prediction: Any, reference: Any) -> list[dict[str, Any]]:
    from scoring.primitives.structure.nested import told

    return told(prediction, reference)


def _have_no_booleans(values: list[Any]) -> bool:
    try:
        return all(
            kinds <= _NO_BOOLEANS
            and _NO_BOOLEANS.issuperset(map(type, chain.from_iterable(of_classes(level, kinds, {dict}))))
            for level, kinds in levels(values)
        )
    except RecursionError:  # each pair is then looked into
        return False


@table(equal)
def _(predictions: list[Any], references: list[Any]) -> Any:
    # Equal values have one number; a value that is not even equal to itself, such as NaN, has one for each place.
    own, theirs = map(np.array, numbered(map(_key, predictions), map(_key, references)))
    return (own[:, None] == theirs).astype(np.float64)


def _key(value: Any) -> Any:
    """Return what is equal for equal values only.

    Raises:
        TypeError: for values that hold others.
    """
    if isinstance(value, bool):
        return (value,)
    if isinstance(value, tuple | frozenset):
        raise TypeError("values that may hold booleans")
    return value if value == value else object()


@primitive(
    laws=("identity", "bounded"),
    topics=("answers",),
    aka=("includes", "icontains", "substring match", "substring", "in"),
)
def contains(prediction: str, reference: str, /) -> Score:
    """1 where the reference occurs within the prediction, else 0.

    Examples:
        >>> contains("The answer is Paris.", "Paris"), contains("Pari", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if reference in prediction else 0.0


@primitive(laws=("identity", "bounded"), topics=("answers",), aka=("begins with", "prefix"))
def starts_with(prediction: str, reference: str, /) -> Score:
    """1 where the prediction begins with the reference, else 0.

    Examples:
        >>> starts_with("Paris, France", "Paris"), starts_with("In Paris", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if prediction.startswith(reference) else 0.0


@primitive(laws=("identity", "bounded"), topics=("answers",), aka=("suffix", "match at end"))
def ends_with(prediction: str, reference: str, /) -> Score:
    """1 where the prediction ends with the reference, else 0.

    Examples:
        >>> ends_with("The answer is Paris", "Paris"), ends_with("Paris, France", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if prediction.endswith(reference) else 0.0


@primitive(laws=("symmetric", "bounded"), topics=("text",))
def both_text(prediction: Any, reference: Any, /) -> Score:
    """1 where both values are texts, else 0; for use as the test of `when`.

    Examples:
        >>> both_text("a", "b"), both_text(5, "5")
        (1.0, 0.0)
    """
    return 1.0 if isinstance(prediction, str) and isinstance(reference, str) else 0.0
