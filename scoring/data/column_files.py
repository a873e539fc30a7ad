"""Pieces of Parquet and Arrow files, as pyarrow reads them: Arrow batches of few enough rows, as bytes.

This runs in a copy of the process whose memory is bounded (`apart`). What a file says of sizes is a claim: it decides
how many rows are read at a time, and the bound holds where it is not true.

Source:
    Apache Parquet format, `ColumnMetaData` in parquet.thrift; Apache Arrow, columnar format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, BinaryIO

from scoring.data.arrow_types import as_bytes, as_values, within
from scoring.data.file import InputFile
from scoring.data.limits import beyond, limits
from scoring.data.os_errors import refused
from scoring.data.row_sizes import HELD, ROWS, pieces_of
from scoring.errors import InputError

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}
# What a nested value costs beside itself: where its list begins, and how deep it stands.
_LEVELS = 8
_DAMAGED = (
    "it is no whole Parquet or Arrow file: damaged, cut off, or of another kind than its name says; write it again"
)


def parquet_pieces(file: InputFile, stream: BinaryIO) -> Iterator[Any]:
    """Yield the names of a Parquet file's columns, as JSON, and then its rows.

    Raises:
        InputError: when the file is no Parquet, or too large.
    """
    with _reading(file.name):
        from pyarrow import parquet

        table = parquet.ParquetFile(stream, pre_buffer=False)
        names = table.schema_arrow.names
        _check_columns(file, table.metadata.num_columns)
        columns = None if file.columns is None else [name for name in names if name in file.columns]
        groups = range(file.part.start, table.num_row_groups if file.part.stop is None else file.part.stop)
        yield json.dumps(names).encode()
        for rows, some in _steps(table, groups, columns):
            yield from _sent(file, table.iter_batches(rows, row_groups=some, columns=columns))


def parquet_groups(file: InputFile, stream: BinaryIO) -> Iterator[bytes]:
    """Yield how many rows and bytes the row groups of a Parquet file have, as JSON."""
    with _reading(file.name):
        from pyarrow import parquet

        meta = parquet.ParquetFile(stream).metadata
        groups = map(meta.row_group, range(meta.num_row_groups))
        yield json.dumps([(group.num_rows, group.total_byte_size) for group in groups]).encode()


def arrow_pieces(file: InputFile, is_file: bool, stream: BinaryIO) -> Iterator[Any]:
    """Yield the names of the columns of an Arrow file or stream, as JSON, and then its rows.

    Raises:
        InputError: when the file is neither, or too large.
    """
    with _reading(file.name):
        from pyarrow import ipc

        opens = ipc.open_file if is_file else ipc.open_stream
        table = opens(stream)
        _check_columns(file, len(table.schema.names))
        yield json.dumps(table.schema.names).encode()
        yield from _sent(file, map(_checked, _batches(table, file) if is_file else table))


def arrow_groups(file: InputFile, stream: BinaryIO) -> Iterator[bytes]:
    """Yield how many rows and bytes the batches of an Arrow file have, as JSON."""
    with _reading(file.name):
        from pyarrow import ipc

        batches = _batches(ipc.open_file(stream), file)
        yield json.dumps([(batch.num_rows, batch.nbytes) for batch in batches]).encode()


def _batches(table: Any, file: InputFile) -> Iterator[Any]:
    stop = table.num_record_batches if file.part.stop is None else file.part.stop
    return map(table.get_batch, range(file.part.start, stop))


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Report errors of pyarrow in our own words: its messages are technical, and differ between its releases."""
    import pyarrow

    try:
        yield
    except (MemoryError, InputError):
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        of_library = isinstance(error, pyarrow.ArrowException) or (isinstance(error, OSError) and not error.errno)
        raise InputError(f"can't read {name}: {_DAMAGED if of_library else refused(error)}") from error


def most_memory(file: InputFile) -> int:
    """Return how many bytes of memory reading a file may take at once."""
    return max(limits().batch, limits().ratio * file.size)


