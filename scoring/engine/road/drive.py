"""The driver of a run over many machines: it hands out parts, collects their results, and survives dying workers.

An engine only passes work to workers (`submit`). Finding the cause of a worker's death happens here: a part whose
worker died is handed out again, since the machine may be at fault; after that it is split into halves, again and again,
so that only the record that kills its worker is left without a score. The number of steps is bounded: splitting a part
of n rows takes at most about 4 log n steps for each such record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Generic, Protocol, TypeVar

TRIES = 2
"""How often a part is handed out before it is split."""

P = TypeVar("P")
R = TypeVar("R")


class WorkerDied(Exception):
    """The exception for a worker process that ended while it had a part: killed, out of memory, or crashed.

    Args:
        why: The error message, if known.
        began: Whether the part may have killed the process; one that was still queued behind another can't have.
    """

    def __init__(self, why: str = "", *, began: bool = True) -> None:
        super().__init__(why)
        self.began = began


class Workers(Protocol):
    """The interface that an engine provides to a run: a pool of workers on one or many machines."""

    @property
    def count(self) -> int:
        """The number of parts that are worked on at the same time."""

    def submit(self, work: Callable[[Any], Any], part: Any) -> Future[Any]:
        """Call a function on a worker; the future raises `WorkerDied` if the worker died."""


@dataclass
class Driver(Generic[P, R]):
    """A driver that runs parts on workers until each part has a result.

    Args:
        workers: The engine.
        work: Computes the result of a part; it is sent to the workers, as are parts.
        apart: Splits a part into two; returns an empty list for a part of one row.
        lost: Returns the result of a part of one row that kills every worker.
        merge: Combines the results of two neighbouring parts.
        tries: How often a part is handed out before it is split.
    """

    workers: Workers
    work: Callable[[P], R]
    apart: Callable[[P], Sequence[P]]
    lost: Callable[[P], R]
    merge: Callable[[R, R], R]
    tries: int = TRIES
    _running: dict[Future[R], tuple[int, P, int]] = field(default_factory=dict)

    def results(self, parts: Iterable[P]) -> Iterator[tuple[int, R]]:
        """Yield the result of each part with the part's number, in order of completion.

        At most twice as many parts as there are workers are handed out at a time, so the parts may be infinitely many.
        """
        source = enumerate(parts)
        while True:
            while self._has_room() and (found := next(source, None)) is not None:
                self._give(*found, 1)
            if not self._running:
                return
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in done:
                number, part, tried = self._running.pop(future)
                try:
                    yield number, future.result()
                except WorkerDied as died:
                    if not died.began:  # another part is at fault each time, so this ends
                        self._give(number, part, tried)
                    elif tried < self.tries:
                        self._give(number, part, tried + 1)
                    else:
                        yield number, self._apart(part)

    def _has_room(self) -> bool:
        """Return whether one more part may be handed out; results must not accumulate while an earlier part is slow."""
        if not self._running:
            return True
        oldest, newest = (which(number for number, _, _ in self._running.values()) for which in (min, max))
        return len(self._running) < 2 * self.workers.count and newest - oldest < 8 * self.workers.count

    def _give(self, number: int, part: P, tried: int) -> None:
        self._running[self.workers.submit(self.work, part)] = number, part, tried

    def _apart(self, part: P) -> R:
        """Return the result of a part whose worker died repeatedly, by running and merging its halves, so that only the
        rows that kill their workers are lost."""
        halves = [self._half(half) for half in self.apart(part)]
        return reduce(self.merge, halves) if halves else self.lost(part)

    def _half(self, part: P) -> R:
        tries = self.tries
        while tries:
            try:
                found: R = self.workers.submit(self.work, part).result()
                return found
            except WorkerDied as died:
                tries -= died.began
        return self._apart(part)


def in_requested_order(found: Iterable[tuple[int, R]], wanted: Iterable[int]) -> Iterator[tuple[int, R]]:
    """Yield the numbered results of a `Driver`, which come in any order, in the order of the numbers `wanted`."""
    waiting: dict[int, R] = {}
    numbers = iter(wanted)
    number = next(numbers, None)
    for place, result in found:
        waiting[place] = result
        while number in waiting:
            yield number, waiting.pop(number)
            number = next(numbers, None)
