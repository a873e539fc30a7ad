"""The driver of a run over many machines: assigns parts and collects results; no part is lost if a worker dies.

An engine brings work to workers and does no more (`submit`). Who dies is found out here: a part whose worker died is
given out again, as the machine may be at fault; then it is taken apart, half by half, so that of the records only the
one that kills whoever scores it is left without a score. All steps are bounded: a part of n rows is taken apart in at
most about 4 log n steps for each such record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Generic, Protocol, TypeVar

TRIES = 2
"""How often a part is assigned before it is split."""

P = TypeVar("P")
R = TypeVar("R")


class WorkerDied(Exception):
    """The process that worked on a part is gone: killed, out of memory, or crashed in a library.

    Args:
        why: What is known of it.
        began: Whether the part may be what killed it; one that waited behind another in the same process is not.
    """

    def __init__(self, why: str = "", *, began: bool = True) -> None:
        super().__init__(why)
        self.began = began


class Workers(Protocol):
    """The workers of an engine, as the driver sees them."""

    @property
    def count(self) -> int:
        """The number of parts that are processed at the same time."""

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Call a function in a worker; the future raises `WorkerDied` if the worker is gone."""


@dataclass
class Driver(Generic[P, R]):
    """Works through parts.

    Args:
        workers: The engine.
        work: What makes a result of a part; it travels to the workers, and so do parts and results.
        apart: A part as two; as nothing where it is one row.
        lost: The result of a part of one row that kills every worker.
        merge: The result of two neighbouring parts.
        tries: How often a part is given out before it is taken apart.
    """

    workers: Workers
    work: Callable[[P], R]
    apart: Callable[[P], Sequence[P]]
    lost: Callable[[P], R]
    merge: Callable[[R, R], R]
    tries: int = TRIES
    _running: dict[Future[R], tuple[int, P, int]] = field(default_factory=dict)

    def results(self, parts: Iterable[P]) -> Iterator[tuple[int, R]]:
        """Yield the result of each part with its number, in the order of completion.

        No more parts are given out than twice as many as there are workers, so a list of parts may be endless.
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
                    if not died.began:  # each time, another part is at fault, and that has an end
                        self._give(number, part, tried)
                    elif tried < self.tries:
                        self._give(number, part, tried + 1)
                    else:
                        yield number, self._apart(part)

    def _has_room(self) -> bool:
        """Tell whether one more part may be assigned: results must not pile up behind a slow one."""
        if not self._running:
            return True
        oldest, newest = (which(number for number, _, _ in self._running.values()) for which in (min, max))
        return len(self._running) < 2 * self.workers.count and newest - oldest < 8 * self.workers.count

    def _give(self, number: int, part: P, tried: int) -> None:
        self._running[self.workers.submit(self.work, part)] = number, part, tried

    def _apart(self, part: P) -> R:
        """Return the result of a part whose workers die, by halves, so that all other records are scored."""
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


def in_order(found: Iterable[tuple[int, R]], wanted: Iterable[int]) -> Iterator[tuple[int, R]]:
    """Yield the results of a driver in the order of the given numbers."""
    waiting: dict[int, R] = {}
    numbers = iter(wanted)
    number = next(numbers, None)
    for place, result in found:
        waiting[place] = result
        while number in waiting:
            yield number, waiting.pop(number)
            number = next(numbers, None)
