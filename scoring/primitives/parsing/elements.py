"""Conversion of a value, or of a text that represents a collection, to its elements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal, TypeAlias

from scoring.primitives.parsing.literal import MAX_LENGTH, read_notation
from scoring.registry import Doc
from scoring.result import Unparsed

Bare: TypeAlias = Annotated[
    Literal["texts", "literal"],
    Doc(
        "What stands in a text without brackets: words between commas, each a text (`2` stays a text), or what it is "
        "as a literal, where it is one (`2` is a number)."
    ),
]

_CLOSING = {"(": ")", "{": "}", "[": "]"}


def read_elements(
    value: Any, bare: Literal["texts", "literal"], failed: Literal["empty", "refuse"], what: str
) -> Collection[Any]:
    """Return the items of a list or set, the mapping itself, or the items that a text represents.

    Args:
        value: A collection, a text, or a single item.
        bare: The meaning of a text without brackets: words between commas, or a literal.
        failed: The result for a value without items: the empty list, or a refusal.
        what: The name of the kind of collection, for the reason.

    Raises:
        Unparsed: when the value can't be read, if that is refused.
    """
    try:
        if isinstance(value, str):
            return _of_text(value, bare)
        if value is None:
            raise _Unreadable("there is nothing")
    except _Unreadable as error:
        if failed == "empty":
            return []
        raise Unparsed(f"not a {what}: {error}") from None
    return value if isinstance(value, (list, tuple, set, frozenset, dict)) else [value]


class _Unreadable(ValueError):
    pass


def _of_text(text: str, bare: Literal["texts", "literal"]) -> Collection[Any]:
    text = text.strip()
    if not text:
        return []
    if len(text) > MAX_LENGTH:
        raise _Unreadable(f"a text of more than {MAX_LENGTH} characters")
    closing = _CLOSING.get(text[0])
    if closing is not None and text[-1] != closing:
        raise _Unreadable(f"the bracket `{text[0]}` is never closed")
    try:
        found = read_notation(text)
    except (SyntaxError, ValueError):
        return _words(text if closing is None else text[1:-1])
    except (TypeError, MemoryError, RecursionError) as error:
        odd = "a list or a mapping is an item of a set, or a key" if isinstance(error, TypeError) else ""
        raise _Unreadable(odd or "brackets are nested too deep") from None
    items = found if isinstance(found, (list, tuple, set, dict)) else [text if found is None else found]
    if closing is None and bare == "texts" and not all(isinstance(item, str) for item in items):
        return _words(text)
    return items


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]
