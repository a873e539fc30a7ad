"""Values of the row in place of the two sides."""

from __future__ import annotations

from scoring.registry import primitive


@primitive
def value_of(value: object, /, *, of: object) -> object:
    """Another value of the row in place of the one that flows: `sides(reference=value_of(context.answer))`.

    Args:
        of: The value, usually a path such as ``context.answer``.

    Examples:
        >>> value_of("x", of="y")
        'y'
    """
    return of
