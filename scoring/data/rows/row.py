"""Rows of input, good or bad, singly and in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, NamedTuple, cast

from scoring.depth import in_full_depth

SIZE = 512
"""The most rows of a block, unless the format determines its size."""


class Row(NamedTuple):
    """A row with its position in the file, and either its record or the problem with it.

    A bad row is data: it becomes a record that is unscored for the given reason, and is counted. A note, such as the
    key whose value was NaN, is counted, too.
    """

    where: str
    record: dict[str, Any] | None = None
    problem: str | None = None
    note: str | None = None

    @property
    def reason(self) -> str:
        """The reason why there is no record, with the position."""
        return f"{self.where}: {self.problem}"


@dataclass(slots=True)
class Block:
    """Consecutive rows of one file, as columns, so that a row needs no object except its record.

    Args:
        unit: The name of a row in positions, such as `line`, preceded by the file's name where there are several.
        numbers: The number of each row, counted from 1 in the file; without a unit, its whole position.
        records: The record of each row, None for a bad one.
        problems: The problems of bad rows, by index in the block.
        notes: The keys whose NaN is read as a missing value, by index in the block.

    Examples:
        >>> block = Block("line", range(7, 9), [{"id": 1}, None], {1: "not UTF-8 at byte 3"})
        >>> [row.reason for row in block.rows() if row.record is None], block.places()
        (['line 8: not UTF-8 at byte 3'], ['line 7', 'line 8'])
    """

    unit: str
    numbers: Sequence[Any]
    records: list[dict[str, Any] | None]
    problems: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.records)

    def places(self) -> list[str]:
        """Return the position of each row as text."""
        return [f"{self.unit} {number}" for number in self.numbers] if self.unit else list(map(str, self.numbers))

    def part(self, start: int, stop: int) -> Block:
        """Return the block of the rows from one index to another."""
        shifted = [
            {at - start: why for at, why in found.items() if start <= at < stop}
            for found in (self.problems, self.notes)
        ]
        return Block(self.unit, self.numbers[start:stop], self.records[start:stop], *shifted)

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        for position, (where, record) in enumerate(zip(self.places(), self.records, strict=True)):
            yield Row(where, record, self.problems.get(position), self.notes.get(position))

    def without_nan(self) -> Block:
        """Replace NaN in the records, which is not JSON, by None, note this, and return the same block."""
        from scoring.data.normalize import NotPlain

        for position, record in enumerate(self.records):
            try:
                plain, key = in_full_depth(_without_nan, record) if record is not None else (None, None)
            except NotPlain as error:
                self.records[position], self.problems[position] = None, str(error)
                continue
            if key is not None:
                self.records[position], self.notes[position] = plain, f"`{key}`"
        return self


def _without_nan(record: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return a record as plain data, and the first of its keys whose value contained NaN."""
    from scoring.data.normalize import plain_record

    plain = plain_record(record)
    return plain, next((key for key in plain if plain[key] != record[key]), None)


def first_rows(blocks: Iterable[Block], limit: int) -> Iterator[Block]:
    """Yield at most `limit` rows, at least one, in blocks; nothing beyond them is read.

    Examples:
        >>> [block.records for block in first_rows([Block("line", range(1, 4), [{}, {}, {}])], 2)]
        [[{}, {}]]
    """
    left = limit
    for block in blocks:
        yield block.part(0, left) if len(block) > left else block
        left -= len(block)
        if left <= 0:
            return


def blocks_of(read: Iterable[Row | Block]) -> Iterator[Block]:
    """Yield a reader's rows or blocks as blocks."""
    for kind, found in groupby(read, key=type):
        if kind is Block:
            yield from cast("Iterator[Block]", found)
            continue
        while part := list(islice(cast("Iterator[Row]", found), SIZE)):
            problems = {at: row.problem for at, row in enumerate(part) if row.problem is not None}
            notes = {at: row.note for at, row in enumerate(part) if row.note is not None}
            yield Block("", [row.where for row in part], [row.record for row in part], problems, notes)
