"""Primitives that round numbers, and that make numbers of booleans."""

from __future__ import annotations

from typing import Annotated, Any

from scoring.registry import Between, primitive


@primitive(topics=("numbers",), aka=("round to", "decimal places"))
def rounded(value: float, /, *, decimals: Annotated[float, Between(-20, 20)] = 0) -> float:
    """Round the number to a number of decimals; halves are rounded to the even digit, if exactly halves in binary.

    Args:
        decimals: The number of digits after the decimal point; a negative number rounds to tens, hundreds and so on.

    Examples:
        >>> rounded(2.675, decimals=2), rounded(0.5), rounded(1234, decimals=-2)
        (2.67, 0.0, 1200.0)

    Source:
        Python, library reference, `round`.
    """
    return round(float(value), int(decimals))


@primitive(topics=("numbers",), aka=("bool to int",))
def booleans_as_numbers(value: Any, /) -> Any:
    """Convert true to 1 and false to 0, also inside lists, sets and mappings; other values are unchanged.

    Examples:
        >>> booleans_as_numbers(True), booleans_as_numbers([False, {"a": True}]), booleans_as_numbers("true")
        (1, [0, {'a': 1}], 'true')
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict):
        return {booleans_as_numbers(key): booleans_as_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(map(booleans_as_numbers, value))
    return value
