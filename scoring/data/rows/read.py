"""Read a file by its format, unless its first bytes tell that it is of another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.data.file import InputFile
from scoring.data.file_formats import own
from scoring.data.rows.row import InputError, Row

_HEAD = 4096
_AS_TEXT = "save it as CSV, JSON Lines or Parquet"
#: What other programs write, by how it begins.
_OTHERS: tuple[tuple[bytes, str, str], ...] = (
    (rb"PK\x03\x04", "a zip archive, as a spreadsheet is (.xlsx)", f"{_AS_TEXT}, or unpack it"),
    (rb"\xd0\xcf\x11\xe0", "an old spreadsheet (.xls)", _AS_TEXT),
    (rb"SQLite format 3\x00", "an SQLite database", _AS_TEXT),
    (rb"BZh[1-9]1AY&SY|\xfd7zXZ\x00|\x04\x22M\x18|7z\xbc\xaf", "compressed in another way", "use gzip or zstd"),
    (rb"\x80[\x02-\x05]", "a pickle", f"pickles are never read; {_AS_TEXT}"),
    (rb"\x93NUMPY", "a NumPy array", _AS_TEXT),
    (rb"%PDF-", "a PDF", _AS_TEXT),
    (
        rb"(?:\s*#[^\n]*\n|\s*---)*\s*kind:\s*(?:task|pack|suite)\b",
        "a spec, not data",
        "the spec stands first, its data second: `scoring score SPEC DATA`",
    ),
    (rb"(?i)\s*<(?:!doctype|html)", "a web page", "look at what was downloaded; the page may tell of an error"),
)
#: Text formats taken for one another: the one that was meant, how the file begins, what it is, its format.
_MISTAKEN: tuple[tuple[str, bytes, str, str], ...] = (
    ("jsonl", rb"\s*\[\s*(?:\{|\]|$)|\s*\{\s*\n", "one JSON text, not a record on each line", "json"),
    ("jsonl", rb"\s*[\w .:-]+[,;\t][^\n{]*\n", "text with columns, not JSON Lines", "csv"),
    ("json", rb"\s*\{[^\n]*\}\r?\n\s*\{", "a record on each line, not one JSON text", "jsonl"),
    ("csv", rb"\s*\{\s*\"", "a record on each line, not CSV", "jsonl"),
    ("csv", rb"\s*\[\s*\{", "JSON, not CSV", "json"),
)
_WIDE = re.compile(rb"\xff\xfe|\xfe\xff|\x00\x00\xfe\xff")


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


def refuse_mistaken(file: InputFile) -> None:
    """Refuse a file that is plainly of another format than its name or the user says.

    Raises:
        InputError: with what it is, and what to do.
    """
    form, head = file.format, file.head(_HEAD).removeprefix(b"\xef\xbb\xbf")
    if form.begins and head.startswith(form.begins):
        return
    for other in own().values():
        if other.begins and other is not form and head.startswith(other.begins):
            raise _other_format(file, other.title, other.name)
    for pattern, what, advice in _OTHERS:
        if re.match(pattern, head):
            raise InputError(f"can't read {file.name}: it is {what}; {advice}")
    for name, pattern, what, meant in _MISTAKEN:
        if form.name == name and re.match(pattern, head):
            raise _other_format(file, what, meant)
    if form.name in ("jsonl", "json") and _WIDE.match(head):
        raise InputError(f"can't read {file.name}: it is UTF-16 or UTF-32, and JSON is UTF-8; save it as that")


def _other_format(file: InputFile, what: str, name: str) -> InputError:
    suffix = own()[name].suffixes[0]
    advice = f"say `--input-format {name}`, or call it *{suffix}"
    return InputError(f"can't read {file.name}: it is {what}; {advice}")
