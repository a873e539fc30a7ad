"""The file formats Parquet and Arrow IPC (Feather), read by pyarrow (the extra `parquet`)."""

from __future__ import annotations

import io
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_read import not_utf8
from scoring.data.limits import limit_message, limits, shown_size
from scoring.data.rows.decoded import block_of, repeated
from scoring.data.rows.row import Block
from scoring.data.slice import Slice
from scoring.data.streams import read_whole
from scoring.errors import InputError
from scoring.extensions.columns.apart import BrokeDown, Work, run_in_child_process
from scoring.extensions.columns.arrow_values import arrow_values, why_unreadable
from scoring.extensions.columns.column_files import (
    arrow_groups,
    arrow_pieces,
    most_memory,
    parquet_groups,
    parquet_pieces,
)
from scoring.extensions.columns.row_sizes import expanded_size, pieces_of, size_of_batch

_NEEDS = ("pyarrow", "scoring-dsl[parquet]")
_FEATHER_1, _FILE = b"FEA1", b"ARRO"


def read_parquet(file: InputFile) -> Iterator[Block]:
    """Yield the rows of a Parquet file in blocks.

    Raises:
        InputError: when the file is not Parquet, or too large.
    """
    yield from _blocks(file, partial(parquet_pieces, file))


def cut_parquet(file: InputFile, size: int) -> Iterator[Slice]:
    """Cut a Parquet file into parts of consecutive row groups that have about `size` bytes together."""
    yield from _cut(file, _groups(file, partial(parquet_groups, file)), size)


def _cut(file: InputFile, groups: Sequence[tuple[int, int]], size: int) -> Iterator[Slice]:
    """Yield parts of a file with about `size` bytes each, given the numbers of rows and bytes of each row group or
    batch."""
    start = first = rows = weights = 0
    for number, (count, weight) in enumerate(groups, start=1):
        rows, weights = rows + count, weights + weight
        if weights >= size or number == len(groups):
            yield replace(file.part, kind=file.kind, start=start, stop=number, first=first)
            start, first, rows, weights = number, first + rows, 0, 0


def read_arrow(file: InputFile) -> Iterator[Block]:
    """Yield the rows of an Arrow IPC file, which Feather is, or of an Arrow IPC stream, in blocks.

    Raises:
        InputError: when the file is neither.
    """
    head = file.head(4)
    if head == _FEATHER_1:
        raise InputError(f"can't read {file.name}: it is Feather of version 1; write it again as version 2 or Parquet")
    yield from _blocks(file, partial(arrow_pieces, file, head == _FILE))


def cut_arrow(file: InputFile, size: int) -> Iterator[Slice]:
    """Cut an Arrow file into parts of consecutive batches with about `size` bytes together; a stream is one part."""
    if file.head(4) != _FILE:
        yield replace(file.part, kind=file.kind)
        return
    yield from _cut(file, _groups(file, partial(arrow_groups, file)), size)


def _groups(file: InputFile, work: Work) -> list[tuple[int, int]]:
    with closing(_apart(file, work)) as pieces:
        groups: list[tuple[int, int]] = json.loads(next(pieces))
    return groups


def _blocks(file: InputFile, work: Work) -> Iterator[Block]:
    from pyarrow import ipc

    with closing(_apart(file, work)) as pieces:
        names = json.loads(next(pieces))
        batches = (ipc.open_stream(piece).read_next_batch() for piece in pieces)
        yield from _rows(file.name, names, batches, file.part.first or 0)


def _apart(file: InputFile, work: Work) -> Generator[Any, None, None]:
    """Yield the pieces that `work` makes of a file in a forked child process.

    Args:
        file: The file.
        work: Called with a stream of the file's bytes; it yields pieces.

    Raises:
        InputError: when the file can't be read, reading takes too much memory, or the child process crashes.
    """
    import pyarrow.parquet  # noqa: F401  # before the fork, so not in each child

    most = most_memory(file)
    with file.open() as stream:
        source = stream if stream.seekable() else io.BytesIO(read_whole(stream, file.name))
        try:
            yield from run_in_child_process(source, work, most)
        except BrokeDown as error:
            what = "its reader fails on its metadata; write the file again"
            raise InputError(f"can't read {file.name}: {what}") from error
        except MemoryError as error:
            what = f"reading it takes more than {shown_size(most)} of memory at once"
            raise InputError(f"can't read {file.name}: {limit_message(what, 'batch')}") from error


def blocks_of_batches(name: str, names: Sequence[str], batches: Iterable[Any]) -> Iterator[Block]:
    """Yield the rows of Arrow record batches in memory, in blocks.

    Args:
        name: The name of the table in messages.
        names: The names of the columns.
        batches: The batches.

    Raises:
        InputError: when two columns have the same name.
    """
    return _rows(name, names, pieces_of(name, batches))


def _rows(name: str, names: Sequence[str], pieces: Iterable[Any], number: int = 0) -> Iterator[Block]:
    twice = repeated(names)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice}` appears twice")
    for piece in pieces:
        numbers = range(number + 1, number + piece.num_rows + 1)
        yield _block(piece, numbers, size_of_batch(piece))
        number += piece.num_rows


def _block(batch: Any, numbers: range, size: int) -> Block:
    """Return the rows of a batch as a block; if it can't be read as a whole, each row is read separately to find the
    bad ones.

    Args:
        batch: The Arrow batch.
        numbers: The numbers of its rows in the file.
        size: Its size in bytes, with all values written out.
    """
    names = batch.schema.names
    try:
        if size > limits().cell:
            raise OverflowError  # some cell may be too large
        columns = [arrow_values(column) for column in batch.columns]
    except (ValueError, OverflowError, KeyError):
        return block_of("row", zip(numbers, (_row(batch.slice(at, 1)) for at in range(len(numbers))), strict=True))
    rows = zip(*columns, strict=True) if columns else repeat((), len(numbers))
    return Block("row", numbers, [dict(zip(names, values)) for values in rows])  # noqa: B905  # they are as many


def _row(row: Any) -> dict[str, Any] | ValueError:
    record = {}
    for column in row.schema.names:
        try:
            size = expanded_size(row.column(column))
            if size > limits().cell:
                return ValueError(f"column `{column}`: {limit_message(f'a cell of {shown_size(size)}', 'cell')}")
            (record[column],) = arrow_values(row.column(column))
        except UnicodeDecodeError as error:
            return ValueError(f"column `{column}`: {not_utf8(error)}")
        except (ValueError, OverflowError, KeyError) as error:
            return ValueError(f"column `{column}`: {why_unreadable(error)}")
    return record


PARQUET = FileFormat(
    *("parquet", "Parquet", (".parquet", ".pq"), read_parquet, (b"PAR1", b"PARE")),
    needs=_NEEDS,
    cut=cut_parquet,
    shape="columns",
)
ARROW = FileFormat(
    *("arrow", "Arrow", (".arrow", ".arrows", ".ipc", ".feather"), read_arrow, (b"ARROW1",)),
    needs=_NEEDS,
    cut=cut_arrow,
    shape="columns",
)
