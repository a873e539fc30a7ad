"""Transforms of letter case."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive


@primitive(laws=("idempotent",))
def lower(text: str, /) -> str:
    """The text in lower case.

    Examples:
        >>> lower("MEGA-Bench")
        'mega-bench'
    """
    return text.lower()


@primitive(laws=("idempotent",))
def upper(text: str, /) -> str:
    """The text in upper case.

    Examples:
        >>> upper("mega")
        'MEGA'
    """
    return text.upper()


@primitive(laws=("idempotent",))
def casefold(text: str, /) -> str:
    """The text without differences of case, in every script.

    Examples:
        >>> casefold("Straße") == casefold("STRASSE")
        True

    Source:
        Unicode Standard, section 3.13, default case folding.
    """
    return text.casefold()


@primitive(laws=("idempotent",))
def ignore_case(value: Any, /) -> Any:
    """Every text within a value in lower case, at any depth; everything else, and the keys, as they are.

    Examples:
        >>> ignore_case(["A", ("B", 1)])
        ['a', ('b', 1)]
    """
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(ignore_case(item) for item in value)
    if isinstance(value, dict):
        return {key: ignore_case(item) for key, item in value.items()}
    return value
