"""What two items have in common where they are equal as for `equal`: a boolean is no number."""

from __future__ import annotations

from typing import Any


def key_of(value: Any) -> Any:
    """A hashable value, the same for equal items alone: true is not 1, inside lists, sets and mappings either.

    Examples:
        >>> key_of([1, "a"]) == key_of([1.0, "a"]), key_of([True]) == key_of([1])
        (True, False)
    """
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list | tuple):
        return (list, tuple(map(key_of, value)))
    if isinstance(value, dict):
        return (dict, frozenset((key_of(key), key_of(one)) for key, one in value.items()))
    if isinstance(value, set | frozenset):
        return (set, frozenset(map(key_of, value)))
    return value
