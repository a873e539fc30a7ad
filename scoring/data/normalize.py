"""Convert values of NumPy, pandas, Arrow, polars and Python's standard library to plain data.

Plain data are texts, numbers, booleans, None, lists, sets, and mappings with text keys, as in a file of JSON records.
NumPy and Arrow scalars become numbers or texts, arrays and columns become lists. NaN, NaT and NA are missing values:
None. Times become ISO 8601 texts, a `Decimal` the number with its digits in JSON, bytes their UTF-8 text (other bytes
stay bytes), a time span its seconds.

There are two variants. `plain_value` is for tables, whose values must equal those of a file with the same records:
tuples become lists, and values that no file could contain are refused. `changed` is for values that hosts, the
programs that call this package, pass directly: values of unknown types stay unchanged. Values that are plain already,
as most are, need none of this, see `scoring.data.plain_values`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from scoring.depth import DEEPEST, TooDeep, in_full_depth, on_large_stack
from scoring.result import Outcome
from scoring.values import AS_IT_IS, HOLDERS

_LIBRARIES = ("numpy", "pandas", "pyarrow", "polars")
_FINER = "a time finer than a microsecond"
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


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a host's value with all values within it changed by `leaf` or `leaf_of_library`; collections stay."""
    try:
        return _within(value, change, DEEPEST)
    except TooDeep as error:
        return Outcome.unscored(str(error))
    except RecursionError:
        return on_large_stack(changed, value, change)


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


def leaf(value: Any) -> Any:
    """Return a value that is no collection as plain data."""
    if type(value) is float:
        return value if value == value else None
    return _other(value)


def leaf_of_library(value: Any) -> Any:
    """Return a value as plain data if it is of another library, or NaN."""
    kind = type(value)
    return leaf(value) if kind is float or kind.__module__.partition(".")[0] in _LIBRARIES else value


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
