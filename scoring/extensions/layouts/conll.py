"""The file format of CoNLL: a line for each word with its columns, and an empty line after each sentence.

Source:
    Tjong Kim Sang, De Meulder: Introduction to the CoNLL-2003 Shared Task, and its script conlleval: a line that is
    empty or whose first column is `-X-` ends a sentence; a `-DOCSTART-` line is a word like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.limits import DataLimits, limit_message, limits
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import Block
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.extensions.layouts.text_lines import CELL, LineText, numbered_lines, plain_setting

_BOUNDARY = "-X-"
_CHOICES = {"delimiter": ("space", "tab"), "comments": ("keep", "skip")}
_USUAL = {name: values[0] for name, values in _CHOICES.items()}


@dataclass(slots=True)
class _Sentence:
    """The lines of a block so far: its first line's number, its cells by column, its size, and its first problem."""

    start: int
    most: DataLimits
    columns: list[list[str]] = field(default_factory=list)
    size: int = 0
    problem: str | None = None

    def add(self, number: int, line: LineText, cells: list[str]) -> None:
        """Add a line, given by its number, its text or an error, and its cells."""
        if self.problem is not None:
            return
        why = self._problem(line, cells)
        if why is not None:
            self.problem, self.columns = why if number == self.start else f"in line {number}: {why}", []
            return
        self.columns = self.columns or [[] for _ in cells]
        for column, cell in zip(self.columns, cells, strict=True):
            column.append(cell)

    def _problem(self, line: LineText, cells: list[str]) -> str | None:
        if not isinstance(line, str):
            return str(line)
        if self.columns and len(cells) != len(self.columns):
            return f"{counted(len(cells), 'column')}, but the first line of the sentence has {len(self.columns)}"
        self.size += len(line)
        if self.size > self.most.line:
            return limit_message("a longer sentence", "line")
        count = len(cells) * (len(self.columns[0]) + 1 if self.columns else 1)
        return limit_message("a sentence of more values", "values") if count > self.most.values else None

    def row(self, number: int) -> tuple[int, dict[str, Any] | ValueError]:
        """Return the number of the first line, and the record of the finished sentence or what is wrong with it."""
        record = {"id": number, "columns": self.columns}
        return self.start, record if self.problem is None else ValueError(self.problem)


def _read_conll(file: InputFile) -> Iterator[Block]:
    """Yield the sentences of a CoNLL file as records; one whose lines differ in their number of columns is a bad row.

    Raises:
        InputError: when a setting has no such value.
    """
    settings, most = _settings(file), limits()
    sentence: _Sentence | None = None
    count = 0
    for first, lines in numbered_lines(file):
        done: list[tuple[int, Any]] = []
        for number, line in enumerate(lines, start=first):
            if settings["comments"] == "skip" and isinstance(line, str) and line.startswith("#"):
                continue
            cells = _cells(line, settings["delimiter"])
            if cells and cells[0] != _BOUNDARY:
                sentence = sentence or _Sentence(number, most)
                sentence.add(number, line, cells)
            elif sentence is not None:
                count += 1
                done.append(sentence.row(count))
                sentence = None
        yield block_of("line", done)
    if sentence is not None:
        yield block_of("line", [sentence.row(count + 1)])


def _settings(file: InputFile) -> Mapping[str, str]:
    found = {**_USUAL, **file.settings}
    for name, values in _CHOICES.items():
        if found[name] not in values:
            raise InputError(f"can't read {file.name}: `{name}` is {' or '.join(values)}, not `{found[name]}`")
    return found


def _cells(line: LineText, delimiter: str) -> list[str]:
    """Return the cells of a line, none for an empty one; a line that can't be read is one cell."""
    if not isinstance(line, str):
        return [""]
    if delimiter == "space" or not line.strip(" \t"):
        return CELL.findall(line)
    return line.split("\t")


CONLL = FileFormat(
    *("conll", "CoNLL", (".conll",), _read_conll),
    settings=("delimiter", "comments", "encoding"),
    shape="fixed",
    usual=_USUAL,
    plain=plain_setting,
)
