"""How much a Parquet file comes to, told by its footer and the headers of its pages, before anything is unpacked.

What a file's footer says of sizes is a claim: whoever unpacks believes the headers of the pages alone, which state how
large each one gets and how many values stand in it. So these are looked through; a header is some fields of Thrift's
compact protocol. How long the values of a dictionary are is not in them, so it is taken for as long as the dictionary.

What pyarrow refuses while it reads is an exception here. What it refuses while it is asked about a column of a row
group (sizes that contradict the schema, a column that is encrypted) ends the whole process: C++ raises where nobody
can catch it. So a fork asks first, and asks for everything; it shares this process' memory, and costs milliseconds.

Source:
    Apache Parquet format, `PageHeader` in parquet.thrift; Apache Thrift, compact protocol.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from scoring import system
from scoring.data.file import InputFile
from scoring.data.limits import beyond, limits, shown_size
from scoring.data.refused import refused
from scoring.data.rows.row import InputError

HELD = 32 << 20
"""About so many bytes of rows are in memory together, if a single one has no more."""
ROWS = 4096
"""So many rows are read at once, if they are no larger than that."""
FEW = 800
"""So many are where a dictionary has the size at which writers end one (about 1 MB), which bounds them by itself."""

_HEAD = 256
_BUFFER = 1 << 16
_MOST_HEAD = 1 << 24
_INDEX, _DICTIONARY = 1, 2
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}
# What a nested value costs beside itself: where its list begins, and how deep it stands.
_LEVELS = 8
_INTEGERS = (3, 4, 5, 6)


class ChunkSize(NamedTuple):
    """What one column of a row group comes to.

    Args:
        name: The column's path.
        stored: Its bytes in the file.
        unpacked: Those of its pages.
        page: Those of its largest page.
        dictionary: Those of its dictionary, at least as many as its longest value has; 0 where values stand by
            themselves.
        values: How many values it has.
        dense: The most bytes for a value of a page.
        width: Bytes of a value; 0 where they differ.
        is_nested: Whether a row has several values.
    """

    name: str
    stored: int
    unpacked: int
    page: int
    dictionary: int
    values: int
    dense: float
    width: int
    is_nested: bool

    @property
    def at_once(self) -> int:
        """How many bytes may be in memory at once, however few rows are read at a time."""
        if not self.is_nested:
            return self.page + self.dictionary
        return max(self.unpacked, self.values * (self.width or 4)) + self.values * _LEVELS


def chunk_size(stream: Any, column: Any, kind: Any, pages: bool) -> ChunkSize:
    """What a column of a row group comes to.

    Args:
        stream: The file, where one can go to any place.
        column: What the footer says of it, as `pyarrow.parquet` gives it.
        kind: The column in the file's schema.
        pages: Whether its pages are looked through; otherwise the footer is believed.

    Raises:
        InputError: when a header can't be read.
    """
    width = kind.length if kind.physical_type == "FIXED_LEN_BYTE_ARRAY" else _WIDTHS.get(kind.physical_type, 0)
    name, stored, is_nested = column.path_in_schema, column.total_compressed_size, kind.max_repetition_level > 0
    if not pages:
        size, values = column.total_uncompressed_size, column.num_values
        has_dictionary = column.has_dictionary_page and not width
        dense = size / max(1, values)
        return ChunkSize(name, stored, size, size, size * has_dictionary, values, dense, width, is_nested)
    starts = [place for place in (column.dictionary_page_offset, column.data_page_offset) if place]
    at = min(starts, default=0)
    end = at + stored
    unpacked = page = dictionary = values = 0
    dense = 0.0
    while at < end:
        try:
            fields, length = _header(stream, at)
            form, size, packed = fields.get(1), *map(_size, (fields.get(2), fields.get(3)))
            count = _size(_part(fields, 5, 8).get(1)) if form not in (_DICTIONARY, _INDEX) else 0
        except ValueError as error:
            if values >= column.num_values:  # nobody reads what stands behind the last page
                break
            raise InputError(f"a page of the column `{name}` is {error}; write the file again") from error
        unpacked, page = unpacked + size, max(page, size)
        if form == _DICTIONARY:
            dictionary = max(dictionary, 0 if width else size)
        elif form != _INDEX:
            values, dense = values + count, max(dense, size / max(1, count))
        at += length + packed
    return ChunkSize(name, stored, unpacked, page, dictionary, values, dense, width, is_nested)


def _part(fields: Mapping[int, Any], *places: int) -> Mapping[int, Any]:
    """The first of some parts of a header that is there.

    Raises:
        ValueError: when it is no part.
    """
    found: Any = next((fields[place] for place in places if fields.get(place)), {})
    if not isinstance(found, dict):
        raise ValueError("damaged")
    return found


def check_groups(
    source: Any, table: Any, file: InputFile, groups: Sequence[int], columns: Sequence[str] | None
) -> tuple[list[str], Iterator[tuple[int, list[int]]]]:
    """How the row groups of a Parquet file are read so that little is in memory at once.

    Args:
        source: The file, where one can go to any place.
        table: The same, opened by `pyarrow.parquet`.
        file: Its name; of one that is far away the footer is believed, since its pages would be fetched twice.
        groups: The numbers of the groups.
        columns: Those that are read, None for all.

    Returns:
        The columns whose values are read as places in a dictionary, and neighbouring groups with how many rows of them
        are read at once.

    Raises:
        InputError: when a group comes to more than may be in memory at once.
    """
    wanted = None if columns is None else set(columns)
    places = [
        (place, table.schema.column(place))
        for place in range(table.metadata.num_columns)
        if wanted is None or table.schema.column(place).path.partition(".")[0] in wanted
    ]
    wide: dict[str, None] = {}
    rows: list[tuple[int, int]] = []
    for number, sizes in _sizes(source, table, file, groups, places):
        row = sum(_of_row(size, max(1, table.metadata.row_group(number).num_rows)) for size in sizes)
        count = max(1, min(ROWS, int(HELD / max(1.0, row))))
        large = [size for size in sizes if size.name not in wide and not _fits(size, count)]
        if large and all(_fits(size, FEW) for size in large):
            count = FEW  # which costs less than to look into dictionaries
        else:
            wide |= {size.name: None for size in large if _is_wide(size, source, table, number, count)}
        rows.append((count, number))
    steps = ((count, [number for _, number in some]) for count, some in groupby(rows, key=lambda one: one[0]))
    return list(wide), steps


def _sizes(
    source: Any, table: Any, file: InputFile, groups: Sequence[int], places: Sequence[tuple[int, Any]]
) -> Iterator[tuple[int, list[ChunkSize]]]:
    """What each group comes to, by columns."""
    with nullcontext(source) if isinstance(source, io.BytesIO) else file.open_raw() as stored:
        pages = getattr(stored, "raw", stored)  # a buffer would be filled anew for every header
        for number in groups:
            group = table.metadata.row_group(number)
            try:
                sizes = [chunk_size(pages, group.column(place), kind, pages=not file.is_far) for place, kind in places]
                _check_group(sizes)
            except (InputError, ValueError, OSError) as error:
                why = error if isinstance(error, InputError) else refused(error)
                raise InputError(f"can't read {file.name}: row group {number + 1}: {why}") from error
            yield number, sizes


def _check_group(sizes: Sequence[ChunkSize]) -> None:
    held, stored = sum(size.at_once for size in sizes), sum(size.stored for size in sizes)
    if held > limits().batch and held > limits().ratio * stored:
        largest = max(sizes, key=lambda size: size.at_once)
        what = f"{shown_size(stored)} unpack to {shown_size(held)} at once, most of it in the column `{largest.name}`"
        raise InputError(beyond(what, "batch"))


def _at_once(size: ChunkSize, rows: int) -> int:
    return size.values if size.is_nested else min(size.values, rows)


def _fits(size: ChunkSize, rows: int) -> bool:
    """Whether so many rows may be in memory, though each value were as long as its dictionary."""
    return size.dictionary * _at_once(size, rows) <= limits().batch


def _is_wide(size: ChunkSize, source: Any, table: Any, group: int, rows: int) -> bool:
    """Whether values of a dictionary, written out, do come to more than may be in memory at once."""
    from pyarrow import compute, parquet

    # Most dictionaries have many short values: how long the longest is stands in the dictionary itself.
    settings = {"metadata": table.metadata, "pre_buffer": False, "buffer_size": _BUFFER}
    alone = parquet.ParquetFile(source, read_dictionary=[size.name], **settings)
    batch = next(alone.iter_batches(1, row_groups=[group], columns=[size.name]), None)
    array = None if batch is None else batch.column(0)
    while array is not None and "dictionary" in str(array.type) and not hasattr(array, "dictionary"):
        array = array.field(0) if hasattr(array, "field") else array.flatten()
    if array is None or not hasattr(array, "dictionary"):
        return True
    longest = compute.max(compute.binary_length(array.dictionary)).as_py() or 0
    return bool(longest * _at_once(size, rows) > limits().batch)


def _of_row(size: ChunkSize, rows: int) -> float:
    """About how many bytes a row has in a column, the most where that is known."""
    return size.at_once / rows if size.is_nested else max(size.width, size.dense)


def _size(found: Any) -> int:
    if type(found) is not int or found < 0:
        raise ValueError("without a size")
    return found


def _header(stream: Any, at: int) -> tuple[dict[int, Any], int]:
    """The fields of a page's header by their numbers, and its length."""
    most = _HEAD
    while True:
        stream.seek(at)
        text = stream.read(most)
        try:
            return _Compact(text).struct()
        except IndexError as error:
            if len(text) < most or most >= _MOST_HEAD:
                raise ValueError("cut off") from error
            most *= 16


