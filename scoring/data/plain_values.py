"""Tell which values are plain data, as most are; others are converted by `scoring.data.normalize`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from scoring.data.nulls import NESTED
from scoring.values import AS_IT_IS, HOLDERS

_SIMPLE = frozenset((str, int, bool))
# The number of levels of a value that are examined before it is assumed to need conversion.
_FEW = 16


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
