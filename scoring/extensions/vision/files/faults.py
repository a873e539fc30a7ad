"""Faults in the records of a data set: each with its location, all reported together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct

from scoring.errors import TableFault

#: The location of records: the name of a file whose items are numbered, or the location of every item.
Where: TypeAlias = str | Sequence[str]
#: Maximum number of faults shown of a broken file; the others are counted.
SHOWN = 20


def at(where: Where, number: int | None = None) -> str:
    """Return the location, for a message, of the item with the index `number`, or without a number of the whole source;
    `where` is the name of the source, or a list with the location of each item.

    Examples:
        >>> at("a.json", 3), at(["a.jsonl:1", "a.jsonl:2"], 1), at(["a.jsonl:1"])
        ('a.json[3]', 'a.jsonl:2', 'a.jsonl:1')
    """
    if isinstance(where, str):
        return where if number is None else f"{where}[{number}]"
    return where[number or 0] if where else "no records"


class Fault(Struct, frozen=True):
    """A fault of a record: its location, and a message that says what is wrong."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def is_finite(value: object) -> bool:
    """Return True if a value is a number, but not a bool, that a float can represent and that is finite.

    Examples:
        >>> is_finite(2), is_finite("2"), is_finite(True), is_finite(float("inf")), is_finite(10**400)
        (True, False, False, False, False)
    """
    try:
        return (type(value) is float or type(value) is int) and math.isfinite(value)
    except OverflowError:
        return False


def is_id(value: object) -> bool:
    """Return True if a value can be the id of a record; a list can't be looked up, True would equal 1, and NaN equals
    nothing.

    Examples:
        >>> is_id("a"), is_id(7), is_id([7]), is_id(True), is_id(None)
        (True, True, False, False, False)
    """
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value == value


class BrokenRecords(TableFault):
    """The error that records of a data set can't be scored as they are; its message lists the faults found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        shown = [str(fault) for fault in self.faults[:SHOWN]]
        if len(self.faults) > SHOWN:
            shown.append(f"… and {len(self.faults) - SHOWN} more")
        super().__init__("\n".join(shown))


class Faults(list[Fault]):
    """A list of the faults that were found while a file was read, which can all be reported together."""

    def add(self, where: str, message: str) -> None:
        """Add a fault with its location and message."""
        self.append(Fault(where, message))

    def check(self) -> None:
        """Raise BrokenRecords if there are any faults."""
        if self:
            raise BrokenRecords(self)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Within the block, raise any ValueError as `BrokenRecords` with the location `where`."""
    try:
        yield
    except BrokenRecords:
        raise
    except ValueError as error:
        raise BrokenRecords([Fault(where, str(error))]) from error
