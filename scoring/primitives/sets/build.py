"""Transforms into a set."""

from __future__ import annotations

from typing import Any, Literal

from scoring.primitives.parsing.elements import Bare, read_elements
from scoring.registry import primitive


def freeze(value: Any) -> Any:
    """A value that can stand in a set: lists become tuples, mappings become sets of their entries."""
    if isinstance(value, dict):
        return frozenset((key, freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(freeze(item) for item in value)
    return value


@primitive(revision=2, topics=("lists",), aka=("set",))
def to_set(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse", bare: Bare = "texts") -> frozenset[Any]:
    """The set of a value's items: of a list, a set, a mapping's keys, or a text that represents one of them.

    A text in brackets is read as a JSON or Python literal; where it is none, and without brackets, it is a list of
    words between commas, which stay texts. A single value is a set of one. Lists within the set are items like any
    other. Of 1 and true, or 0 and false, a set holds one only, the first.

    Args:
        failed: What a text with an unclosed bracket, or no value at all, gives: the empty set, or a refusal.

    Examples:
        >>> sorted(to_set("[b, a]")), sorted(to_set([[1, 2], [1, 2]])), to_set("[1,", failed="empty")
        (['a', 'b'], [(1, 2)], frozenset())
        >>> sorted(to_set("1, 2")), to_set("2", bare="literal")
        (['1', '2'], frozenset({2}))

    Raises:
        Unparsed: when the value can't be read as a set.

    Source:
        As used in MEGA-Bench metrics README, Set Comparisons.
    """
    return frozenset(freeze(item) for item in read_elements(value, bare, failed, "set"))


@primitive(topics=("lists",))
def as_set(items: list[Any], /) -> frozenset[Any]:
    """The set of a list's items. Of 1 and true, or 0 and false, a set holds one only, the first.

    Examples:
        >>> as_set(["a", "a"])
        frozenset({'a'})
    """
    try:
        return frozenset(items)
    except TypeError:
        return frozenset(freeze(item) for item in items)


@primitive(topics=("quirks",))
def strip_end_of_items(items: frozenset[Any], /, *, characters: str) -> frozenset[Any]:
    """The set with the given characters taken off the end of every text; other items as they are.

    Args:
        characters: What is taken off.

    Examples:
        >>> strip_end_of_items(frozenset({"Qh5#"}), characters="+#")
        frozenset({'Qh5'})
    """
    return frozenset(item.rstrip(characters) if isinstance(item, str) else item for item in items)
