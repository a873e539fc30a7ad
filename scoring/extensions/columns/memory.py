"""Read the rows of tables of columns in memory: data frames of pandas and polars, and Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.file_format import require
from scoring.data.rows.decoded import numbered_blocks, repeated
from scoring.data.rows.memory import is_of_library
from scoring.data.rows.row import Block
from scoring.errors import InputError
from scoring.extensions.columns.formats import blocks_of_batches

_BATCH = 4096


def blocks_of_table(source: Any) -> Iterator[Block]:
    """Return the rows of a data frame, an Arrow table, or another source of Arrow batches, in blocks.

    Raises:
        InputError: when its columns have no names that a record could have.
    """
    if is_of_library(source, "pandas", "DataFrame"):
        return _pandas(source)
    if is_of_library(source, "polars", "LazyFrame"):
        source = source.collect()
    # Polars itself would silently truncate times in nanoseconds.
    is_polars = is_of_library(source, "polars", "DataFrame")
    if is_polars and not any("'ns'" in str(kind) or "Time" in str(kind) for kind in source.dtypes):
        return numbered_blocks("row", source.iter_rows(named=True))
    return _arrow(source)


def columns_of_frame(source: Any) -> dict[str, Any] | None:
    """Return the columns of a data frame of pandas or polars: an array for one of finite floats, a list for one of
    texts.

    None stands for any other source, and for a frame with columns of other kinds, missing values or an index of its
    own, whose rows have to be looked at one by one.
    """
    is_pandas = is_of_library(source, "pandas", "DataFrame")
    if not is_pandas and not is_of_library(source, "polars", "DataFrame"):
        return None
    names = list(source.columns)
    if (is_pandas and source.index.names != [None]) or set(map(type, names)) != {str} or repeated(names) is not None:
        return None
    columns: dict[str, Any] = {}
    for name in names:
        column = source[name]
        if str(column.dtype).lower() != "float64":
            columns[name] = column.to_list()
            if set(map(type, columns[name])) != {str}:
                return None
            continue
        columns[name] = column.to_numpy()
        if columns[name].dtype != "float64" or not np.isfinite(columns[name]).all():
            return None
    return columns


def turned_columns(source: Any) -> list[str]:
    """Return the names of the columns of a pandas frame in which whole numbers became floats, since NumPy has no
    missing integers; [] for other tables."""
    if not is_of_library(source, "pandas", "DataFrame"):
        return []
    numbers = source.select_dtypes("floating")
    lacking = [name for name in numbers if numbers[name].hasnans]
    return [str(name) for name in lacking if (numbers[name].dropna().to_numpy(dtype="float64") % 1 == 0).all()]


def _pandas(frame: Any) -> Iterator[Block]:
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
    return numbered_blocks("row", _pandas_records(frame, names))


def _pandas_records(frame: Any, names: list[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(frame), _BATCH):
        part = frame.iloc[start : start + _BATCH]
        for values in zip(*(part[name].tolist() for name in names), strict=True):
            yield dict(zip(names, values, strict=True))


def _arrow(source: Any) -> Iterator[Block]:
    arrow = require("a table that streams Arrow batches", "pyarrow", "scoring-dsl[parquet]")
    reader = arrow.RecordBatchReader.from_stream(source)
    yield from blocks_of_batches("the table", reader.schema.names, reader)
