"""Leave out the nulls within plain values, as columns have them for keys that a row does not have."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scoring.depth import in_full_depth
from scoring.values import are_lists_of_texts, levels

#: The classes whose instances may contain a mapping.
NESTED = frozenset((dict, list, tuple))
_FLAT = frozenset((str, int, float, bool))


def without_nulls(value: Any) -> Any:
    """Return a plain value without the keys of mappings whose value is None; items of lists are kept.

    Columns give each row every key, with null where the row has none, so tables of any form agree on the result.

    Examples:
        >>> without_nulls({"a": 1, "b": None, "c": [{"d": None}, None]})
        {'a': 1, 'c': [{}, None]}
    """
    if type(value) in _FLAT or (type(value) is dict and _FLAT.issuperset(map(type, value.values()))):
        return value
    return in_full_depth(_pruned, value)


def column_without_nulls(values: list[Any]) -> list[Any]:
    """Return the values, each converted by `without_nulls`; the same list if none contains a null.

    Examples:
        >>> column_without_nulls([{"a": None}, "b", None])
        [{}, 'b', None]
    """
    with suppress(RecursionError):  # then each value is converted separately
        if are_lists_of_texts(values) or all(
            depth == 0 or type(None) not in kinds for depth, (_, kinds) in enumerate(levels(values))
        ):
            return values
    return list(map(without_nulls, values))


def _pruned(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        if _FLAT.issuperset(map(type, value.values())):
            return value
        return {k: item if type(item) in _FLAT else _pruned(item) for k, item in value.items() if item is not None}
    if kind is list or kind is tuple:
        if NESTED.isdisjoint(map(type, value)):
            return value
        return kind(item if type(item) in _FLAT else _pruned(item) for item in value)
    return value
