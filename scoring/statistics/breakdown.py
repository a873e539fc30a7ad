"""Group the records of a data set by attributes: plain ones, lists, and several crossed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.lazy_pattern import lazy_pattern

Group: TypeAlias = tuple[Any, ...]

CROSS = " x "
"""The separator of crossed attributes in the name of a breakdown: ``doc_type x language``."""

# A quoted name may contain " x " itself.
_QUOTED_OR_CROSS = lazy_pattern(r"""("[^"]*"|'[^']*'|`[^`]*`)|\s+x\s+""")


class BreakdownPart(Struct, frozen=True):
    """One group of records in a breakdown: their value of each crossed attribute, and their positions."""

    group: Group
    indices: tuple[int, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The key that distinguishes the group from all others, even 1 from True."""
        return _key(self.group)

    @property
    def rank(self) -> Any:
        """The sort key of the group; groups without a value come last."""
        return [(value is None, str(value), type(value).__name__) for value in self.group]

    @property
    def label(self) -> str:
        """The name of the group for people to read."""
        return CROSS.join(map(group_word, self.group))


def group_word(value: Any) -> str:
    """Return an attribute's value as it is shown in the name of a group, ``(none)`` for None."""
    if value is None:
        return "(none)"
    return str(value).lower() if isinstance(value, bool) else str(value)


def attributes_of(name: str) -> list[str]:
    """Return the attributes that the breakdown with this name crosses.

    Examples:
        >>> attributes_of("doc_type"), attributes_of("doc_type x languages[]")
        (['doc_type'], ['doc_type', 'languages[]'])
        >>> attributes_of('"a x b" x c')
        ['"a x b"', 'c']
    """
    parts, start = [], 0
    for found in _QUOTED_OR_CROSS.finditer(name):
        if found[1] is None:
            parts.append(name[start : found.start()].strip())
            start = found.end()
    return [*parts, name[start:].strip()]


def values_of(value: Any) -> list[Any]:
    """Return the values of one attribute by which a record is grouped, without duplicates; [] for an empty list.

    Examples:
        >>> values_of("en"), values_of(["en", "de", "en"]), values_of(None), values_of([])
        (['en'], ['en', 'de'], [None], [])
    """
    items = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(map(hashable, items)))


def parts_of(columns: Sequence[Sequence[Any]]) -> list[BreakdownPart]:
    """Return the groups of rows with equal values in some crossed columns, in a fixed order.

    Examples:
        >>> [(part.label, part.indices) for part in parts_of([["a", "b", "a"], [["x", "y"], ["x"], ["y"]]])]
        [('a x x', (0,)), ('a x y', (0, 2)), ('b x x', (1,))]
    """
    members: dict[tuple[str, ...], tuple[Group, list[int]]] = {}
    known: dict[tuple[Any, ...], list[list[int]]] = {}
    are_texts = all(_TEXTS.issuperset(map(type, column)) for column in columns)
    for index, values in enumerate(zip(*columns, strict=True)):
        mark = values if are_texts else _mark(values)
        lists = known.get(mark) if mark is not None else None
        if lists is None:
            lists = []
            for group in product(*(values_of(value) for value in values)):
                lists.append(members.setdefault(_key(group), (group, []))[1])
            if mark is not None:
                known[mark] = lists
        for indices in lists:
            indices.append(index)
    found = [BreakdownPart(group, tuple(indices)) for group, indices in members.values()]
    return sorted(found, key=lambda part: part.rank)


_TEXTS = frozenset((str, type(None)))


def _key(group: Group) -> tuple[str, ...]:
    return tuple(f"{type(value).__name__}:{value}" for value in group)


def _mark(values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return a hashable key of some values, for caching; None if different values might get equal keys."""
    mark: list[Any] = []
    for value in values:
        if type(value) is list:
            if not all(type(item) is str for item in value):
                return None
            mark.append(tuple(value))
        elif type(value) is str or value is None:
            mark.append(value)
        elif type(value) is int or type(value) is bool:
            mark.append((type(value), value))
        else:
            return None
    return tuple(mark)


def hashable(value: Any) -> Any:
    """Return the value if it is a text, a number, a boolean or None, else its `repr`."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
