"""JSON Lines: one record a line; a bad line is a bad row, and the next line is read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from scoring.data.file import InputFile
from scoring.data.rows.row import Row, row_of

_BOM = b"\xef\xbb\xbf"


def read_jsonl(file: InputFile) -> Iterator[Row]:
    """The rows of a JSON Lines file; blank lines are skipped."""
    with file.open() as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(_BOM)
            if line.isspace():
                continue
            yield decode_row(f"line {number}", line)


def decode_row(where: str, text: bytes | str) -> Row:
    """The row of one JSON text.

    Examples:
        >>> decode_row("line 1", b'{"id": 1}').record
        {'id': 1}
        >>> decode_row("line 2", b"{").problem
        'not JSON: expecting property name enclosed in double quotes at column 2'
    """
    try:
        return row_of(where, json.loads(text.decode() if isinstance(text, bytes) else text))
    except ValueError as error:
        return Row(where, None, explain(error))
    except RecursionError:
        return Row(where, None, "nested too deeply to read")


def explain(error: ValueError) -> str:
    """What is wrong with a JSON text, in one short line."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start + 1}"
    return "a number with more than 4300 digits"
