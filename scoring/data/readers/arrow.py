"""Parquet and Arrow IPC (Feather), by way of pyarrow (the extra `parquet`)."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_text import NotJson, not_utf8, parse
from scoring.data.limits import beyond, limits, shown_size
from scoring.data.message_sizes import check_messages
from scoring.data.page_sizes import HELD, check_footer, check_groups
from scoring.data.plain import NotPlain, plain_value
from scoring.data.refused import refused
from scoring.data.row_sizes import size_of, size_of_batch
from scoring.data.rows.row import Block, InputError, block_of, repeated
from scoring.data.slice import Slice
from scoring.data.streams import too_much, whole
from scoring.depth import DEEPEST

_BATCH = 4096
# What a row counts at least: without it a file of empty columns would have no end.
_ROW = 8
_NEEDS = ("pyarrow", "scoring-dsl[parquet]")
_FEATHER_1 = b"FEA1"


def read_parquet(file: InputFile) -> Iterator[Block]:
    """The rows of a Parquet file.

    Raises:
        InputError: when the file is not Parquet.
    """
    with file.open() as stream:
        source = _seekable(stream, file)
        yield from _read(file, lambda: _parquet(source, file))


def _parquet(source: Any, file: InputFile) -> tuple[Sequence[str], Iterable[Any]]:
    from pyarrow import parquet

    table = parquet.ParquetFile(source, pre_buffer=False)
    names = table.schema_arrow.names
    _check_columns(file, table.metadata.num_columns)
    check_footer(table.metadata, file.name)
    columns = None if file.columns is None else [name for name in names if name in file.columns]
    groups = range(file.part.start, table.num_row_groups if file.part.stop is None else file.part.stop)
    wide, steps = check_groups(source, table, file, groups, columns)
    if wide:  # a value that is stored once and stands in many rows is one value in memory
        table = parquet.ParquetFile(source, pre_buffer=False, read_dictionary=wide)
    read = (table.iter_batches(rows, row_groups=list(some), columns=columns) for rows, some in steps)
    return names, chain.from_iterable(read)


def _check_columns(file: InputFile, count: int) -> None:
    if count > limits().columns:
        raise InputError(f"can't read {file.name}: {beyond(f'it has {count:,} columns', 'columns')}")


def cut_parquet(file: InputFile, size: int) -> Iterator[Slice]:
    """The parts of a Parquet file: neighbouring row groups of about so many bytes together."""
    from pyarrow import parquet

    with file.open() as stream:
        meta = parquet.ParquetFile(_seekable(stream, file)).metadata
        check_footer(meta, file.name)
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    yield from _cut(file, [(group.num_rows, group.total_byte_size) for group in groups], size)


def _cut(file: InputFile, groups: Sequence[tuple[int, int]], size: int) -> Iterator[Slice]:
    """Neighbouring groups together, told by their rows and bytes."""
    start = first = rows = held = 0
    for number, (count, weight) in enumerate(groups, start=1):
        rows, held = rows + count, held + weight
        if held >= size or number == len(groups):
            yield replace(file.part, kind=file.kind, start=start, stop=number, first=first)
            start, first, rows, held = number, first + rows, 0, 0


def read_arrow(file: InputFile) -> Iterator[Block]:
    """The rows of an Arrow IPC file or stream; Feather is the former.

    Raises:
        InputError: when the file is neither.
    """
    from pyarrow import ipc

    head = file.head(4)
    if head == _FEATHER_1:
        raise InputError(f"can't read {file.name}: it is Feather of version 1; write it again as version 2 or Parquet")
    with file.open() as stream:
        yield from _read(file, lambda: _arrow(ipc, stream, file, is_file=head == b"ARRO"))


def _arrow(ipc: Any, stream: Any, file: InputFile, *, is_file: bool) -> tuple[Sequence[str], Iterable[Any]]:
    source = _seekable(stream, file)
    check_messages(source, file.name, is_file)
    table = ipc.open_file(source) if is_file else ipc.open_stream(source)
    _check_columns(file, len(table.schema.names))
    if not is_file:
        return table.schema.names, map(_checked, table)
    numbers = range(file.part.start, table.num_record_batches if file.part.stop is None else file.part.stop)
    return table.schema.names, (_checked(table.get_batch(number)) for number in numbers)


def _checked(batch: Any) -> Any:
    """A batch whose places and lengths point into it, which nobody else makes sure of.

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
        array.view(_within(array.type, _as_bytes)).validate(full=True)


