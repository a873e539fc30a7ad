"""The text in lower case that MEGA-Bench compares in place of a value of any kind."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive


@primitive(laws=("idempotent",))
def as_lower_text(value: Any, /) -> Any:
    """Convert every string, number and boolean in a value, at any depth, to lower-case text; keys are unchanged.

    Examples:
        >>> as_lower_text(["A", ("B", 1.0), True])
        ['a', ('b', '1'), 'true']
    """
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))  # 3.0 and 3 are the same answer
    if isinstance(value, (int, float)):
        return repr(value).lower()
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(as_lower_text(item) for item in value)
    if isinstance(value, dict):
        return {key: as_lower_text(item) for key, item in value.items()}
    return value
