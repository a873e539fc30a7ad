"""Transforms of lists by order: the items in reverse, and each item with its position."""

from __future__ import annotations

from typing import Any, TypeVar

from scoring.registry import primitive

A = TypeVar("A")


@primitive(topics=("lists",), aka=("reversed", "backwards"))
def reverse(items: list[A], /) -> list[A]:
    """Return the items of a list in reverse order. A text is reversed by `split("") | reverse | join("")`.

    Examples:
        >>> reverse([1, 2, 3])
        [3, 2, 1]
    """
    return items[::-1]


@primitive(topics=("lists",), aka=("enumerate", "number the items", "with index"))
def enumerate_items(items: list[Any], /, *, start: int = 0) -> list[dict[str, Any]]:
    """Return for each item of a list a mapping with its `position` and the `item` itself.

    Args:
        start: The position of the first item, a whole number.

    Examples:
        >>> enumerate_items(["a", "b"], start=1)
        [{'position': 1, 'item': 'a'}, {'position': 2, 'item': 'b'}]
    """
    return [{"position": place, "item": item} for place, item in enumerate(items, start)]
