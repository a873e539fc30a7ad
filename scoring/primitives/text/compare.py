"""Comparators of whole values, and of a text with parts of another."""

from __future__ import annotations

from itertools import chain
from typing import Any

from scoring.registry import batch, primitive, table
from scoring.values import HOLDERS, Score, levels, numbered, of_classes, same_value


@primitive(
    laws=("symmetric", "bounded"),
    traits=("by_value",),
    revision=2,
    topics=("answers", "choices", "labels"),
    aka=("exact match", "em", "exact", "equals", "quasi-exact match", "string match"),
)
def equal(prediction: Any, reference: Any, /) -> Score:
    """Return 1 for equal values, else 0; numbers are equal by value, and a string only equals the same string.

    A boolean is not a number: true is not 1, and false is not 0, also inside lists, sets and mappings. If they should
    be equal, apply `booleans_as_numbers` first.

    Examples:
        >>> equal("a", "a"), equal("A", "a"), equal("1", 1), equal(1, 1.0), equal([True], [1])
        (1.0, 0.0, 0.0, 1.0, 0.0)
    """
    if prediction != reference:
        return 0.0
    # Only strings are equal to strings, so no further check is needed.
    kind = type(prediction)
    return 1.0 if kind is str or kind is type(reference) in _FLAT or same_value(prediction, reference) else 0.0


_FLAT = frozenset((str, int, float, bool, type(None)))
_NO_BOOLEANS = HOLDERS | _FLAT - {bool}


@batch(equal)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    pairs = zip(predictions, references, strict=True)
    # If neither column has booleans, Python's equality suffices; otherwise each pair of equal values is inspected.
    is_flat = set(map(type, (*predictions[:1], *references[:1]))) <= _FLAT
    if not is_flat and _have_no_booleans(predictions) and _have_no_booleans(references):
        return [1.0 if one == other else 0.0 for one, other in pairs]
    return [
        1.0 if one == other and (type(one) is type(other) in _FLAT or same_value(one, other)) else 0.0
        for one, other in pairs
    ]


def _have_no_booleans(values: list[Any]) -> bool:
    try:
        return all(
            kinds <= _NO_BOOLEANS
            and _NO_BOOLEANS.issuperset(map(type, chain.from_iterable(of_classes(level, kinds, {dict}))))
            for level, kinds in levels(values)
        )
    except RecursionError:  # each pair is then inspected
        return False


@table(equal)
def _(predictions: list[Any], references: list[Any]) -> Any:
    import numpy as np

    # Equal values get the same number; a value that is not equal to itself, such as NaN, gets a new one each time.
    own, theirs = map(np.array, numbered(map(_key, predictions), map(_key, references)))
    return (own[:, None] == theirs).astype(np.float64)


def _key(value: Any) -> Any:
    """Return a key of a value; two keys are equal if `equal` gives their values 1, and only then.

    Raises:
        TypeError: for values that are containers.
    """
    if isinstance(value, bool):
        return (value,)
    if isinstance(value, tuple | frozenset):
        raise TypeError("values that may hold booleans")
    return value if value == value else object()


@primitive(laws=("identity", "bounded"), topics=("answers",), aka=("includes", "icontains", "substring match", "in"))
def contains(prediction: str, reference: str, /) -> Score:
    """Return 1 if the reference occurs within the prediction, else 0.

    Examples:
        >>> contains("The answer is Paris.", "Paris"), contains("Pari", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if reference in prediction else 0.0


@primitive(laws=("identity", "bounded"), topics=("answers",), aka=("begins with", "prefix"))
def starts_with(prediction: str, reference: str, /) -> Score:
    """Return 1 if the prediction begins with the reference, else 0.

    Examples:
        >>> starts_with("Paris, France", "Paris"), starts_with("In Paris", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if prediction.startswith(reference) else 0.0


@primitive(laws=("identity", "bounded"), topics=("answers",), aka=("suffix", "match at end"))
def ends_with(prediction: str, reference: str, /) -> Score:
    """Return 1 if the prediction ends with the reference, else 0.

    Examples:
        >>> ends_with("The answer is Paris", "Paris"), ends_with("Paris, France", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if prediction.endswith(reference) else 0.0
