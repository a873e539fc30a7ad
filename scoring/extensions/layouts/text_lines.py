"""The file format of plain text, in which every line is a record; and the numbered lines of text files.

Only a line feed ends a line, with or without a carriage return before it: translations contain the other characters at
which Python splits lines, such as U+2028.
"""

from __future__ import annotations

import codecs
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, TypeAlias

from scoring.data.chunking import LongLine, chunks
from scoring.data.cutting import cut_lines
from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_read import not_utf8
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import Block
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern

LineText: TypeAlias = str | ValueError
"""The text of a line without its end, or an error that says why it can't be read."""

CELL = lazy_pattern(r"[^ \t\r\v\f]+")
"""A cell of a line whose columns are separated by white space; words contain other white space, as no-break spaces."""

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# The start of a file that is JSON, or a table with a header: names between delimiters, and no space after a comma.
_DATA = lazy_pattern(
    rb"\{\s*[\"'}\n]|\{\s*$|\[\s*(?:\{|\]|$)|[\w .:-]+\t[^\n{]*\n"
    rb"|[\w.:-]+(?:,[\w.:-]+)+\r?\n[^\n,]*,[^\n]*\n|[\w.:-]+(?:;[\w.:-]+)+\r?\n[^\n;]*;[^\n]*\n"
)


def is_plain_text(head: bytes) -> bool:
    """Return whether the first bytes of a file are neither JSON nor columns with a header, so that it is plain text.

    Examples:
        >>> (
        ...     is_plain_text(b"Yes, the dog bit him.\\n"),
        ...     is_plain_text(b'{"id": 1}\\n'),
        ...     is_plain_text(b"id,answer\\n1,x\\n"),
        ... )
        (True, False, False)
    """
    start = head.removeprefix(BOM_UTF8).lstrip(b" \t\r\n")
    return _DATA.match(start) is None


def numbered_lines(file: InputFile) -> Iterator[tuple[int, list[LineText]]]:
    """Yield the lines of a text file, or of a part of one, in lists, each with the number of its first line.

    Raises:
        InputError: when the encoding is unknown, or line ends are other bytes in it than in ASCII.
    """
    encoding = _encoding(file)
    with file.open() as stream:
        number = (file.part.first or 0) + 1
        for chunk in chunks(stream, file.part):
            if isinstance(chunk, LongLine):
                yield number, [chunk]
                number += 1
                continue
            if number == 1 and encoding == "utf-8":
                chunk = chunk.removeprefix(BOM_UTF8)
            lines = [_decoded(line, encoding) for line in chunk.removesuffix(b"\n").split(b"\n")]
            yield number, lines
            number += len(lines)


def _decoded(line: bytes, encoding: str) -> LineText:
    try:
        text = line.removesuffix(b"\r").decode(encoding)
        text.encode()  # UTF-7 and escapes can write half of a character, which is no text
    except UnicodeDecodeError as error:
        utf_8 = encoding == "utf-8"
        return ValueError(not_utf8(error) if utf_8 else f"not {encoding} at byte {error.start + 1}")
    except UnicodeError:
        return ValueError(f"not text in {encoding}")
    return text


def _encoding(file: InputFile) -> str:
    """Return the encoding of a file, UTF-8 if none was given, and store a given one in `file.found`."""
    given = file.settings.get("encoding", "utf-8")
    try:
        has_plain_ends = "a\n".encode(given).endswith(b"a\n")
        encoding = codecs.lookup(given).name
    except (LookupError, UnicodeError) as error:
        raise InputError(f"can't read {file.name}: `{given}` is not a text encoding") from error
    if not has_plain_ends or file.head(4).startswith(_WIDE_MARKS):
        what = "UTF-16 or UTF-32" if has_plain_ends else given
        raise InputError(f"can't read {file.name}: it is {what}, whose lines can't be told apart; save it as UTF-8")
    file.found = dict(file.settings)
    return "utf-8" if encoding == "utf-8-sig" else encoding


def plain_setting(name: str, value: str) -> str:
    """Return the canonical spelling of a setting's value.

    Examples:
        >>> plain_setting("encoding", "Latin-1"), plain_setting("encoding", "klingon")
        ('iso8859-1', 'klingon')
    """
    try:
        return codecs.lookup(value).name if name == "encoding" else value
    except LookupError:  # reported when the file is read
        return value


def _read_lines(file: InputFile) -> Iterator[Block]:
    """Yield the lines of a text file as records with their number and text; an empty line is an empty text."""
    for first, lines in numbered_lines(file):
        yield block_of("line", ((number, _record(number, line)) for number, line in enumerate(lines, start=first)))


def _record(number: int, line: LineText) -> dict[str, Any] | ValueError:
    return {"id": number, "text": line} if isinstance(line, str) else line


LINES = FileFormat(
    *("lines", "lines of text", (), _read_lines),
    settings=("encoding",),
    cut=cut_lines,
    shape="fixed",
    plain=plain_setting,
)
