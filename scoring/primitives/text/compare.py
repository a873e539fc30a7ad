"""Comparators of whole values and of texts within texts."""

from __future__ import annotations

from typing import Any

from scoring.registry import batch, primitive, table
from scoring.values import Score, same_value


@primitive(laws=("symmetric", "bounded"), revision=2)
def equal(prediction: Any, reference: Any, /) -> Score:
    """1 for equal values, else 0. Numbers are equal by value, and nothing is equal to a text but that text.

    A boolean is no number: true is not 1, and false is not 0, inside lists, sets and mappings either. Where they are
    meant to be the same, `booleans_as_numbers` goes before.

    Examples:
        >>> equal("a", "a"), equal("A", "a"), equal("1", 1), equal(1, 1.0), equal([True], [1])
        (1.0, 0.0, 0.0, 1.0, 0.0)
    """
    # What is equal to a text is that text.
    return 1.0 if prediction == reference and (type(prediction) is str or same_value(prediction, reference)) else 0.0


_ONE_KIND = {str, int, float}


@batch(equal)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    return [
        1.0 if one == other and (type(one) is type(other) in _ONE_KIND or same_value(one, other)) else 0.0
        for one, other in zip(predictions, references, strict=True)
    ]


@table(equal)
def _(predictions: list[Any], references: list[Any]) -> Any:
    import numpy as np

    # Equal values have one number; a value that is not even equal to itself, such as NaN, has one for each place.
    numbers: dict[Any, int] = {}
    own, theirs = (
        np.array([numbers.setdefault(_key(one), len(numbers)) for one in side]) for side in (predictions, references)
    )
    return (own[:, None] == theirs).astype(np.float64)


def _key(value: Any) -> Any:
    """What is equal for equal values only.

    Raises:
        TypeError: for values that hold others.
    """
    if isinstance(value, bool):
        return (value,)
    if isinstance(value, tuple | frozenset):
        raise TypeError("values that may hold booleans")
    return value if value == value else object()


@primitive(laws=("identity", "bounded"))
def contains(prediction: str, reference: str, /) -> Score:
    """1 where the reference occurs within the prediction, else 0.

    Examples:
        >>> contains("The answer is Paris.", "Paris"), contains("Pari", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if reference in prediction else 0.0


@primitive(laws=("identity", "bounded"))
def starts_with(prediction: str, reference: str, /) -> Score:
    """1 where the prediction begins with the reference, else 0.

    Examples:
        >>> starts_with("Paris, France", "Paris"), starts_with("In Paris", "Paris")
        (1.0, 0.0)
    """
    return 1.0 if prediction.startswith(reference) else 0.0


@primitive(laws=("symmetric", "bounded"))
def both_text(prediction: Any, reference: Any, /) -> Score:
    """1 where both values are texts, else 0; for use as the test of `when`.

    Examples:
        >>> both_text("a", "b"), both_text(5, "5")
        (1.0, 0.0)
    """
    return 1.0 if isinstance(prediction, str) and isinstance(reference, str) else 0.0
