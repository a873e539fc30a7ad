"""A small pool of processes that keeps order and loses nothing.

A part whose worker dies (killed for its memory, crashed in a C library) is given to another worker. If it kills that
one too, it is taken apart, so that only the record that kills its process is lost, and it is reported as such.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")
Work = Callable[[Sequence[A]], B]

# How many workers one part may kill before it is taken apart, and a single record before it is given up.
_DEATHS = 2


class PoolError(RuntimeError):
    """The work itself raised in a worker: a fault of the program, not of the data."""


@dataclass(slots=True)
class _Job(Generic[A]):
    part: int
    offset: int
    items: list[A]
    deaths: int = 0


@dataclass(slots=True)
class _Part(Generic[B]):
    """A part on its way: answers by offset, complete when all its items are in one."""

    size: int
    done: dict[int, B] = field(default_factory=dict)
    count: int = 0

    def add(self, job: _Job[A], answer: B) -> None:
        self.done[job.offset] = answer
        self.count += len(job.items)

    def answers(self) -> list[B]:
        return [self.done[offset] for offset in sorted(self.done)]


@dataclass(slots=True, eq=False)
class _Worker(Generic[A]):
    process: ForkProcess
    connection: Connection
    job: _Job[A] | None = None


class Pool(Generic[A, B]):
    """Runs ``work`` on parts in several processes.

    Args:
        work: From the items of a part to one answer for all. It runs in a forked process, so it may be a closure.
        lost: The answer for an item that kills its process every time.
        processes: How many workers.
    """

    def __init__(self, work: Work[A, B], lost: Callable[[A], B], processes: int) -> None:
        if "fork" not in multiprocessing.get_all_start_methods():
            raise PoolError("several processes need `fork`, which this system does not have")
        self._work = work
        self._lost = lost
        self._processes = processes
        self._workers: list[_Worker[A]] = []
        self._waiting: deque[_Job[A]] = deque()
        self._parts: dict[int, _Part[B]] = {}

    def map(self, parts: Iterable[list[A]]) -> Iterator[B]:
        """The answers in the order of the parts: one for each, and several for one that had to be taken apart."""
        source = enumerate(parts)
        next_part, exhausted = 0, False
        try:
            while True:
                # A bounded window: a slow first part must not let all others pile up in memory.
                while not exhausted and len(self._parts) < 4 * self._processes and not self._waiting:
                    exhausted = not self._take(source)
                    self._dispatch()
                while next_part in self._parts and self._parts[next_part].count == self._parts[next_part].size:
                    yield from self._parts.pop(next_part).answers()
                    next_part += 1
                if exhausted and not self._parts:
                    return
                self._dispatch()
                self._collect()
        finally:
            self._stop()

    def _take(self, source: Iterator[tuple[int, list[A]]]) -> bool:
        number, items = next(source, (-1, []))
        if number < 0:
            return False
        self._parts[number] = _Part(len(items))
        self._waiting.append(_Job(number, 0, items))
        return True

    def _dispatch(self) -> None:
        while self._waiting and len([w for w in self._workers if w.job is None]) == 0:
            if len(self._workers) >= self._processes:
                return
            self._workers.append(self._start())
        for worker in list(self._workers):
            if worker.job is None and self._waiting:
                job = self._waiting.popleft()
                worker.job = job
                try:
                    worker.connection.send(job.items)
                except OSError:
                    self._buried(worker)

    def _collect(self) -> None:
        busy = {worker.connection: worker for worker in self._workers if worker.job is not None}
        if not busy:
            return
        for ready in wait(list(busy)):
            worker = busy[ready]  # type: ignore[index]  # wait gives back what it was given
            try:
                ok, answer = worker.connection.recv()
            except (EOFError, OSError):
                self._buried(worker)
                continue
            if not ok:
                raise PoolError(f"a worker failed:\n{answer}")
            job, worker.job = worker.job, None
            assert job is not None
            self._parts[job.part].add(job, answer)

    def _buried(self, worker: _Worker[A]) -> None:
        """A worker died: put its job back, in pieces if it has killed before."""
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.join()
        job = worker.job
        if job is None:
            return
        job.deaths += 1
        if job.deaths < _DEATHS:
            self._waiting.appendleft(job)
        elif len(job.items) > 1:
            pieces = [_Job(job.part, job.offset + place, [item], _DEATHS - 1) for place, item in enumerate(job.items)]
            self._waiting.extendleft(reversed(pieces))
        else:
            self._parts[job.part].add(job, self._lost(job.items[0]))

    def _start(self) -> _Worker[A]:
        ours, theirs = multiprocessing.Pipe()
        # A forked child holds copies of these; unless it closes them, its siblings never notice that we are gone.
        others = [worker.connection for worker in self._workers] + [ours]
        process = multiprocessing.get_context("fork").Process(
            target=_serve, args=(self._work, theirs, others), daemon=True
        )
        with warnings.catch_warnings():
            # Python 3.12 warns of forking beside threads; NumPy's idle ones hold no lock that we need.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.connection.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()


def _serve(work: Work[A, B], connection: Connection, others: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    for other in others:
        other.close()
    while True:
        try:
            items = connection.recv()
        except EOFError:
            return
        answer: tuple[bool, B | str]
        try:
            answer = (True, work(items))
        except Exception:
            answer = (False, traceback.format_exc())
        try:
            connection.send(answer)
        except BrokenPipeError:
            return
