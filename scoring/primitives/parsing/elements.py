"""Read the elements of a collection out of a value or a text."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from scoring.primitives.parsing.literal import MAX_LENGTH, read_notation

_CLOSING = {"(": ")", "{": "}", "[": "]"}


class Unreadable(ValueError):
    """No collection can be read out of a value, and why."""


def read_elements(value: Any) -> Collection[Any]:
    """The items of a list or set, the keys of a mapping, or the items that a text represents."""
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return value
    if value is None:
        raise Unreadable("there is nothing")
    return [value]


def _of_text(text: str) -> Collection[Any]:
    text = text.strip()
    if not text:
        return []
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"a text of more than {MAX_LENGTH} characters")
    closing = _CLOSING.get(text[0])
    if closing is not None and text[-1] != closing:
        raise Unreadable(f"the bracket `{text[0]}` is never closed")
    try:
        found = read_notation(text)
    except (SyntaxError, ValueError):
        return [word.strip() for word in (text if closing is None else text[1:-1]).split(",")]
    except (TypeError, MemoryError, RecursionError) as error:
        odd = "a list or a mapping is an item of a set, or a key" if isinstance(error, TypeError) else ""
        raise Unreadable(odd or "brackets are nested too deep") from None
    if isinstance(found, (list, tuple, set, dict)):
        return found
    return [text if found is None else found]
