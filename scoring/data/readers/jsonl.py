"""JSON Lines: one record a line; a bad line is a bad row, and the next line is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_lines import values_of_lines
from scoring.data.json_text import BOM, NotJson
from scoring.data.limits import shown_size
from scoring.data.lines import LongLine, chunks, cut_lines
from scoring.data.rows.row import Block, block_of


def read_jsonl(file: InputFile) -> Iterator[Block]:
    """The rows of a JSON Lines file; blank lines are skipped."""
    with file.open() as stream:
        number = (file.part.first or 0) + 1
        for chunk in chunks(stream, file.part):
            if isinstance(chunk, LongLine):
                yield block_of("line", [(number, chunk)])
                number += 1
                continue
            if number == 1:
                chunk = chunk.removeprefix(BOM)
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
    """The block of lines for which together there is too little memory: what is too long alone is a bad row."""
    values: list[Any] = []
    for line in lines:
        try:
            values += values_of_lines(line, [line]) if line and not line.isspace() else [None]
        except MemoryError:
            values.append(NotJson(f"a line of {shown_size(len(line))} takes more memory than there is"))
    found = zip(range(first, first + len(lines)), lines, values, strict=True)
    return block_of("line", ((number, value) for number, line, value in found if line and not line.isspace()))


def _block(text: bytes, lines: list[bytes], first: int) -> Block:
    numbers = range(first, first + len(lines))
    strictly = set[int]()
    values = values_of_lines(text, lines, strictly)
    if set(map(type, values)) == {dict}:
        block = Block("line", numbers, values)
    else:
        found = zip(numbers, lines, values, strict=True)
        block = block_of("line", ((number, value) for number, line, value in found if line and not line.isspace()))
    return block.without_nan() if any(b"NaN" in lines[place] for place in strictly) else block


FORMATS = (FileFormat("jsonl", "JSON Lines", (".jsonl", ".ndjson", ".jl"), read_jsonl, cut=cut_lines),)
