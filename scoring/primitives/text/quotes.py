"""Quotes around a text."""

from __future__ import annotations

from typing import Any

from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive


@primitive
def unquote(value: Any, /) -> Any:
    """A quoted text without its quotes, as JSON or Python would read it; everything else as it is.

    Examples:
        >>> unquote("'B'"), unquote("it's"), unquote("[1]")
        ('B', "it's", '[1]')
    """
    if not isinstance(value, str) or value[:1] not in ("'", '"'):
        return value
    try:
        found = read_literal(value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return value
    return found if isinstance(found, str) else value
