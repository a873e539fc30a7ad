"""Transforms into a mapping, and checks that there is one."""

from __future__ import annotations

from typing import Any, TypeVar

from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_type

T = TypeVar("T")


@primitive
def under_key(value: T, /, *, key: str) -> dict[str, T]:
    """A mapping with the value as its only entry.

    Args:
        key: The entry's name.

    Examples:
        >>> under_key("B", key="answer")
        {'answer': 'B'}
    """
    return {key: value}


@primitive
def nonempty_mapping(value: Any, /) -> dict[Any, Any]:
    """The value itself if it is a mapping with at least one entry.

    Raises:
        Unparsed: when it is anything else.

    Examples:
        >>> nonempty_mapping({"a": 1})
        {'a': 1}
    """
    if isinstance(value, dict) and value:
        return value
    found = "an empty mapping" if isinstance(value, dict) else show_type(value)
    raise Unparsed(f"an object with fields was wanted, but the response holds {found}")
