"""Transforms of letter case."""

from __future__ import annotations

from typing import Any

from scoring.registry import batch, primitive


@primitive(laws=("idempotent",), topics=("text",), aka=("lowercase", "to lower", "downcase"))
def lower(text: str, /) -> str:
    """The text in lower case.

    Examples:
        >>> lower("North Quay")
        'north quay'
    """
    return text.lower()


@batch(lower)
def _(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


@primitive(laws=("idempotent",), topics=("text",), aka=("uppercase",))
def upper(text: str, /) -> str:
    """The text in upper case.

    Examples:
        >>> upper("mega")
        'MEGA'
    """
    return text.upper()


@primitive(laws=("idempotent",), topics=("text",), aka=("case insensitive", "ignore case"))
def casefold(text: str, /) -> str:
    """The text without differences of case, in every script.

    Examples:
        >>> casefold("Straße") == casefold("STRASSE")
        True

    Source:
        Unicode Standard, section 3.13, default case folding.
    """
    return text.casefold()


@batch(casefold)
def _(texts: list[str]) -> list[str]:
    return [text.casefold() for text in texts]


@primitive(laws=("idempotent",), topics=("text", "mappings"))
def as_lower_text(value: Any, /) -> Any:
    """A value with every text, number and truth value within it as text in lower case, at any depth; keys stay.

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
