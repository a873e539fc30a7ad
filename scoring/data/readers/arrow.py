"""Parquet and Arrow IPC (Feather), by way of pyarrow (the extra `parquet`)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_text import not_utf8
from scoring.data.rows.row import InputError, Row

_BATCH = 4096
_NEEDS = ("pyarrow", "scoring-dsl[parquet]")
_FEATHER_1 = b"FEA1"


def read_parquet(file: InputFile) -> Iterator[Row]:
    """The rows of a Parquet file.

    Raises:
        InputError: when the file is not Parquet.
    """
    from pyarrow import parquet

    with file.open() as stream:
        yield from _read(file.name, lambda: _parquet(parquet.ParquetFile(_seekable(stream))))


def _parquet(table: Any) -> tuple[Sequence[str], Iterable[Any]]:
    return table.schema_arrow.names, table.iter_batches(_BATCH)


def read_arrow(file: InputFile) -> Iterator[Row]:
    """The rows of an Arrow IPC file or stream; Feather is the former.

    Raises:
        InputError: when the file is neither.
    """
    from pyarrow import ipc

    head = file.head(4)
    if head == _FEATHER_1:
        raise InputError(f"can't read {file.name}: it is Feather of version 1; write it again as version 2 or Parquet")
    with file.open() as stream:
        opens = _ipc_file if head == b"ARRO" else _ipc_stream
        yield from _read(file.name, lambda: opens(ipc, stream))


def _ipc_file(ipc: Any, stream: Any) -> tuple[Sequence[str], Iterable[Any]]:
    table = ipc.open_file(_seekable(stream))
    return table.schema.names, (table.get_batch(number) for number in range(table.num_record_batches))


def _ipc_stream(ipc: Any, stream: Any) -> tuple[Sequence[str], Iterable[Any]]:
    table = ipc.open_stream(stream)
    return table.schema.names, table


def _seekable(stream: Any) -> Any:
    return stream if stream.seekable() else io.BytesIO(stream.read())


def _read(name: str, opens: Any) -> Iterator[Row]:
    import pyarrow

    try:
        names, batches = opens()
        yield from rows_of_batches(name, names, batches)
    except pyarrow.ArrowException as error:
        raise InputError(f"can't read {name}: {' '.join(str(error).split())[:200]}") from error


def rows_of_batches(name: str, names: Sequence[str], batches: Iterable[Any]) -> Iterator[Row]:
    """The rows of Arrow record batches.

    Args:
        name: How messages call them.
        names: Their columns.
        batches: The batches.

    Raises:
        InputError: when a column stands twice.
    """
    twice = next((column for column in names if names.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice}` stands twice")
    number = 0
    for whole in batches:
        for start in range(0, whole.num_rows, _BATCH):
            batch = whole.slice(start, _BATCH)
            yield from _rows(batch, number)
            number += batch.num_rows


def _rows(batch: Any, before: int) -> Iterator[Row]:
    """The rows of a batch; where it can't be read as a whole, each row on its own, so that only bad ones are bad."""
    try:
        columns = [_values(column) for column in batch.columns]
    except (ValueError, OverflowError):
        for place in range(batch.num_rows):
            yield _row(f"row {before + place + 1}", batch.slice(place, 1))
        return
    names = batch.schema.names
    for number, values in enumerate(zip(*columns, strict=True), start=before + 1):
        yield Row(f"row {number}", dict(zip(names, values, strict=True)))


def _row(where: str, row: Any) -> Row:
    record = {}
    for column in row.schema.names:
        try:
            (record[column],) = _values(row.column(column))
        except UnicodeDecodeError as error:
            return Row(where, None, f"column `{column}`: {not_utf8(error)}")
        except (ValueError, OverflowError) as error:
            return Row(where, None, f"column `{column}`: {_why(error)}")
    return Row(where, record)


def _why(error: Exception) -> str:
    # A date after the year 9999, for example: Python has no such value.
    finer = "would lose data" in str(error)
    return "a time finer than a microsecond" if finer else f"the value can't be read ({type(error).__name__})"


def _values(column: Any) -> list[Any]:
    """The values of a column as Python's; pyarrow gives nanoseconds as pandas' own, where pandas is installed."""
    if "[ns" in str(column.type):
        column = column.cast(_coarse(column.type))
    values: list[Any] = column.to_pylist()
    return values


def _coarse(kind: Any) -> Any:
    """The type with microseconds in place of nanoseconds, however deep they stand."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_timestamp(kind):
        return arrow.timestamp("us", kind.tz)
    if types.is_duration(kind):
        return arrow.duration("us")
    if types.is_time64(kind):
        return arrow.time64("us")
    if types.is_dictionary(kind):
        return _coarse(kind.value_type)
    if types.is_map(kind):
        return arrow.map_(_coarse(kind.key_type), _coarse(kind.item_type))
    if types.is_struct(kind):
        return arrow.struct([(part.name, _coarse(part.type)) for part in kind])
    if types.is_fixed_size_list(kind):
        return arrow.list_(_coarse(kind.value_type), kind.list_size)
    if types.is_list(kind) or types.is_large_list(kind):
        return arrow.large_list(_coarse(kind.value_type))
    return kind


FORMATS = (
    FileFormat("parquet", "Parquet", (".parquet", ".pq"), read_parquet, (b"PAR1", b"PARE"), needs=_NEEDS),
    FileFormat("arrow", "Arrow", (".arrow", ".arrows", ".ipc", ".feather"), read_arrow, (b"ARROW1",), needs=_NEEDS),
)