def _affordable(file: InputFile, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches, as long as none takes more memory."""
    import pyarrow

    before = pyarrow.total_allocated_bytes()
    for batch in batches:
        if pyarrow.total_allocated_bytes() - before > most_memory(file):
            raise MemoryError
        yield batch


def _sent(file: InputFile, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches as bytes, in pieces, with each value written out."""
    from pyarrow import BufferOutputStream, ipc

    for piece in pieces_of(file.name, _affordable(file, batches), file.size):
        whole = _written_out(piece)
        sink = BufferOutputStream()
        with ipc.new_stream(sink, whole.schema) as writer:
            writer.write_batch(whole)
        yield sink.getvalue()


def _written_out(batch: Any) -> Any:
    """Return a batch without values that rows share: these would be sent whole with each piece."""
    import pyarrow as arrow

    columns = []
    for column in batch.columns:
        kind = within(column.type, as_values)
        try:
            columns.append(column if kind.equals(column.type) else column.cast(kind))
        except arrow.ArrowNotImplementedError:
            columns.append(column)
    return arrow.RecordBatch.from_arrays(columns, batch.schema.names)


def _check_columns(file: InputFile, count: int) -> None:
    if count > limits().columns:
        raise InputError(f"can't read {file.name}: {beyond(f'it has {count:,} columns', 'columns')}")


def _checked(batch: Any) -> Any:
    """Return a batch after checking that its offsets and lengths are inside it, which nothing else does.

    Texts are looked at as bytes: one that is no UTF-8 makes its row a bad one, and is found there.
    """
    batch.validate()
    for column in batch.columns:
        _check(column)
    return batch


def _check(array: Any) -> None:
    import pyarrow as arrow
    from pyarrow import compute

    if hasattr(array, "dictionary"):
        array.indices.validate(full=True)
        ends = compute.min_max(array.indices)
        if not 0 <= (ends["min"].as_py() or 0) <= (ends["max"].as_py() or 0) <= max(0, len(array.dictionary) - 1):
            raise arrow.ArrowInvalid("a place outside its dictionary")
        _check(array.dictionary)
    elif "dictionary" in str(array.type):  # which nobody can look at as something else
        array.validate(full=True)
    else:
        array.view(within(array.type, as_bytes)).validate(full=True)


def _steps(table: Any, groups: Sequence[int], columns: Sequence[str] | None) -> Iterator[tuple[int, list[int]]]:
    """Return how the row groups of a Parquet file are read so that little is in memory at the same time.

    Args:
        table: The file, opened by `pyarrow.parquet`.
        groups: The numbers of the groups.
        columns: Those that are read, None for all.

    Returns:
        How many rows are read at once, and neighbouring groups of which they are.
    """
    wanted = None if columns is None else set(columns)
    kinds = [(place, table.schema.column(place)) for place in range(table.metadata.num_columns)]
    places = [(place, kind) for place, kind in kinds if wanted is None or kind.path.partition(".")[0] in wanted]
    rows: list[tuple[int, int]] = []
    for number in groups:
        group = table.metadata.row_group(number)
        sizes = [_sizes(group.column(place), kind, max(1, group.num_rows)) for place, kind in places]
        row, longest = sum(size for size, _ in sizes), sum(size for _, size in sizes)
        rows.append((max(1, min(ROWS, int(HELD / max(1, row)), int(limits().batch / 2 / max(1, longest)))), number))
    return ((count, [number for _, number in some]) for count, some in groupby(rows, lambda one: one[0]))


def _sizes(column: Any, kind: Any, rows: int) -> tuple[float, float]:
    """Return about how many bytes a row has in a column of a row group, and at most how many, if values are shared.

    Args:
        column: What the footer says of it, as `pyarrow.parquet` gives it.
        kind: The column in the file's schema.
        rows: How many rows the group has.
    """
    width = kind.length if kind.physical_type == "FIXED_LEN_BYTE_ARRAY" else _WIDTHS.get(kind.physical_type, 0)
    size, values = column.total_uncompressed_size, column.num_values
    per_row = max(1.0, values / rows)
    row = max(size / rows, per_row * (width + _LEVELS * (kind.max_repetition_level > 0)))
    if width or not column.has_dictionary_page:
        return row, 0
    # A value may be as long as all that its dictionary holds, which is the chunk up to the first page of data.
    share = (column.data_page_offset - (column.dictionary_page_offset or 0)) / max(1, column.total_compressed_size)
    return row, per_row * size * min(1.0, max(0.0, share))