def _within(kind: Any, change: Callable[[Any], Any]) -> Any:
    """A type in which those that stand inside it are changed, however deep."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_struct(kind):
        return arrow.struct([(part.name, _within(part.type, change)) for part in kind])
    if types.is_map(kind):
        return arrow.map_(_within(kind.key_type, change), _within(kind.item_type, change))
    if types.is_fixed_size_list(kind):
        return arrow.list_(_within(kind.value_type, change), kind.list_size)
    if types.is_list(kind):
        return arrow.list_(_within(kind.value_type, change))
    if types.is_large_list(kind):
        return arrow.large_list(_within(kind.value_type, change))
    return change(kind)


def _as_bytes(kind: Any) -> Any:
    """Bytes in place of a text."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_string(kind):
        return arrow.binary()
    if types.is_large_string(kind):
        return arrow.large_binary()
    return arrow.binary_view() if types.is_string_view(kind) else kind


def cut_arrow(file: InputFile, size: int) -> Iterator[Slice]:
    """The parts of an Arrow file: neighbouring batches of about so many bytes together; a stream has none."""
    from pyarrow import ipc

    if file.head(4) != b"ARRO":
        yield replace(file.part, kind=file.kind)
        return
    with file.open() as stream:
        source = _seekable(stream, file)
        check_messages(source, file.name, is_file=True)
        table = ipc.open_file(source)
        batches = map(table.get_batch, range(table.num_record_batches))
        yield from _cut(file, [(batch.num_rows, batch.nbytes) for batch in batches], size)


def _seekable(stream: Any, file: InputFile) -> Any:
    return stream if stream.seekable() else io.BytesIO(whole(stream, file.name))


def _read(file: InputFile, opens: Any) -> Iterator[Block]:
    import pyarrow

    try:
        names, batches = opens()
        yield from blocks_of_batches(file.name, names, batches, file.part.first or 0, file.size)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        # The library's words are those of its sources, and differ between its releases.
        of_library = isinstance(error, pyarrow.ArrowException) or (isinstance(error, OSError) and not error.errno)
        why = _DAMAGED if of_library else refused(error)
        raise InputError(f"can't read {file.name}: {why}") from error


_DAMAGED = (
    "it is no whole Parquet or Arrow file: damaged, cut off, or of another kind than its name says; write it again"
)


