"""Read the rows of a file by its format, and refuse a file whose first bytes show that it has another format."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from scoring.data.file import InputFile
from scoring.data.file_format import find_format, format_that_begins
from scoring.data.rows.row import Block, Row, blocks_of
from scoring.data.slice import Slice
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.plugins import KIND_WORDS

_HEAD = 4096
_AS_TEXT = "save it as CSV, JSON Lines or Parquet"
#: Files of other programs: a pattern of their first bytes, a description, and advice.
_OTHERS: tuple[tuple[bytes, str, str], ...] = (
    (rb"PK[\3\5\7][\4\6\b]", "a zip archive, as a spreadsheet is (.xlsx)", f"{_AS_TEXT}, unpack it, or say `xlsx`"),
    (rb"(?s).{257}ustar", "a tar archive", "unpack it"),
    (rb"\x1f\x8b|\x28\xb5\x2f\xfd", "compressed twice", "unpack it once"),
    (rb"version https://git-lfs\.github\.com/spec/", "a pointer of Git LFS, not the file itself", "run `git lfs pull`"),
    (rb"\x89HDF\r\n", "an HDF5 file", _AS_TEXT),
    (rb"Obj\x01", "an Avro file", _AS_TEXT),
    (rb"ORC[^ -~]", "an ORC file", _AS_TEXT),
    (rb"\x7fELF|MZ\x90", "a program", "give the file of records"),
    (rb"\xd0\xcf\x11\xe0", "an old spreadsheet (.xls), or one with a password", _AS_TEXT),
    (rb"SQLite format 3\x00", "an SQLite database", _AS_TEXT),
    (
        rb"BZh[1-9]1AY&SY|\xfd7zXZ\x00|\x04\x22M\x18|7z\xbc\xaf|Rar!\x1a\x07|LZIP|\x1f\x9d|\x5d\0\0",
        "compressed in another way",
        "use gzip or zstd",
    ),
    (rb"\x80[\x02-\x05]", "a pickle", f"pickles are never read; {_AS_TEXT}"),
    (rb"\x93NUMPY", "a NumPy array", _AS_TEXT),
    (rb"%PDF-", "a PDF", _AS_TEXT),
    (
        rb"(?:\s*#[^\n]*\n|\s*---)*\s*kind:\s*(?:" + "|".join(KIND_WORDS).encode() + rb")\b",
        "a spec, not data",
        "the spec comes first, its data second: `scoring score SPEC DATA`",
    ),
    (rb"(?i)\s*<(?:!doctype|html)", "a web page", "check what was downloaded; the page may report an error"),
)
#: Text formats that are mistaken for one another: the assumed format, the first bytes, a description, the real format.
_MISTAKEN: tuple[tuple[str, bytes, str, str], ...] = (
    ("jsonl", rb"\s*\[\s*(?:\{|\]|$)|\s*\{\s*\n", "one JSON text, not a record on each line", "json"),
    ("jsonl", rb"\s*[\w .:-]+[,;\t][^\n{]*\n", "text with columns, not JSON Lines", "csv"),
    ("json", rb"\s*\{[^\n]*\}\r?\n\s*\{", "a record on each line, not one JSON text", "jsonl"),
    ("csv", rb"\s*\{\s*\"", "a record on each line, not CSV", "jsonl"),
    ("csv", rb"\s*\[\s*\{", "JSON, not CSV", "json"),
)
_TEXTS = ("jsonl", "json", "csv", "tsv", "lines", "conll", "trec-run", "trec-qrels")
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b")
_WIDE = lazy_pattern(rb"\xff\xfe|\xfe\xff|\x00\x00\xfe\xff")


def read_rows(file: InputFile, *, may_be_empty: bool = False) -> Iterator[Row]:
    """Return the rows of a file, read lazily except for the first block, which is read immediately.

    Raises:
        InputError: when the file can't be read, or has no rows and may not be empty. It is raised by the call rather
            than at the first row, so that a run stops before it starts.
    """
    return rows_of_blocks(read_blocks(file, may_be_empty=may_be_empty))


def read_blocks(file: InputFile, *, may_be_empty: bool = False) -> Iterator[Block]:
    """Return the rows of a file in blocks, read lazily except for the first block.

    Raises:
        InputError: as for `read_rows`.
    """
    blocks = _blocks(file)
    first = next(blocks, None)
    if first is None and not may_be_empty:
        raise InputError(f"can't read {file.name}: it holds no records; write at least one, or name another file")
    return _from_first(first, blocks)


def rows_of_blocks(blocks: Iterator[Block]) -> Iterator[Row]:
    """Yield the rows of blocks one by one; closing the rows closes the blocks."""
    with closing(blocks):  # type: ignore[type-var]  # readers are generators; closing them closes their files
        for block in blocks:
            yield from block.rows()


def _from_first(first: Block | None, blocks: Iterator[Block]) -> Iterator[Block]:
    # A generator, since closing it closes the file of the blocks.
    if first is not None:
        yield first
        yield from blocks


def _blocks(file: InputFile) -> Iterator[Block]:
    file.format.ready()
    file.check_settings()
    for one in file.files:
        if not one.part.start:
            refuse_mistaken(one)
        for block in _taken(blocks_of(one.format.rows(one)), one.part):
            yield _placed(block, one.part) if one.part.label else block


def _taken(blocks: Iterator[Block], part: Slice) -> Iterator[Block]:
    """Yield the blocks of a part without the rows that it skips; empty blocks are left out."""
    start, stop = part.skip, math.inf if part.take is None else part.skip + part.take
    before = 0
    with closing(blocks):  # type: ignore[type-var]  # see above
        for block in blocks:
            size = len(block)
            if start <= before and before + size <= stop:
                found = block
            else:
                found = block.part(max(0, start - before), int(min(size, stop - before)))
            before += size
            if len(found):
                yield found
            if before >= stop:
                return


def _placed(block: Block, part: Slice) -> Block:
    """Return a block of one of several files, with the file's name in positions and the folder's keys in records."""
    for position, record in enumerate(block.records if part.extra else ()):
        for key, value in part.extra.items() if record is not None else ():
            known = record.setdefault(key, value) if record is not None else None
            if known != value and str(known) != value:
                block.records[position] = None
                block.problems[position] = f"`{key}` is {known!r:.40} here and {value!r} in the folder's name"
    if block.unit:
        return replace(block, unit=f"{part.label} {block.unit}")
    return replace(block, numbers=[f"{part.label} {place}" for place in block.numbers])


def refuse_mistaken(file: InputFile) -> None:
    """Raise an exception for a file that plainly has another format than its name or the user states.

    Raises:
        InputError: when it has; the message says what the file is, and what to do.
    """
    form, head = file.format, file.head(_HEAD).removeprefix(b"\xef\xbb\xbf")
    if form.begins and head.startswith(form.begins):
        return
    for pattern, what, advice in _OTHERS:
        if re.match(pattern, head):
            raise InputError(f"can't read {file.name}: it is {what}; {advice}")
    other = format_that_begins(head, file.name)
    if other is not None:
        raise _other_format(file, other.title, other.name)
    is_plain_text = form.name in _TEXTS and not file.settings and not _WIDE.match(head)
    wide = _wide_without_mark(head) if is_plain_text else None
    if wide is not None:
        advice = f"say `--input-format {form.name},encoding={wide}`" if form.shape == "cells" else "save it as UTF-8"
        raise InputError(f"can't read {file.name}: it is {wide.upper()} without a byte order mark; {advice}")
    for name, pattern, what, other_name in _MISTAKEN:
        if form.name == name and re.match(pattern, head):
            raise _other_format(file, what, other_name)
    if is_plain_text and _is_binary(head):
        raise InputError(f"can't read {file.name}: it is not text, so it is not {form.title}; check what wrote it")
    if form.name in ("jsonl", "json") and _WIDE.match(head):
        raise InputError(f"can't read {file.name}: it is UTF-16 or UTF-32, and JSON is UTF-8; save it as that")


def _wide_without_mark(head: bytes) -> str | None:
    """Return the encoding of UTF-16 text without a byte order mark, None for other text.

    Examples:
        >>> _wide_without_mark("id,answer".encode("utf-16-le")), _wide_without_mark(b"id")
        ('utf-16-le', None)
    """
    for name, zeros, letters in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if len(head) > 3 and zeros.count(0) * 10 > len(zeros) * 9 and letters.count(0) * 10 < len(letters):
            return name
    return None


def _is_binary(head: bytes) -> bool:
    """Return whether a file's first bytes have too many control characters for text, except in JSON records."""
    control = len(head) - len(head.translate(None, _CONTROL))
    return control * 20 > len(head) and not head.lstrip().startswith((b"{", b"["))


def _other_format(file: InputFile, what: str, name: str) -> InputError:
    suffix = find_format(name).suffixes[0]
    advice = f"say `--input-format {name}`, or rename it to *{suffix}"
    return InputError(f"can't read {file.name}: it is {what}; {advice}")
