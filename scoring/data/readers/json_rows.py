"""The file format JSON Lines, in which a bad line is a bad row."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from scoring.data.chunking import LongLine, chunks
from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_lines import values_of_lines
from scoring.data.rows.row import Block
from scoring.data.slice import Slice


def read_jsonl(file: InputFile) -> Iterator[Block]:
    """Yield the rows of a JSON Lines file in blocks; blank lines are skipped."""
    with file.open() as stream:
        number = (file.part.first or 0) + 1
        for chunk in chunks(stream, file.part):
            if isinstance(chunk, LongLine):
                yield Block("line", [number], [None], {0: str(chunk)})
                number += 1
                continue
            if number == 1:
                chunk = chunk.removeprefix(BOM_UTF8)
            lines = chunk.split(b"\n")
            if not lines[-1]:
                lines.pop()
            try:
                block = _block(chunk, lines, number)
            except MemoryError:
                block = _one_by_one(lines, number)
            yield block
            number += len(lines)


def _one_by_one(lines: list[bytes], first: int) -> Block:
    """Return the block of lines from number `first` on, parsed one by one; one that exceeds the memory is a bad row."""
    values: list[Any] = []
    for line in lines:
        try:
            values += values_of_lines(line, [line]) if line and not line.isspace() else [None]
        except MemoryError:
            from scoring.data.json_read import NotJson
            from scoring.data.limits import shown_size

            values.append(NotJson(f"a line of {shown_size(len(line))} takes more memory than there is"))
    return _filled(range(first, first + len(lines)), lines, values)


def _filled(numbers: range, lines: list[bytes], values: list[Any]) -> Block:
    """Return the block of all lines that are not blank, given each line's number, text and parsed value."""
    from scoring.data.rows.decoded import block_of

    found = zip(numbers, lines, values, strict=True)
    return block_of("line", ((number, value) for number, line, value in found if line and not line.isspace()))


def _block(text: bytes, lines: list[bytes], first: int) -> Block:
    numbers = range(first, first + len(lines))
    strictly = set[int]()
    values = values_of_lines(text, lines, strictly)
    are_records = set(map(type, values)) == {dict}
    block = Block("line", numbers, values) if are_records else _filled(numbers, lines, values)
    return block.without_nan() if any(b"NaN" in lines[place] for place in strictly) else block


def _cut(file: InputFile, size: int) -> Iterator[Slice]:
    from scoring.data.cutting import cut_lines

    return cut_lines(file, size)


JSONL = FileFormat("jsonl", "JSON Lines", (".jsonl", ".ndjson", ".jl"), read_jsonl, cut=_cut)