def blocks_of_batches(
    name: str, names: Sequence[str], batches: Iterable[Any], number: int = 0, stored: int | None = None
) -> Iterator[Block]:
    """The rows of Arrow record batches.

    Args:
        name: How messages call them.
        names: Their columns.
        batches: The batches.
        number: How many rows stand before them.
        stored: How many bytes the file has that they come from, which they must be in proportion to.

    Raises:
        InputError: when a column stands twice, or they come to too much.
    """
    twice = repeated(names)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice}` stands twice")
    count, most = 0, math.inf if stored is None else max(limits().unpacked, limits().ratio * stored)
    for held in batches:
        for start in range(0, held.num_rows, _BATCH):
            part = held if held.num_rows <= _BATCH else held.slice(start, _BATCH)
            size = size_of_batch(part)
            count += size + _ROW * part.num_rows
            if count > most:
                raise too_much(name, stored or 0, count)
            for batch in _pieces(part, size):
                numbers = range(number + 1, number + batch.num_rows + 1)
                yield _block(batch, numbers, size)
                number += batch.num_rows


def _pieces(batch: Any, size: int) -> Iterator[Any]:
    """A batch in pieces of rows that may be in memory together."""
    if batch.num_rows < 2 or size <= HELD:
        yield batch
        return
    middle = batch.num_rows // 2
    for half in (batch.slice(0, middle), batch.slice(middle)):
        yield from _pieces(half, size_of_batch(half))


def _block(batch: Any, numbers: range, size: int) -> Block:
    """The rows of a batch; where it can't be read as a whole, each row on its own, so that only bad ones are bad."""
    names = batch.schema.names
    try:
        if size > limits().cell:
            raise OverflowError  # some cell may be too large
        columns = [_values(column) for column in batch.columns]
    except (ValueError, OverflowError, KeyError):
        return block_of("row", zip(numbers, (_row(batch.slice(at, 1)) for at in range(len(numbers))), strict=True))
    rows = zip(*columns, strict=True) if columns else repeat((), len(numbers))
    return Block("row", numbers, [dict(zip(names, values)) for values in rows])  # noqa: B905  # they are as many


def _row(row: Any) -> dict[str, Any] | ValueError:
    record = {}
    for column in row.schema.names:
        try:
            size = size_of(row.column(column))
            if size > limits().cell:
                return ValueError(f"column `{column}`: {beyond(f'a cell of {shown_size(size)}', 'cell')}")
            (record[column],) = _values(row.column(column))
        except UnicodeDecodeError as error:
            return ValueError(f"column `{column}`: {not_utf8(error)}")
        except (ValueError, OverflowError, KeyError) as error:
            return ValueError(f"column `{column}`: {_why(error)}")
    return record


def _why(error: Exception) -> str:
    if isinstance(error, NotPlain | NotJson):
        return str(error)
    # A date after the year 9999, for example: Python has no such value.
    finer = "would lose data" in str(error)
    return "a time finer than a microsecond" if finer else f"the value can't be read ({type(error).__name__})"


def _values(column: Any) -> list[Any]:
    """The values of a column, plain; pyarrow gives nanoseconds as pandas' own, where pandas is installed."""
    kind = column.type
    if hasattr(column, "dictionary"):  # written out at once, since each value would be looked up by itself
        column = column.dictionary_decode()
        kind = column.type
    if "[ns" in str(kind):
        column = column.cast(_within(kind, _coarse))
    if _is_plain(column):
        values: list[Any] = column.to_pylist()
        return values
    found = column.to_pylist(maps_as_pydicts="strict")
    if "arrow.json" in str(kind):  # texts that are said to be JSON, as DuckDB has them
        return [None if text is None else plain_value(parse(text, once=True, levels=DEEPEST)) for text in found]
    return list(map(plain_value, found))


def _is_plain(column: Any) -> bool:
    """Whether the values of a column are plain as they come: most are, and nobody looks at them one by one."""
    import pyarrow as arrow
    from pyarrow import compute

    types, kind = arrow.types, column.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind) or types.is_boolean(kind):
        return True
    if types.is_float32(kind) or types.is_float64(kind):
        return not compute.any(compute.is_nan(column)).as_py()
    if types.is_dictionary(kind):
        return _is_plain(column.dictionary)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(column.flatten())
    if types.is_struct(kind):
        return all(_is_plain(column.field(number)) for number in range(kind.num_fields))
    return bool(types.is_null(kind) or types.is_string_view(kind))


def _coarse(kind: Any) -> Any:
    """Microseconds in place of nanoseconds."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_timestamp(kind):
        return arrow.timestamp("us", kind.tz)
    if types.is_duration(kind):
        return arrow.duration("us")
    if types.is_time64(kind):
        return arrow.time64("us")
    return _within(kind.value_type, _coarse) if types.is_dictionary(kind) else kind


_PARQUET, _ARROW = (".parquet", ".pq"), (".arrow", ".arrows", ".ipc", ".feather")
FORMATS = (
    FileFormat(
        "parquet", "Parquet", _PARQUET, read_parquet, (b"PAR1", b"PARE"), needs=_NEEDS, cut=cut_parquet, shape="columns"
    ),
    FileFormat("arrow", "Arrow", _ARROW, read_arrow, (b"ARROW1",), needs=_NEEDS, cut=cut_arrow, shape="columns"),
)
