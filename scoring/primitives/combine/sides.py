"""Primitives that transform each side of a pair separately, or replace a side by another value of the row."""

from __future__ import annotations

from typing import Any

from scoring.registry import Transform, primitive
from scoring.values import Score


@primitive(traits=("sides",), topics=("scores",))
def sides(
    value: Any, /, *, prediction: Transform[Any, Any] | None = None, reference: Transform[Any, Any] | None = None
) -> Any:
    """Transform the prediction by one pipeline and the reference by another.

    A side without a pipeline is unchanged. Called as a Python function, it transforms its argument as a prediction.

    Args:
        prediction: The pipeline for the prediction.
        reference: The pipeline for the reference.

    Examples:
        >>> sides("Yes", prediction=str.lower, reference=str.upper)
        'yes'
    """
    return value if prediction is None else prediction(value)


@primitive(traits=("replaces",), topics=("scores",))
def value_of(value: object, /, *, of: object) -> object:
    """Replace the value of the pipeline by another value of the row: `sides(reference=value_of(context.answer))`.

    Args:
        of: The new value, usually a path such as ``context.answer``.

    Examples:
        >>> value_of("x", of="y")
        'y'
    """
    return of


@primitive(traits=("response_alone",), topics=("scores",), aka=("truth value",))
def is_true(prediction: object, reference: object, /, *, condition: bool) -> Score:
    """Return 1 if a value of the record is true, else 0; the pair is not looked at.

    A scorer that is an argument may be the condition itself: `when(test=record.length > 3, …)`.

    Args:
        condition: The value, such as ``record.answerable`` or ``record.level in ["hard", "expert"]``.

    Examples:
        >>> is_true("a", "b", condition=True)
        1.0
    """
    return float(condition)
