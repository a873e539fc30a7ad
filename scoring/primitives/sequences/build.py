"""Transforms into a list."""

from __future__ import annotations

from typing import Any, Literal

from scoring.primitives.parsing.elements import Bare, Unreadable, read_elements
from scoring.registry import primitive
from scoring.result import Unparsed


@primitive(revision=2, topics=("lists", "extraction"), aka=("list",))
def to_list(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse", bare: Bare = "texts") -> list[Any]:
    """The list of a value's items, in order: of a list, a mapping's keys, or a text that represents one of them.

    A text in brackets is read as a JSON or Python literal; where it is none, and without brackets, it is a list of
    words between commas, which stay texts. A single value is a list of one. A set has no order, so its items are
    sorted.

    Args:
        failed: What a text with an unclosed bracket, or no value at all, gives: the empty list, or a refusal.

    Examples:
        >>> to_list("[b, a]"), to_list("(1, 2)"), to_list(7)
        (['b', 'a'], [1, 2], [7])
        >>> to_list("2"), to_list("1, 2"), to_list("'a, b', 'c'"), to_list("2", bare="literal")
        (['2'], ['1', '2'], ['a, b', 'c'], [2])

    Raises:
        Unparsed: when the value can't be read as a list.

    Source:
        As used in MEGA-Bench metrics README, List Comparisons.
    """
    try:
        found = read_elements(value, bare)
    except Unreadable as error:
        if failed == "empty":
            return []
        raise Unparsed(f"not a list: {error}") from None
    if isinstance(found, (set, frozenset)):
        return sorted(found, key=lambda item: (type(item).__name__, repr(item)))
    return list(found)
