"""Transforms of lists by order: items in reverse, with their positions, in runs, or beside those of other lists."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from scoring.registry import AtLeast, checks, primitive
from scoring.registry.annotations import SettingFault
from scoring.result import Unparsed, Unscored
from scoring.values import key_of

A = TypeVar("A")
MOST_RUN_ITEMS = 20_000_000
"""The limit on the total number of items in all runs of `ngrams`."""


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


@primitive(topics=("lists",), aka=("zip", "side by side", "parallel lists", "columns to rows"))
def zip_items(items: list[Any], /, *, name: str = "item", **others: list[Any]) -> list[dict[str, Any]]:
    """Combine several lists into a list of mappings, one for each position, with the items of all lists there.

    Args:
        name: The key of the items of the list itself.
        others: The other lists, by the keys of their items.

    Raises:
        Unparsed: when the lists differ in length.

    Examples:
        >>> zip_items(["words", "case"], name="kind", limit=[10, None])
        [{'kind': 'words', 'limit': 10}, {'kind': 'case', 'limit': None}]
    """
    sizes = {name: len(items)} | {other: len(listed) for other, listed in others.items()}
    if len({*sizes.values()}) > 1:
        raise Unparsed(f"lists of different lengths don't stand side by side: {sizes}")
    return [dict(zip(sizes, row, strict=True)) for row in zip(items, *others.values(), strict=True)]


@primitive(topics=("lists",), aka=("leave one out", "drop item", "remove item"))
def without(items: list[A], /, *, item: object) -> list[A]:
    """Remove the first item of a list that is equal to a value; without such an item the list is unchanged.

    Args:
        item: The value, usually a path such as ``item`` or ``record.own_answer``.

    Examples:
        >>> without(["a", "b", "a"], item="a"), without(["a"], item="c")
        (['b', 'a'], ['a'])
    """
    key = key_of(item)
    place = next((at for at, one in enumerate(items) if key_of(one) == key), None)
    return items if place is None else [*items[:place], *items[place + 1 :]]


@primitive(topics=("lists",), aka=("single", "exactly one"))
def only(items: list[A], /) -> A:
    """Return the only item of a list.

    Raises:
        Unparsed: when the list has no items, or several.

    Examples:
        >>> only(["a"])
        'a'
    """
    if len(items) != 1:
        raise Unparsed(f"a list of one item is expected, but this one has {len(items)}")
    return items[0]


@primitive(topics=("lists", "text"), aka=("bigrams", "shingles"))
def ngrams(items: list[A], /, *, n: Annotated[float, AtLeast(1)]) -> list[list[A]]:
    """Return all runs of n consecutive items of a list.

    Args:
        n: The number of items of each run.

    Raises:
        Unscored: when the runs have more than 20 million items in total.

    Examples:
        >>> ngrams(["a", "b", "c"], n=2), ngrams(["a"], n=2)
        ([['a', 'b'], ['b', 'c']], [])
    """
    size = int(n)
    total = size * (len(items) - size + 1)
    if total > MOST_RUN_ITEMS:
        raise Unscored(
            f"runs of {size:,} out of {len(items):,} items hold {total:,} in all, and {MOST_RUN_ITEMS:,} are the most"
        )
    return [items[start : start + size] for start in range(len(items) - size + 1)] if size <= len(items) else []


@checks(ngrams)
def _(*, n: float | None) -> SettingFault | None:
    if n is not None and not float(n).is_integer():
        return SettingFault("n", f"`n` must be a whole number, but this is {n}", "not whole")
    return None
