"""Tables that Python holds, as rows: lists of records, data frames, Arrow tables, and whatever yields mappings."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import require
from scoring.data.readers.arrow import blocks_of_batches
from scoring.data.rows.read import read_blocks, read_rows
from scoring.data.rows.row import Block, InputError, Row, repeated, row_of

_BATCH = 4096
# Most values: they are looked for first, and at every place where that saves a call.
_AS_IT_IS = frozenset((str, int, bool, type(None)))
_FINER = "a time finer than a microsecond"


class NotPlain(ValueError):
    """A value that no file of records could hold; the message says which."""


def rows_of(source: Any) -> Iterator[Row]:
    """The rows of a table, wherever it is: the same ones for the same records.

    Args:
        source: A path, an `InputFile`, a pandas or polars DataFrame, an Arrow table or whatever streams Arrow batches,
            or an iterable of mappings. In memory, numpy's numbers become Python's, and NaN, NaT and NA are missing:
            None. A named pandas index is a column, as in a file that pandas writes.

    Raises:
        InputError: when it is no table, or can't be read.

    Examples:
        >>> [row.record for row in rows_of([{"id": 1, "logprob": float("nan")}])]
        [{'id': 1, 'logprob': None}]
        >>> next(rows_of([{"id": 1, "at": object()}])).reason
        'record 1: column `at`: a `object` is no plain value'
    """
    file = InputFile(str(source)) if isinstance(source, str | Path) else source
    return read_rows(file) if isinstance(file, InputFile) else rows_in_memory(file)


def blocks_or_rows(source: Any) -> Iterator[Row | Block]:
    """The same for whoever can take rows in blocks: a file gives blocks, a table in memory one row after another.

    Raises:
        InputError: as for `rows_of`.
    """
    file = InputFile(str(source)) if isinstance(source, str | Path) else source
    return read_blocks(file) if isinstance(file, InputFile) else rows_in_memory(file)


def rows_in_memory(source: Any) -> Iterator[Row]:
    """The rows of a table in memory, which may have none; see `rows_of`.

    Raises:
        InputError: when it is no table.
    """
    if _is(source, "pandas", "DataFrame"):
        return _pandas(source)
    if _is(source, "polars", "LazyFrame"):
        source = source.collect()
    if _is(source, "polars", "DataFrame") and not _has_nanoseconds(source):
        return _rows("row", source.iter_rows(named=True))
    if hasattr(source, "__arrow_c_stream__"):
        return _arrow(source)
    if isinstance(source, Mapping | bytes) or not isinstance(source, Iterable):
        what = f"a `{type(source).__name__}`"
        raise InputError(f"{what} is no table; give a path, a list of records, a data frame or an Arrow table")
    return _rows("record", source)


def _is(source: Any, library: str, name: str) -> bool:
    """Whether a value is of a library's class; a library that is not loaded made no value."""
    module = sys.modules.get(library)
    return module is not None and isinstance(source, getattr(module, name))


def _rows(unit: str, records: Iterable[Any]) -> Iterator[Row]:
    for number, record in enumerate(records, start=1):
        yield _row(f"{unit} {number}", record)


def _row(where: str, record: Any) -> Row:
    if not isinstance(record, Mapping):
        return row_of(where, record)
    found = {}
    for key, value in record.items():
        if not isinstance(key, str):
            return Row(where, None, f"the key {key!r:.40} is no text")
        try:
            found[key] = value if type(value) in _AS_IT_IS else plain_value(value)
        except NotPlain as error:
            return Row(where, None, f"column `{key}`: {error}")
        except RecursionError:
            return Row(where, None, f"column `{key}`: nested too deeply to read")
    return Row(where, found)


