"""Primitives that transform each side of a pair separately, or replace a side by another value of the row."""

from __future__ import annotations

from typing import Any

from scoring.registry import Transform, primitive


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
