"""CSV and TSV: the header names the keys. Every cell is text; a column called `name:json` holds JSON.

How a file is written is found and stated: the encoding by its byte order mark, else UTF-8; the delimiter by its header.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_text import NotJson, parse
from scoring.data.rows.row import InputError, Row

# The default of 128 KiB would refuse a long response.
_MAX_CELL = 1 << 28
_SAMPLE = 1 << 16
_JSON = ":json"
_UNCLOSED = "not CSV: it opens a quote that is never closed, so nothing after it could be read"
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


def read_delimited(file: InputFile) -> Iterator[Row]:
    """The rows of a CSV or TSV file.

    Raises:
        InputError: when there is no header, or a name stands in it twice.
    """
    csv.field_size_limit(_MAX_CELL)
    encoding, delimiter = _writing(file)
    with file.open() as stream:
        # A byte that is not UTF-8 becomes a lone surrogate, which makes its row bad, not the file.
        errors = "surrogateescape" if encoding.startswith("utf-8") else "strict"
        text = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="")
        try:
            yield from _rows(file.name, text, delimiter)
        except UnicodeDecodeError as error:
            raise InputError(f"can't read {file.name}: not {encoding} at byte {error.start + 1}") from error


def _rows(name: str, text: Iterable[str], delimiter: str) -> Iterator[Row]:
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter)
    header = _header(name, reader)
    if lines.ended:
        raise InputError(f"can't read {name}: not CSV: the header opens a quote that is never closed")
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


def _writing(file: InputFile) -> tuple[str, str]:
    """Encoding and delimiter: those that were given, else those that are found; the file states them."""
    sample = file.head(_SAMPLE)
    encoding = file.settings.get("encoding") or _encoding(sample)
    try:
        "".encode(encoding)  # refuses what is no encoding of text, such as base64
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    except LookupError as error:
        raise InputError(f"can't read {file.name}: `{encoding}` is no encoding of text") from error
    named = file.settings.get("delimiter") or ("tab" if file.kind == "tsv" else _delimiter(text))
    delimiter = DELIMITERS.get(named, named)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        words = ", ".join(DELIMITERS)
        raise InputError(f"can't read {file.name}: `{named}` is no delimiter; say {words}, or one other character")
    file.found = {"delimiter": named, "encoding": encoding}
    return encoding, delimiter


def _encoding(start: bytes) -> str:
    """The encoding that a byte order mark tells, else UTF-8.

    Examples:
        >>> _encoding("id".encode("utf-16")), _encoding(b"id")
        ('utf-16', 'utf-8')
    """
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "utf-8")


def _delimiter(sample: str) -> str:
    """The delimiter that parts the header and, into as many cells, most of the first rows; in doubt the comma.

    Examples:
        >>> _delimiter("id;answer\\n1;0,5\\n"), _delimiter("id,tags\\n1,a;b\\n"), _delimiter("id\\n1\\n")
        ('semicolon', 'comma', 'comma')
    """
    shares = {name: share for name, mark in DELIMITERS.items() if (share := _share(sample, mark)) > 0}
    return max(shares, key=lambda name: shares[name], default="comma")


def _share(sample: str, delimiter: str) -> float:
    """The share of rows with as many cells as the header, 0 where the header is not parted."""
    if delimiter not in sample.partition("\n")[0]:
        return 0.0
    try:
        rows = [len(cells) for cells in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if cells]
    except csv.Error:
        return 0.0
    if not rows or rows[0] < 2:
        return 0.0
    # The sample may end within its last row.
    rest = rows[1:-1] if len(rows) > 2 else rows[1:]
    return (1 + sum(count == rows[0] for count in rest)) / (1 + len(rest))


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
            record[column.removesuffix(_JSON)] = parse(cell)
        except NotJson as error:
            return Row(where, None, f"column `{column}`: {error}")
    return Row(where, record)


FORMATS = (
    FileFormat("csv", "CSV", (".csv",), read_delimited, settings=("delimiter", "encoding")),
    FileFormat("tsv", "TSV", (".tsv", ".tab"), read_delimited, settings=("delimiter", "encoding")),
)
