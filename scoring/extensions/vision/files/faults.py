"""Mistakes in the records of a data set, each with its position, reported together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from scoring.errors import TableFault

#: Where records are: the name of a file whose items are numbered, or the place of every item.
Where: TypeAlias = str | Sequence[str]
#: A broken file is described by its first faults; the rest is counted.
SHOWN = 20


def at(where: Where, number: int | None = None) -> str:
    """Return the place of one item, or of all of them.

    Examples:
        >>> at("a.json", 3), at(["a.jsonl:1", "a.jsonl:2"], 1), at(["a.jsonl:1"])
        ('a.json[3]', 'a.jsonl:2', 'a.jsonl:1')
    """
    if isinstance(where, str):
        return where if number is None else f"{where}[{number}]"
    return where[number or 0] if where else "no records"


@dataclass(frozen=True)
class Fault:
    """A mistake in the data, with its location."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def is_finite(value: object) -> bool:
    """Tell whether a value is a number that arrays of floats hold.

    Examples:
        >>> is_finite(2), is_finite("2"), is_finite(True), is_finite(float("inf")), is_finite(10**400)
        (True, False, False, False, False)
    """
    try:
        return (type(value) is float or type(value) is int) and math.isfinite(value)
    except OverflowError:
        return False


def is_id(value: object) -> bool:
    """Tell whether a value can be an id: a list can't be looked up, `true` would be found as 1, and NaN never.

    Examples:
        >>> is_id("a"), is_id(7), is_id([7]), is_id(True), is_id(None)
        (True, True, False, False, False)
    """
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value == value


class BrokenRecords(TableFault):
    """The records of a data set cannot be scored as they are."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        shown = [str(fault) for fault in self.faults[:SHOWN]]
        if len(self.faults) > SHOWN:
            shown.append(f"… and {len(self.faults) - SHOWN} more")
        super().__init__("\n".join(shown))


class Faults(list[Fault]):
    """Collects faults while a file is read."""

    def add(self, where: str, message: str) -> None:
        """Note a fault."""
        self.append(Fault(where, message))

    def check(self) -> None:
        """Raise BrokenRecords if there are any."""
        if self:
            raise BrokenRecords(self)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Turn a ValueError of a reader into a fault with its location."""
    try:
        yield
    except BrokenRecords:
        raise
    except ValueError as error:
        raise BrokenRecords([Fault(where, str(error))]) from error