class _Compact:
    """Values of Thrift's compact protocol: whole numbers and structures are read, others gone over."""

    def __init__(self, text: bytes) -> None:
        self._text, self._at = text, 0

    def struct(self, depth: int = 8) -> tuple[dict[int, Any], int]:
        """The fields of a structure by their numbers, and where it ends.

        Raises:
            IndexError: when the text ends before.
            ValueError: when it is none.
        """
        if not depth:
            raise ValueError("damaged")
        fields: dict[int, Any] = {}
        number = 0
        while mark := self._byte():
            number = number + (mark >> 4) if mark >> 4 else self._signed()
            fields[number] = self._value(mark & 15, depth)
        return fields, self._at

    def _byte(self) -> int:
        self._at += 1
        return self._text[self._at - 1]

    def _number(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise ValueError("damaged")

    def _signed(self) -> int:
        found = self._number()
        return (found >> 1) ^ -(found & 1)

    def _skip(self, count: int) -> None:
        self._at += count
        if self._at > len(self._text):
            raise IndexError

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in _INTEGERS:
            return self._signed()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._number())
        if kind == 12:
            return self.struct(depth - 1)[0]
        raise ValueError("damaged")  # a header has no lists and no mappings


def check_footer(metadata: Any, name: str) -> None:
    """Refuse a file whose footer can't be asked; where the system has no forks, nothing is tried.

    Raises:
        InputError: when a process that asked has died of it.
    """
    if not system.survives(partial(_ask, metadata)):
        raise InputError(f"can't read {name}: what its footer says of a column can't be; write the file again")


def _ask(metadata: Any) -> None:
    """Ask for every column of every row group; what Python raises is raised where it counts."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            group.column(column)
