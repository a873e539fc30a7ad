"""Read the rows of tables in memory: lists of records and other iterables of mappings.

Tables of columns, such as data frames and Arrow tables, are read by the service `tables-in-memory`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.data.file import InputFile, file_of
from scoring.data.file_format import Shape
from scoring.data.rows.read import read_blocks, read_rows, rows_of_blocks
from scoring.data.rows.row import SIZE, Block, Row
from scoring.errors import InputError
from scoring.registry.extension import service


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


def blocks_of_source(source: Any) -> Iterator[Block]:
    """Return the rows of a table, as by `rows_of`, in blocks.

    Raises:
        InputError: as for `rows_of`.
    """
    file = file_of(source)
    return _blocks_in_memory(source) if file is None else read_blocks(file)


def rows_in_memory(source: Any) -> Iterator[Row]:
    """Return the rows of a table in memory, which may be empty; see `rows_of`.

    Raises:
        InputError: when it is not a table.
    """
    return rows_of_blocks(_blocks_in_memory(source))


def _blocks_in_memory(source: Any) -> Iterator[Block]:
    if _has_columns(source):
        blocks: Iterator[Block] = _reader_of(source).blocks_of_table(source)
        return blocks
    if isinstance(source, Mapping | bytes) or not isinstance(source, Iterable):
        what = f"a `{type(source).__name__}`"
        raise InputError(f"{what} is not a table; give a path, a list of records, a data frame or an Arrow table")
    from scoring.data.rows.decoded import numbered_blocks

    # Whoever generates records expects that none is asked for before the one ahead of it was taken.
    return numbered_blocks("record", source, SIZE if isinstance(source, Sequence) else 1)


def shape_of(source: Any) -> Shape:
    """Return whether the rows of a table have their own keys ("records"), or share text "cells" or typed "columns"."""
    if isinstance(source, InputFile):
        return source.format.shape
    return "columns" if _has_columns(source) else "records"


def _has_columns(source: Any) -> bool:
    is_frame = is_of_library(source, "pandas", "DataFrame") or is_of_library(source, "polars", "LazyFrame")
    return is_frame or hasattr(source, "__arrow_c_stream__")


def _reader_of(table: Any) -> Any:
    return service("tables-in-memory", f"a `{type(table).__name__}`")


def is_of_library(source: Any, library: str, name: str) -> bool:
    """Return whether a value is an instance of the class `name` of a library, without importing the library."""
    module = sys.modules.get(library)
    return module is not None and isinstance(source, getattr(module, name))
