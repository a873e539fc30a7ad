"""Read a file by its format."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.data.file import InputFile
from scoring.data.looks import refuse_mistaken
from scoring.data.rows.row import InputError, Row


def read_rows(file: InputFile) -> Iterator[Row]:
    """The rows of a file, read as they are needed; the first one is read at once.

    Raises:
        InputError: when the file can't be read, or holds no row. It is raised here rather than at the first row, so
            that a run stops before it starts.
    """
    rows = rows_or_none(file)
    first = next(rows, None)
    if first is None:
        raise InputError(f"can't read {file.name}: it holds no records")
    return _from_first(first, rows)


def rows_or_none(file: InputFile) -> Iterator[Row]:
    """The rows of a file that may hold none; the first one is read at once.

    Raises:
        InputError: when the file can't be read.
    """
    file.format.ready()
    file.check_settings()
    refuse_mistaken(file)
    rows = file.format.rows(file)
    first = next(rows, None)
    return rows if first is None else _from_first(first, rows)


def _from_first(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    # A generator, since closing it closes the file that the rows come from.
    yield first
    yield from rows
