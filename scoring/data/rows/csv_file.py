"""CSV: the header names the keys. Every cell is text; a column called `name:json` holds JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.jsonl import explain
from scoring.data.rows.row import InputError, Row

# The default of 128 KiB would refuse a long response.
_MAX_CELL = 1 << 28
_JSON = ":json"
_UNCLOSED = "not CSV: it opens a quote that is never closed, so nothing after it could be read"


def read_csv(file: InputFile) -> Iterator[Row]:
    """The rows of a CSV file.

    Raises:
        InputError: when there is no header, or a name stands in it twice.
    """
    csv.field_size_limit(_MAX_CELL)
    with file.open() as stream:
        # A byte that is not UTF-8 becomes a lone surrogate, which makes its row bad, not the file.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        lines = _Lines(text)
        reader = csv.reader(lines)
        header = _header(file.name, reader)
        if lines.ended:
            raise InputError(f"can't read {file.name}: not CSV: the header opens a quote that is never closed")
        while True:
            start = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                yield Row(f"line {reader.line_num}", None, f"not CSV: {error}")
                continue
            if lines.ended:
                yield Row(f"line {start}", None, _UNCLOSED)
            elif cells:
                yield _row(f"line {reader.line_num}", header, cells)


class _Lines:
    """The lines of a file, and whether a row wanted more of them than there are: it ends within quotes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            return next(self._lines)
        except StopIteration:
            self.ended = True
            raise


def _header(name: str, reader: Any) -> list[str]:
    try:
        header: list[str] = next(reader, [])
    except csv.Error as error:
        raise InputError(f"can't read {name}: not CSV: {error}") from error
    if not header:
        raise InputError(f"can't read {name}: it is empty, a CSV file begins with a header")
    names = [column.removesuffix(_JSON) for column in header]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice}` stands twice in the header")
    return header


def _row(where: str, header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        return Row(where, None, f"{len(cells)} cells, but the header has {len(header)}")
    if any("\udc80" <= character <= "\udcff" for cell in cells if not cell.isascii() for character in cell):
        return Row(where, None, "not UTF-8")
    record: dict[str, Any] = {}
    for column, cell in zip(header, cells, strict=True):
        if not column.endswith(_JSON):
            record[column] = cell
            continue
        try:
            record[column.removesuffix(_JSON)] = json.loads(cell)
        except ValueError as error:
            return Row(where, None, f"column `{column}`: {explain(error)}")
        except RecursionError:
            return Row(where, None, f"column `{column}`: nested too deeply to read")
    return Row(where, record)
