"""Read the rows of tables in memory: lists of records, data frames, Arrow tables, and other iterables of mappings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.data.file import InputFile, file_of
from scoring.data.file_format import Shape, require
from scoring.data.normalize import NotPlain, plain_record
from scoring.data.readers.arrow import blocks_of_batches
from scoring.data.rows.read import read_blocks, read_rows
from scoring.data.rows.row import Block, Row, no_record, repeated
from scoring.errors import InputError

_BATCH = 4096


def rows_of(source: Any) -> Iterator[Row]:
    """Return the rows of a table in a file or in memory; the same records yield the same rows in any form.

    Args:
        source: A path, an `InputFile`, a pandas or polars DataFrame, an Arrow table or another source of Arrow
            batches, or an iterable of mappings. Values of other libraries become plain, see `scoring.data.normalize`;
            NaN, NaT and NA are missing: None. A named pandas index is a column, as in a file that pandas writes.

    Raises:
        InputError: when it is not a table, or can't be read.

    Examples:
        >>> [row.record for row in rows_of([{"id": 1, "logprob": float("nan")}])]
        [{'id': 1, 'logprob': None}]
        >>> next(rows_of([{"id": 1, "at": object()}])).reason
        'record 1: column `at`: a `object` is not a plain value'
    """
    file = file_of(source)
    return rows_in_memory(source) if file is None else read_rows(file)


def blocks_or_rows(source: Any) -> Iterator[Row | Block]:
    """Return the rows of a table, as by `rows_of`, but in blocks for a file.

    Raises:
        InputError: as for `rows_of`.
    """
    file = file_of(source)
    return rows_in_memory(source) if file is None else read_blocks(file)


def rows_in_memory(source: Any) -> Iterator[Row]:
    """Return the rows of a table in memory, which may be empty; see `rows_of`.

    Raises:
        InputError: when it is not a table.
    """
    if _is(source, "pandas", "DataFrame"):
        return _pandas(source)
    if _is(source, "polars", "LazyFrame"):
        source = source.collect()
    # Polars itself would silently truncate times in nanoseconds.
    is_polars = _is(source, "polars", "DataFrame")
    if is_polars and not any("'ns'" in str(kind) or "Time" in str(kind) for kind in source.dtypes):
        return _rows("row", source.iter_rows(named=True))
    if hasattr(source, "__arrow_c_stream__"):
        return _arrow(source)
    if isinstance(source, Mapping | bytes) or not isinstance(source, Iterable):
        what = f"a `{type(source).__name__}`"
        raise InputError(f"{what} is not a table; give a path, a list of records, a data frame or an Arrow table")
    return _rows("record", source)


def shape_of(source: Any) -> Shape:
    """Return whether the rows of a table are records with their own keys, or share the same cells or columns."""
    if isinstance(source, InputFile):
        return source.format.shape
    is_frame = any(_is(source, *frame) for frame in (("pandas", "DataFrame"), ("polars", "LazyFrame")))
    return "columns" if is_frame or hasattr(source, "__arrow_c_stream__") else "records"


def floats_for_whole_numbers(source: Any) -> list[str]:
    """Return the columns of a pandas frame whose whole numbers became floats, since NumPy has no missing integers."""
    if not _is(source, "pandas", "DataFrame"):
        return []
    numbers = source.select_dtypes("floating")
    return [str(name) for name in numbers if numbers[name].hasnans and (numbers[name].dropna() % 1 == 0).all()]


def _is(source: Any, library: str, name: str) -> bool:
    """Return whether a value is an instance of a library's class, without importing the library."""
    module = sys.modules.get(library)
    return module is not None and isinstance(source, getattr(module, name))


def _rows(unit: str, records: Iterable[Any]) -> Iterator[Row]:
    for number, record in enumerate(records, start=1):
        where = f"{unit} {number}"
        if not isinstance(record, Mapping):
            yield Row(where, None, no_record(record))
            continue
        try:
            yield Row(where, plain_record(record))
        except NotPlain as error:
            yield Row(where, None, str(error))


def _pandas(frame: Any) -> Iterator[Row]:
    """Return the rows of a pandas frame, read by columns, which pandas converts to Python values fastest."""
    if frame.index.names != [None]:
        try:
            frame = frame.reset_index()
        except ValueError as error:
            raise InputError(f"can't read the data frame: {error}") from error
    names = list(frame.columns)
    odd = next((name for name in names if not isinstance(name, str)), None)
    twice = repeated(names)
    if odd is not None or twice is not None:
        fault = f"the column `{twice}` appears twice" if odd is None else f"a column is named {odd!r}, not a text"
        raise InputError(f"can't read the data frame: {fault}")
    return _rows("row", _pandas_records(frame, names))


def _pandas_records(frame: Any, names: list[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(frame), _BATCH):
        part = frame.iloc[start : start + _BATCH]
        for values in zip(*(part[name].tolist() for name in names), strict=True):
            yield dict(zip(names, values, strict=True))


def _arrow(source: Any) -> Iterator[Row]:
    arrow = require("a table that streams Arrow batches", "pyarrow", "scoring-dsl[parquet]")
    reader = arrow.RecordBatchReader.from_stream(source)
    for block in blocks_of_batches("the table", reader.schema.names, reader):
        yield from block.rows()
