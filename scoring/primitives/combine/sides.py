"""A transform for each side of a pair, and other values of the row in their place."""

from __future__ import annotations

from typing import Any

from scoring.registry import Transform, primitive


@primitive(traits=("sides",), topics=("scores",))
def sides(
    value: Any, /, *, prediction: Transform[Any, Any] | None = None, reference: Transform[Any, Any] | None = None
) -> Any:
    """Transform the prediction by one pipeline and the reference by another.

    A side without a pipeline stays as it is. Called as a function it stands on the prediction's side.

    Args:
        prediction: What is done to the prediction.
        reference: What is done to the reference.

    Examples:
        >>> sides("Yes", prediction=str.lower, reference=str.upper)
        'yes'
    """
    return value if prediction is None else prediction(value)


@primitive(traits=("replaces",), topics=("scores",))
def value_of(value: object, /, *, of: object) -> object:
    """Another value of the row in place of the one that flows: `sides(reference=value_of(context.answer))`.

    Args:
        of: The value, usually a path such as ``context.answer``.

    Examples:
        >>> value_of("x", of="y")
        'y'
    """
    return of
