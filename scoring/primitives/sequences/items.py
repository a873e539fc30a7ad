"""Primitives that make lists, such as the words of a text or the spans of tags, and that transform them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from scoring.primitives.parsing.elements import Bare, read_elements
from scoring.registry import Transform, checks, primitive
from scoring.registry.annotations import ItemCondition, SettingFault
from scoring.result import Unparsed, Unscored
from scoring.values import is_number, key_of, show_type, show_value

A = TypeVar("A")
MOST_WRITTEN = 20_000_000
"""The limit on characters of a text that `join` makes, or twice the length of the input if greater."""


@primitive(topics=("text", "lists"), aka=("tokens", "whitespace tokenize", "split words"))
def words(text: str, /) -> list[str]:
    """Split the text at white space into a list of words; an empty or blank text has no words.

    Examples:
        >>> words(" two  words\\n"), words("")
        (['two', 'words'], [])
    """
    return text.split()


@primitive(topics=("lists",), aka=("index", "take", "element", "nth", "pick", "take_first"))
def item_at(items: list[A], /, *, index: float) -> A:
    """Return the item at a position of a list.

    Args:
        index: The position, counted from 0; -1 is the last item.

    Raises:
        Unparsed: when the list is too short.

    Examples:
        >>> item_at(["a", "b", "c"], index=0), item_at(["a", "b", "c"], index=-1)
        ('a', 'c')
    """
    if not -len(items) <= index < len(items):
        raise Unparsed(f"a list of {len(items)} items has none at {index:g}")
    return items[int(index)]


@primitive(name="slice", topics=("lists", "text"), aka=("take_first_k", "sublist", "head"))
def slice_(items: list[A], /, *, start: float | None = None, stop: float | None = None) -> list[A]:
    """Return the items of a list from one position up to, but not including, another.

    Args:
        start: The first position, counted from 0, or from the end if negative; by default that of the first item.
        stop: The position after the last item, counted likewise; by default the end of the list.

    Examples:
        >>> slice_([1, 2, 3, 4], stop=2), slice_([1, 2, 3, 4], start=-1)
        ([1, 2], [4])
    """
    return items[_place(start) : _place(stop)]


def _place(number: float | None) -> int | None:
    return None if number is None else max(-sys.maxsize, min(int(number), sys.maxsize))


@primitive(topics=("lists", "text"), aka=("len", "count", "size"))
def length(value: Any, /, *, of_text: Literal["characters", "bytes"] = "characters") -> float:
    """Count the items of a list, a set or a mapping, or the characters of a text.

    Args:
        of_text: Whether the characters of a text are counted, or its bytes in UTF-8.

    Raises:
        Unparsed: when the value has no length, such as a number or null.

    Examples:
        >>> length(["a", "b"]), length(""), length({"x": 1})
        (2, 0, 1)
        >>> length("né"), length("né", of_text="bytes")
        (2, 3)
    """
    if isinstance(value, str) and of_text == "bytes":
        return len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, str | list | tuple | set | frozenset | Mapping):
        return len(value)
    raise Unparsed(f"{show_type(value)} has no length")


@primitive(topics=("lists", "text"), aka=("concatenate", "concat"))
def join(items: list[Any], /, *, by: str = " ") -> str:
    """Join the strings of a list into a single string.

    Args:
        by: The separator between them.

    Raises:
        Unparsed: when an item is not a string, or long separators would make the result far longer than the items.

    Examples:
        >>> join(["a", "b"], by=", ")
        'a, b'
    """
    odd = [one for one in items if not isinstance(one, str)]
    if odd:
        raise Unparsed(f"only texts can be joined, and one item is {show_type(odd[0])}: `map_items(to_text)` helps")
    length = sum(map(len, items))
    if (written := length + len(by) * len(items)) > max(MOST_WRITTEN, 2 * length):
        raise Unparsed(f"joined, the items make {written:,} characters, and {MOST_WRITTEN:,} are the most")
    return by.join(items)


@primitive(laws=("idempotent", "unrepeated"), topics=("lists",), aka=("dedupe", "distinct", "drop duplicates"))
def unique(items: list[A], /) -> list[A]:
    """Remove repeated items of a list, keeping the first of each; true is not equal to 1.

    Examples:
        >>> unique(["b", "a", "b"]), unique([1, True, 1.0])
        (['b', 'a'], [1, True])
    """
    found: dict[Any, A] = {}
    for one in items:
        found.setdefault(key_of(one), one)
    return list(found.values())


@primitive(laws=("idempotent",), topics=("lists",), aka=("sorted", "order"))
def sort(items: list[A], /, *, descending: bool = False) -> list[A]:
    """Sort the items of a list: numbers by size, strings by code points; equal items keep their order.

    Args:
        descending: Whether the greatest item comes first.

    Raises:
        Unparsed: when the items are neither all numbers nor all strings.

    Examples:
        >>> sort(["b", "a", "C"]), sort([2, 10, 1], descending=True)
        (['C', 'a', 'b'], [10, 2, 1])
    """
    # NaN, which is not equal to itself, can't be sorted.
    seen = {"text" if isinstance(one, str) else "number" if is_number(one) and one == one else "other" for one in items}
    if len(seen) > 1 or "other" in seen:
        raise Unparsed("a list is sorted where all its items are numbers, or all are texts; these are not")
    ordered: list[Any] = list(items)  # all numbers or all strings, which can be compared
    ordered.sort(reverse=descending)
    return ordered


@checks(item_at)
@checks(slice_)
def _(**numbers: float | None) -> SettingFault | None:
    for name, value in numbers.items():
        if value is not None and not float(value).is_integer():
            return SettingFault(name, f"`{name}` must be a whole number, but this is {value}", "not whole")
    return None


@primitive(topics=("lists",), aka=("filter", "select", "where"))
def keep(items: list[A], /, *, that: Transform[A, Any] | None = None, where: ItemCondition | None = None) -> list[A]:
    """Return the items of a list, unchanged, that a pipeline can parse and for which a condition is true.

    Args:
        that: The pipeline that decides, such as `find(…)` or `number`.
        where: The condition, in which the path `item` is the item: ``item.score > 0.5``.

    Raises:
        Unscored: when the condition is neither true nor false for an item.

    Examples:
        >>> keep(["12", "x", "3"], that=int)
        ['12', '3']
        >>> keep([0.9, 0.2], where=lambda item: item > 0.5)
        [0.9]
    """
    return [one for one in items if (that is None or _parses(that, one)) and (where is None or _holds(where, one))]


def _parses(that: Callable[[Any], Any], item: Any) -> bool:
    try:
        that(item)
    except (Unparsed, ValueError):
        return False
    return True


def _holds(where: Callable[[Any], Any], item: Any) -> bool:
    found = where(item)
    if not isinstance(found, bool):
        raise Unscored(f"the condition on an item is {show_value(found)}, which is neither true nor false")
    return found


@primitive(revision=2, topics=("lists", "extraction"), aka=("list",))
def to_list(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse", bare: Bare = "texts") -> list[Any]:
    """Convert a value to the list of its items: of a list, a mapping's keys, or a text that represents one of them.

    A text in brackets is read as a JSON or Python literal. If it is not a literal, or has no brackets, it is a list of
    words separated by commas, which stay strings. A single value makes a list of one item. A set has no order, so its
    items are sorted.

    Args:
        failed: The result for a text with an unclosed bracket, or for null: the empty list (empty), or a refusal
            (refuse).

    Examples:
        >>> to_list("[b, a]"), to_list("(1, 2)"), to_list(7)
        (['b', 'a'], [1, 2], [7])
        >>> to_list("2"), to_list("1, 2"), to_list("'a, b', 'c'"), to_list("2", bare="literal")
        (['2'], ['1', '2'], ['a, b', 'c'], [2])

    Raises:
        Unparsed: when the value can't be read as a list, if that is refused.

    Source:
        As used in MEGA-Bench metrics README, List Comparisons.
    """
    found = read_elements(value, bare, failed, "list")
    if isinstance(found, (set, frozenset)):
        return sorted(sorted(found, key=repr), key=lambda item: type(item).__name__)
    return list(found)
