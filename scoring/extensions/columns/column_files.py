"""Read Parquet and Arrow files by pyarrow, as serialized Arrow batches of limited numbers of rows.

This runs in a child process with limited memory (`run_in_child_process`). The sizes that a file states decide how many
rows are read at a time; where they are false, the memory limit applies.

Source:
    Apache Parquet format, `ColumnMetaData` in parquet.thrift; Apache Arrow, columnar format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, BinaryIO

from scoring.data.file import InputFile
from scoring.data.limits import limit_message, limits
from scoring.data.os_errors import refused
from scoring.errors import InputError
from scoring.extensions.columns.arrow_types import as_bytes, as_values, map_innermost
from scoring.extensions.columns.row_sizes import MOST_IN_MEMORY, ROWS, pieces_of

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}
# The bytes that a nested value costs in addition to itself: its list offset and its levels.
_LEVELS = 8
_DAMAGED = "it is not a complete Parquet or Arrow file: damaged, cut off, or not what its name says; write it again"


def parquet_pieces(file: InputFile, stream: BinaryIO) -> Iterator[Any]:
    """Yield the names of a Parquet file's columns, as JSON, and then its rows in serialized batches.

    Args:
        file: The file, for its name in messages, the columns to read, and the part of it to read.
        stream: The bytes of the file.

    Raises:
        InputError: when the file is not Parquet, or too large.
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
    """Yield, as JSON, a list of the numbers of rows and of bytes of each row group of a Parquet file."""
    with _reading(file.name):
        from pyarrow import parquet

        meta = parquet.ParquetFile(stream).metadata
        groups = map(meta.row_group, range(meta.num_row_groups))
        yield json.dumps([(group.num_rows, group.total_byte_size) for group in groups]).encode()


def arrow_pieces(file: InputFile, is_file: bool, stream: BinaryIO) -> Iterator[Any]:
    """Yield the names of the columns of an Arrow file or stream, as JSON, and then its rows in serialized batches.

    Args:
        file: The file, for its name in messages, and the part of it to read.
        is_file: Whether it is an Arrow file, and not an Arrow stream.
        stream: The bytes of the file.

    Raises:
        InputError: when the file is not of that form, or too large.
    """
    with _reading(file.name):
        from pyarrow import ipc

        opens = ipc.open_file if is_file else ipc.open_stream
        table = opens(stream)
        _check_columns(file, len(table.schema.names))
        yield json.dumps(table.schema.names).encode()
        yield from _sent(file, map(_checked, _batches(table, file) if is_file else table))


def arrow_groups(file: InputFile, stream: BinaryIO) -> Iterator[bytes]:
    """Yield, as JSON, a list of the numbers of rows and of bytes of each batch of an Arrow file."""
    with _reading(file.name):
        from pyarrow import ipc

        batches = _batches(ipc.open_file(stream), file)
        yield json.dumps([(batch.num_rows, batch.nbytes) for batch in batches]).encode()


def _batches(table: Any, file: InputFile) -> Iterator[Any]:
    stop = table.num_record_batches if file.part.stop is None else file.part.stop
    return map(table.get_batch, range(file.part.start, stop))


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Convert pyarrow's errors in a block to InputErrors about the file `name`, since its messages refer to its source
    code and differ between releases."""
    import pyarrow

    try:
        yield
    except (MemoryError, InputError):
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        of_library = isinstance(error, pyarrow.ArrowException) or (isinstance(error, OSError) and not error.errno)
        raise InputError(f"can't read {name}: {_DAMAGED if of_library else refused(error)}") from error


def most_memory(file: InputFile) -> int:
    """Return how many bytes of memory reading a file may take at a time, which depends on its size."""
    return max(limits().batch, limits().ratio * file.size)


def _affordable(file: InputFile, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches that are read from a file; raise MemoryError when one takes more memory than `most_memory`."""
    import pyarrow

    before = pyarrow.total_allocated_bytes()
    for batch in batches:
        if pyarrow.total_allocated_bytes() - before > most_memory(file):
            raise MemoryError
        yield batch