def _pandas(frame: Any) -> Iterator[Row]:
    """By columns, since pandas makes Python's values of a whole column at once."""
    if frame.index.names != [None]:
        try:
            frame = frame.reset_index()
        except ValueError as error:
            raise InputError(f"can't read the data frame: {error}") from error
    names = list(frame.columns)
    odd = next((name for name in names if not isinstance(name, str)), None)
    twice = repeated(names)
    if odd is not None or twice is not None:
        fault = f"the column `{twice}` stands twice" if odd is None else f"the column {odd!r} has no text as name"
        raise InputError(f"can't read the data frame: {fault}")
    return _rows("row", _pandas_records(frame, names))


def _pandas_records(frame: Any, names: list[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(frame), _BATCH):
        part = frame.iloc[start : start + _BATCH]
        for values in zip(*(part[name].tolist() for name in names), strict=True):
            yield dict(zip(names, values, strict=True))


def _has_nanoseconds(frame: Any) -> bool:
    """Whether a polars table holds times in nanoseconds, which polars itself would cut in silence."""
    return any("'ns'" in str(kind) or "Time" in str(kind) for kind in frame.dtypes)


def _arrow(source: Any) -> Iterator[Row]:
    arrow = require("a table that streams Arrow batches", "pyarrow", "scoring-dsl[parquet]")
    reader = arrow.RecordBatchReader.from_stream(source)
    for block in blocks_of_batches("the table", reader.schema.names, reader):
        for row in block.rows():
            yield row if row.record is None else _row(row.where, row.record)


def plain_value(value: Any) -> Any:
    """A value as a file of records would give it.

    Raises:
        NotPlain: when no file could hold it.

    Examples:
        >>> import numpy
        >>> plain_value({"a": (numpy.float32(0.5), numpy.array([1, 2])), "b": float("nan")})
        {'a': [0.5, [1, 2]], 'b': None}
    """
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is float:
        return value if value == value else None
    if kind is list or kind is tuple:
        return [item if type(item) in _AS_IT_IS else plain_value(item) for item in value]
    return _mapping(value) if kind is dict else _other(value)


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    found = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotPlain(f"the key {key!r:.40} is no text")
        found[str.__str__(key)] = item if type(item) in _AS_IT_IS else plain_value(item)
    return found


def _other(value: Any) -> Any:
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas'; NaT would pass for a datetime
        return None
    if hasattr(value, "dtype"):
        return _of_numpy(value)
    for kind, change in _KINDS:
        if isinstance(value, kind):
            return change(value)
    raise NotPlain(f"a `{type(value).__name__}` is no plain value")


def _of_numpy(value: Any) -> Any:
    """A number, text, time or array of numpy's; float64 is Python's float, too, but prints otherwise."""
    import numpy

    kind = getattr(value.dtype, "kind", "?")
    if kind == "f":
        return plain_value(value.astype(float).tolist())
    if kind in "mM" and numpy.datetime_data(value.dtype)[0] in ("ns", "ps", "fs", "as"):
        coarse = value.astype(f"{value.dtype.name.partition('[')[0]}[us]")
        if not numpy.array_equal(coarse.astype(value.dtype), value, equal_nan=True):
            raise NotPlain(_FINER)
        value = coarse
    if kind in "biuUSmMO":
        return plain_value(value.tolist())
    raise NotPlain(f"a `{type(value).__name__}` of {value.dtype} is no plain value")


def _set(value: Iterable[Any]) -> set[Any]:
    try:
        return {plain_value(item) for item in value}
    except TypeError as error:
        raise NotPlain("a set of lists is no plain value") from error


def _time(value: Any) -> Any:
    """A time as Python's own; pandas' are finer."""
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise NotPlain(_FINER)
    change = getattr(value, "to_pydatetime", None) or getattr(value, "to_pytimedelta", None)
    return change() if change is not None else value


# Subclasses, such as those of enumerations, are read as what they hold.
_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int),
    (float, lambda value: plain_value(float(value))),
    (bytes | bytearray, bytes),
    (Decimal, lambda value: value),
    (datetime.datetime | datetime.timedelta, _time),
    (datetime.date | datetime.time, lambda value: value),
    (set | frozenset, _set),
    (list | tuple, lambda value: [plain_value(item) for item in value]),
    (Mapping, _mapping),
)
