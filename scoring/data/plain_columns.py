"""Tell of many values at once which are plain data, as most are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import eq
from typing import Any, NamedTuple

from scoring.data.plain_values import host_record, of_library
from scoring.values import AS_IT_IS, HOLDERS, levels, of_classes

_FLOATS = frozenset((float,))
_NUMBERS = frozenset((int, float))
_TEXT = frozenset((str,))
_DICT = frozenset((dict,))
_SINGLE = AS_IT_IS | {float}
_KNOWN = AS_IT_IS | HOLDERS | _FLOATS


def flat_records(records: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return copies of records that are all plain data, nested no deeper than lists of single values; None if any is
    not."""
    if not (_DICT.issuperset(map(type, records)) and _TEXT.issuperset(map(type, chain.from_iterable(records)))):
        return None
    lists, every = False, [*chain.from_iterable(map(dict.values, records))]
    # Records mostly have one key at a position, and values of one class with it; if not, any other part will do.
    width = max(map(len, records), default=0)
    for values in (every[at::width] for at in range(width)):
        kinds = set(map(type, values))
        if list in kinds:
            lists = True
            values = [*chain.from_iterable(value if type(value) is list else (value,) for value in values)]
            kinds = set(map(type, values))
        # NaN alone differs from itself, and a sum that includes it is NaN.
        are_numbers = kinds == _FLOATS and (total := sum(values)) == total
        if not kinds <= _SINGLE or (float in kinds and not are_numbers and not all(map(eq, values, values))):
            return None
    if not lists:
        return list(map(dict.copy, records))
    return [{key: [*value] if type(value) is list else value for key, value in one.items()} for one in records]


def column_of_library(values: Sequence[Any]) -> list[Any]:
    """Return many values, each converted by `of_library`.

    Examples:
        >>> column_of_library(["a", float("nan")])
        ['a', None]
    """
    column = values if type(values) is list else list(values)
    return column if are_plain(column) else list(map(of_library, column))


def are_plain(values: list[Any]) -> bool:
    """Return whether values from a calling program are plain data already; False where a few checks can't tell.

    Examples:
        >>> are_plain([{"a": [1.5, None]}, "b"]), are_plain([{"a": [float("nan")]}, "b"])
        (True, False)
    """
    return look_through(values).are_plain


class Looks(NamedTuple):
    """The result of examining the classes of many values.

    Attributes:
        are_plain: Whether all values are already plain.
        hold_null: Whether the values may contain null at a nested level; the values themselves don't count.
    """

    are_plain: bool
    hold_null: bool


def look_through(values: list[Any]) -> Looks:
    """Return whether all values are plain data, and whether any list or mapping among them contains null.

    If values are nested too deep to be examined, the result is False and True.

    Examples:
        >>> look_through([{"a": None}, None]), look_through([None, "b"])
        (Looks(are_plain=True, hold_null=True), Looks(are_plain=True, hold_null=False))
    """
    are_all_plain, hold_null = True, False
    try:
        for level, kinds in levels(values):
            hold_null = hold_null or (level is not values and type(None) in kinds)
            are_all_plain = are_all_plain and kinds <= _KNOWN
            if are_all_plain and float in kinds:
                # A sum that includes NaN is NaN.
                total = sum(level if kinds <= _NUMBERS else of_classes(level, kinds, _FLOATS))
                are_all_plain = total == total
    except (RecursionError, OverflowError):  # only sixteen levels are examined
        return Looks(are_plain=False, hold_null=True)
    return Looks(are_all_plain, hold_null)


def host_records(records: Sequence[Any]) -> Sequence[Any]:
    """Return records from a calling program with plain values: the given sequence itself if all are plain already."""
    return records if are_plain(list(records)) else list(map(host_record, records))
