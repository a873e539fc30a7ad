"""Tell which values are plain data, as most are, and leave out nulls; other values are converted by
`scoring.data.normalize`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain
from operator import eq
from typing import Any, NamedTuple

from scoring.depth import in_full_depth
from scoring.values import AS_IT_IS, HOLDERS, are_lists_of_texts, levels, of_classes

#: The classes whose instances may contain a mapping.
NESTED = frozenset((dict, list, tuple))
_FLOATS = frozenset((float,))
_NUMBERS = frozenset((int, float))
_SIMPLE = frozenset((str, int, bool))
_FLAT = frozenset((str, int, float, bool))
_TEXT = frozenset((str,))
_DICT = frozenset((dict,))
_SINGLE = AS_IT_IS | {float}
_KNOWN = AS_IT_IS | HOLDERS | _FLOATS
# The number of levels of a value that are examined before it is assumed to need conversion.
_FEW = 16


def flat_records(records: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return copies of records that are all plain data, nested no deeper than lists of single values; None if any is
    not."""
    if not (_DICT.issuperset(map(type, records)) and _TEXT.issuperset(map(type, chain.from_iterable(records)))):
        return None
    values = [*chain.from_iterable(map(dict.values, records))]
    kinds = set(map(type, values))
    lists = list in kinds
    if lists:
        values = [*chain.from_iterable(value if type(value) is list else (value,) for value in values)]
        kinds = set(map(type, values))
    # NaN alone differs from itself.
    if not kinds <= _SINGLE or (float in kinds and not all(map(eq, values, values))):
        return None
    if not lists:
        return list(map(dict.copy, records))
    return [{key: [*value] if type(value) is list else value for key, value in one.items()} for one in records]


def as_plain(value: Any) -> Any:
    """Return a calling program's value as plain data as far as possible; lists, tuples and mappings keep their types.

    For a value that is nested deeper than `scoring.depth.DEEPEST`, an unscored outcome with that reason is returned.

    Examples:
        >>> import datetime, numpy
        >>> as_plain(numpy.int64(3)), as_plain((1, float("nan"))), as_plain({"at": datetime.date(2026, 1, 2)})
        (3, (1, None), {'at': '2026-01-02'})
    """
    if type(value) in AS_IT_IS or _are(AS_IT_IS, HOLDERS, (value,)):
        return value
    from scoring.data.normalize import changed, leaf

    return changed(value, leaf)


def of_library(value: Any) -> Any:
    """Return a value in which values of NumPy, pandas, Arrow and polars are converted to plain data, and NaN to None.

    Other values of Python and its standard library are left unchanged, at any depth.

    Examples:
        >>> import decimal, numpy
        >>> of_library([numpy.int64(3), decimal.Decimal("0.5"), numpy.float64("nan")])
        [3, Decimal('0.5'), None]
    """
    if type(value) in AS_IT_IS or _are(AS_IT_IS, HOLDERS, (value,)):
        return value
    from scoring.data.normalize import changed, leaf_of_library

    return changed(value, leaf_of_library)


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


def is_simple(value: Any) -> bool:
    """Return whether a value is already plain and contains no null, which is true of most answers and references.

    Examples:
        >>> is_simple({"a": ["b", 1.5]}), is_simple({"a": None}), is_simple(None)
        (True, False, False)
    """
    kind = type(value)
    if kind is float:
        return bool(value == value)
    if kind is not dict and kind is not list:
        return kind is str or kind is int or kind is bool
    return _are(_SIMPLE, NESTED, value.values() if kind is dict else value)


def _are(leaves: Set[type], holders: Set[type], values: Iterable[Any], levels: int = _FEW) -> bool:
    """Return whether each value is a text, a float other than NaN, an instance of a class in `leaves`, or a collection
    of a class in `holders` with only such items; False if the nesting is deeper than `levels`."""
    if levels <= 0:
        return False
    for value in values:
        kind = type(value)
        if kind is str or kind in leaves:  # most are texts, for which no look-up is needed
            continue
        if kind in holders:
            if not _are(leaves, holders, value.values() if kind is dict else value, levels - 1):
                return False
        elif kind is not float or value != value:
            return False
    return True


def host_record(record: Any) -> Any:
    """Return a record from a calling program with plain values; a row of pandas is accepted as a mapping, too.

    Examples:
        >>> import numpy
        >>> host_record({"id": numpy.int64(7), "response": "a"})
        {'id': 7, 'response': 'a'}
    """
    if type(record) is dict and _are(AS_IT_IS, HOLDERS, record.values()):
        return record
    if not isinstance(record, Mapping) and hasattr(record, "to_dict"):
        record = record.to_dict()
    return {key: as_plain(value) for key, value in record.items()} if isinstance(record, Mapping) else record


def host_records(records: Sequence[Any]) -> Sequence[Any]:
    """Return records from a calling program with plain values: the given sequence itself if all are plain already."""
    return records if are_plain(list(records)) else list(map(host_record, records))


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
