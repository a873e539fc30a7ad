"""Convert values of NumPy, pandas, Arrow, polars and Python's standard library to plain data.

Plain data are texts, numbers, booleans, None, lists, sets, and mappings with text keys, as in a file of JSON records.
NumPy and Arrow scalars become numbers or texts, arrays and columns become lists. NaN, NaT and NA are missing values:
None. Times become ISO 8601 texts, a `Decimal` the number with its digits in JSON, bytes their UTF-8 text (other bytes
stay bytes), a time span its seconds.

There are two variants. `plain_value` is for tables, whose values must equal those of a file with the same records:
tuples become lists, and values that no file could contain are refused. `as_plain` is for values that hosts, the
programs that call this package, pass directly: values of unknown types stay unchanged.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from decimal import Decimal
from itertools import chain
from operator import eq
from typing import Any, NamedTuple

from scoring.depth import DEEPEST, TooDeep, in_full_depth, on_large_stack
from scoring.result import Outcome
from scoring.values import HOLDERS, levels, of_classes

#: The classes of values that are always plain, as most values are.
AS_IT_IS: frozenset[type] = frozenset((str, int, bool, type(None)))
_LIBRARIES = ("numpy", "pandas", "pyarrow", "polars")
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
_FINER = "a time finer than a microsecond"
# The number of levels of a value that are examined before it is assumed to need conversion.
_FEW = 16
# Above this power of ten a decimal becomes a float, as its text would: as a whole number it could be huge.
_WHOLE_DIGITS = 300
_LISTS = ("tolist", "to_pylist", "to_list")


class NotPlain(ValueError):
    """The exception for a value that no file of records could contain; the message describes the value."""


def plain_value(value: Any, levels: int = DEEPEST) -> Any:
    """Return a value as plain data, as if it had been read from a file of records.

    Args:
        value: The value.
        levels: The deepest nesting that is accepted.

    Raises:
        NotPlain: when no file could contain the value, or it is nested deeper.

    Examples:
        >>> import numpy
        >>> plain_value({"a": (numpy.float32(0.5), numpy.array([1, 2])), "b": float("nan")})
        {'a': [0.5, [1, 2]], 'b': None}
        >>> plain_value([datetime.date(2026, 1, 2), Decimal("0.10"), Decimal("7")])
        ['2026-01-02', 0.1, 7]
    """
    kind = type(value)
    if kind in AS_IT_IS:
        return value
    if kind is float:
        return value if value == value else None
    if kind is list or kind is tuple:
        return _listed(value, levels)
    return _mapping(value, levels) if kind is dict else _other(value, levels)


def _listed(value: Iterable[Any], levels: int) -> list[Any]:
    below = _below(levels)
    return [item if type(item) in AS_IT_IS else plain_value(item, below) for item in value]


def _below(levels: int) -> int:
    """Return the nesting allowed for the items of a list or mapping; raise NotPlain where none is left."""
    if levels <= 0:
        raise NotPlain(f"nested deeper than {DEEPEST} levels")
    return levels - 1


def plain_record(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a record of a table as plain data.

    Raises:
        NotPlain: when no file could contain a value; the message names its column.
    """
    found = {}
    for key, value in record.items():
        if not isinstance(key, str):
            raise NotPlain(f"the key {key!r:.40} is not a text")
        try:
            found[key] = value if type(value) in AS_IT_IS else in_full_depth(plain_value, value)
        except NotPlain as error:
            raise NotPlain(f"column `{key}`: {error}") from error
    return found


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
        >>> import numpy
        >>> as_plain(numpy.int64(3)), as_plain((1, float("nan"))), as_plain({"at": datetime.date(2026, 1, 2)})
        (3, (1, None), {'at': '2026-01-02'})
    """
    kind = type(value)
    if kind in AS_IT_IS or (kind is list and AS_IT_IS.issuperset(map(type, value))):
        return value
    return _changed(value, _leaf)


def of_library(value: Any) -> Any:
    """Return a value in which values of NumPy, pandas, Arrow and polars are converted to plain data, and NaN to None.

    Other values of Python and its standard library are left unchanged, at any depth.

    Examples:
        >>> import numpy
        >>> of_library([numpy.int64(3), Decimal("0.5"), numpy.float64("nan")])
        [3, Decimal('0.5'), None]
    """
    kind = type(value)
    if kind in AS_IT_IS or (kind is list and AS_IT_IS.issuperset(map(type, value))):
        return value
    return _changed(value, _leaf_of_library)


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


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    try:
        return _within(value, change, DEEPEST)
    except TooDeep as error:
        return Outcome.unscored(str(error))
    except RecursionError:
        return on_large_stack(_changed, value, change)


def _within(value: Any, change: Callable[[Any], Any], levels: int) -> Any:
    """Return a copy of a value with `change` applied to each item that is not a collection, at most `levels` deep."""
    kind = type(value)
    if not levels and kind in HOLDERS:
        raise TooDeep
    try:
        if kind is dict:
            if AS_IT_IS.issuperset(map(type, value.values())):
                return value
            return {
                k: item if type(item) in AS_IT_IS else _within(item, change, levels - 1) for k, item in value.items()
            }
        if kind is list or kind is tuple or kind is set or kind is frozenset:
            if AS_IT_IS.issuperset(map(type, value)):
                return value
            return kind(item if type(item) in AS_IT_IS else _within(item, change, levels - 1) for item in value)
        return change(value)
    except (NotPlain, TypeError):  # the steps that read the value report what is wrong with it
        return value


def _leaf(value: Any) -> Any:
    if type(value) is float:
        return value if value == value else None
    return _other(value)


def _leaf_of_library(value: Any) -> Any:
    kind = type(value)
    return _leaf(value) if kind is float or kind.__module__.partition(".")[0] in _LIBRARIES else value


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
        if all(depth == 0 or type(None) not in kinds for depth, (_, kinds) in enumerate(levels(values))):
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


def _mapping(value: Mapping[Any, Any], levels: int) -> dict[str, Any]:
    found, below = {}, _below(levels)
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotPlain(f"the key {key!r:.40} is not a text")
        found[str.__str__(key)] = item if type(item) in AS_IT_IS else plain_value(item, below)
    return found


def _other(value: Any, levels: int = DEEPEST) -> Any:
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas; NaT is an instance of datetime
        return None
    for kind, change in _KINDS:
        if isinstance(value, kind):
            return change(value)
    for kind, within in _NESTED_KINDS:
        if isinstance(value, kind):
            return within(value, levels)
    if hasattr(value, "dtype") and type(value).__module__.partition(".")[0] == "numpy":
        return _of_numpy(value)
    if hasattr(value, "as_py"):  # Arrow's scalars
        return plain_value(value.as_py())
    # Columns and arrays of pandas, polars, Arrow and tensor libraries; a table is not a value.
    read = next((getattr(value, name) for name in _LISTS if hasattr(value, name)), None)
    if read is not None and not hasattr(value, "columns"):
        return plain_value(read())
    raise NotPlain(f"a `{type(value).__name__}` is not a plain value")


def _of_numpy(value: Any) -> Any:
    """Return a NumPy scalar or array as plain data; raise NotPlain for a data type that no file could contain."""
    import numpy

    kind = value.dtype.kind
    if kind == "f":
        return plain_value(value.astype(float).tolist())
    if kind in "mM" and numpy.datetime_data(value.dtype)[0] in ("ns", "ps", "fs", "as"):
        coarse = value.astype(f"{value.dtype.name.partition('[')[0]}[us]")
        if not numpy.array_equal(coarse.astype(value.dtype), value, equal_nan=True):
            raise NotPlain(_FINER)
        value = coarse
    if kind in "biuUSTmMO":
        return plain_value(value.tolist())
    raise NotPlain(f"a `{type(value).__name__}` of {value.dtype} is not a plain value")


def _set(value: Iterable[Any], levels: int) -> set[Any]:
    below = _below(levels)
    try:
        return {plain_value(item, below) for item in value}
    except TypeError as error:
        raise NotPlain("a set of lists is not a plain value") from error


def _number(value: Decimal) -> int | float | None:
    if value.is_nan():
        return None
    is_whole = value.is_finite() and 0 <= int(value.as_tuple().exponent) <= _WHOLE_DIGITS
    return int(value) if is_whole else float(value)


def _text(value: bytes | bytearray | memoryview) -> str | bytes:
    content = bytes(value)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _time(value: Any) -> str:
    """Return a date or time as ISO 8601 text; raise NotPlain if a pandas time has nanoseconds."""
    if getattr(value, "nanosecond", 0):
        raise NotPlain(_FINER)
    return str(value.isoformat())


def _span(value: Any) -> float:
    if getattr(value, "nanoseconds", 0):
        raise NotPlain(_FINER)
    return float(value.total_seconds())


# Instances of subclasses, such as enumerations, are converted to the underlying value.
_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int),
    (float, lambda value: plain_value(float(value))),
    (bytes | bytearray | memoryview, _text),
    (Decimal, _number),
    (datetime.timedelta, _span),
    (datetime.date | datetime.time, _time),
)
_NESTED_KINDS: tuple[tuple[Any, Callable[[Any, int], Any]], ...] = (
    (set | frozenset, _set),
    (list | tuple, _listed),
    (Mapping, _mapping),
)
