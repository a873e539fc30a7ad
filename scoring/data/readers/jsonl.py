"""JSON Lines: one record a line; a bad line is a bad row, and the next line is read."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_text import BOM
from scoring.data.rows.row import Row, parsed_row


def read_jsonl(file: InputFile) -> Iterator[Row]:
    """The rows of a JSON Lines file; blank lines are skipped."""
    with file.open() as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(BOM)
            if line.isspace():
                continue
            yield parsed_row(f"line {number}", line)


FORMATS = (FileFormat("jsonl", "JSON Lines", (".jsonl", ".ndjson", ".jl"), read_jsonl),)