def _sent(file: InputFile, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of a file cut into pieces, each serialized as an Arrow stream without dictionary, run-end or
    view encoding."""
    from pyarrow import BufferOutputStream, ipc

    for piece in pieces_of(file.name, _affordable(file, batches), file.size):
        whole = _written_out(piece)
        sink = BufferOutputStream()
        with ipc.new_stream(sink, whole.schema) as writer:
            writer.write_batch(whole)
        yield sink.getvalue()


def _written_out(batch: Any) -> Any:
    """Return an Arrow batch converted from dictionary, run-end and view encodings to plain columns, so that it contains
    only the values of its own rows."""
    import pyarrow as arrow

    columns = []
    for column in batch.columns:
        kind = map_innermost(column.type, as_values)
        try:
            columns.append(column if kind.equals(column.type) else column.cast(kind))
        except arrow.ArrowNotImplementedError:
            columns.append(column)
    return arrow.RecordBatch.from_arrays(columns, batch.schema.names)


def _check_columns(file: InputFile, count: int) -> None:
    if count > limits().columns:
        raise InputError(f"can't read {file.name}: {limit_message(f'it has {count:,} columns', 'columns')}")


def _checked(batch: Any) -> Any:
    """Return an Arrow batch after checking that its offsets and lengths are within its buffers.

    Texts are checked as bytes, because a text that is not UTF-8 only makes its row invalid, which is found later.
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
            raise arrow.ArrowInvalid("an index outside its dictionary")
        _check(array.dictionary)
    elif "dictionary" in str(array.type):  # such a type can't be viewed as another
        array.validate(full=True)
    else:
        array.view(map_innermost(array.type, as_bytes)).validate(full=True)


def _steps(table: Any, groups: Sequence[int], columns: Sequence[str] | None) -> Iterator[tuple[int, list[int]]]:
    """Plan the reading of the row groups of a Parquet file so that little is in memory at a time.

    Args:
        table: The file, opened by `pyarrow.parquet`.
        groups: The numbers of the groups.
        columns: The columns to read, None for all.

    Returns:
        Pairs of the number of rows to read at a time, and the neighbouring groups to which it applies.
    """
    wanted = None if columns is None else set(columns)
    kinds = [(index, table.schema.column(index)) for index in range(table.metadata.num_columns)]
    read = [(index, kind) for index, kind in kinds if wanted is None or kind.path.partition(".")[0] in wanted]
    rows: list[tuple[int, int]] = []
    for number in groups:
        group = table.metadata.row_group(number)
        sizes = [_sizes(group.column(index), kind, max(1, group.num_rows)) for index, kind in read]
        row, longest = sum(size for size, _ in sizes), sum(size for _, size in sizes)
        rows.append(
            (max(1, min(ROWS, int(MOST_IN_MEMORY / max(1, row)), int(limits().batch / 2 / max(1, longest)))), number)
        )
    return ((count, [number for _, number in some]) for count, some in groupby(rows, lambda one: one[0]))


def _sizes(column: Any, kind: Any, rows: int) -> tuple[float, float]:
    """Return the approximate number of bytes of a row in one column of a row group, and its upper bound if the column
    is dictionary-encoded (0 otherwise).

    Args:
        column: The column's metadata from the footer, as returned by `pyarrow.parquet`.
        kind: The column in the file's schema.
        rows: The number of rows of the group.
    """
    width = kind.length if kind.physical_type == "FIXED_LEN_BYTE_ARRAY" else _WIDTHS.get(kind.physical_type, 0)
    size, values = column.total_uncompressed_size, column.num_values
    per_row = max(1.0, values / rows)
    row = max(size / rows, per_row * (width + _LEVELS * (kind.max_repetition_level > 0)))
    if width or not column.has_dictionary_page:
        return row, 0
    # A value may be as long as its whole dictionary, which is the column chunk up to the first data page.
    share = (column.data_page_offset - (column.dictionary_page_offset or 0)) / max(1, column.total_compressed_size)
    return row, per_row * size * min(1.0, max(0.0, share))
