"""What is wrong with the records of a data set: every fault with its place, all reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: A broken file is described by its first faults; the rest is counted.
SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """One fault: where it is, what it is."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class BrokenRecords(ValueError):
    """The records of a data set cannot be scored as they are."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        shown = [str(fault) for fault in self.faults[:SHOWN]]
        if len(self.faults) > SHOWN:
            shown.append(f"… and {len(self.faults) - SHOWN} more")
        super().__init__("\n".join(shown))


class Faults:
    """Collects faults while a file is read."""

    def __init__(self) -> None:
        self._found: list[Fault] = []

    def add(self, where: str, message: str) -> None:
        """Note a fault.

        Args:
            where: The file and place.
            message: What is wrong.
        """
        self._found.append(Fault(where, message))

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._found)

    def check(self) -> None:
        """Raise BrokenRecords if there are any."""
        if self._found:
            raise BrokenRecords(self._found)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Turn a ValueError of a reader into a fault with its place.

    Args:
        where: The file and place.
    """
    try:
        yield
    except BrokenRecords:
        raise
    except ValueError as error:
        raise BrokenRecords([Fault(where, str(error))]) from error
