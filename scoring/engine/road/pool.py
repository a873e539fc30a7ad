"""Processes that keep order and lose nothing, on `concurrent.futures`.

Its executor gives up all that is under way when one of its processes dies (killed for its memory, crashed in a C
library), and does not say at whose hands. So what was under way is tried again, each job alone: one that kills its
process alone twice is taken apart, until only the record that kills its process is lost, and is reported as such.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

_TRIES = 2
"""So often a job may kill its process, alone, before it is taken apart or given up."""


class PoolError(RuntimeError):
    """The work itself raised in a worker: a fault of the program, not of the data."""


@dataclass(slots=True, eq=False)
class _Job(Generic[A, B]):
    given: A
    future: Future[B] | None = None
    answers: list[B] = field(default_factory=list)
    is_done: bool = False


def one_by_one(items: Sequence[T]) -> list[list[T]]:
    """A list of items taken apart, for `Pool`; a single one can't be."""
    return [[item] for item in items] if len(items) > 1 else []


class Pool(Generic[A, B]):
    """Runs ``work`` on jobs in several processes.

    Args:
        work: From a job to its answer. Where it can be pickled, its processes are spawned, so that they share nothing
            with this one; what can't, such as a closure, takes forked ones.
        apart: The pieces of a job that kills its process every time; none where it can't be taken apart.
        lost: The answer for such a piece.
        processes: How many workers.

    Raises:
        PoolError: when the work can't be pickled, and the system can't fork.
    """

    def __init__(
        self, work: Callable[[A], B], apart: Callable[[A], Sequence[A]], lost: Callable[[A], B], processes: int
    ) -> None:
        self._work, self._apart, self._lost, self._processes = work, apart, lost, processes
        self._method = "spawn" if _travels(work) else "fork"
        if self._method not in multiprocessing.get_all_start_methods():
            raise PoolError("this work needs processes made by `fork`, which this system does not have")
        self._executor: ProcessPoolExecutor | None = None
        self._before = frozenset(multiprocessing.active_children())

    def map(self, jobs: Iterable[A]) -> Iterator[list[B]]:
        """The answers in the order of the jobs: one for each job, and several for one that had to be taken apart."""
        source = iter(jobs)
        under_way: deque[_Job[A, B]] = deque()
        try:
            while True:
                # A bounded window: a slow first job must not let all others pile up in memory.
                for given in islice(source, 2 * self._processes + 1 - len(under_way)):
                    under_way.append(_Job(given))
                if not under_way:
                    return
                self._collect(under_way)
                yield under_way.popleft().answers
        finally:
            self._stop()

    def _collect(self, under_way: deque[_Job[A, B]]) -> None:
        """See that the first job is done."""
        try:
            for job in under_way:
                if job.future is None and not job.is_done:
                    job.future = self._submit(job.given)
            first = under_way[0]
            if not first.is_done:
                first.answers, first.is_done = [self._answer(first.future)], True
        except BrokenProcessPool:
            self._stop()
            for job in under_way:
                self._settle(job)

    def _settle(self, job: _Job[A, B]) -> None:
        """What was under way when a process died: an answer that came in time, or a try by itself."""
        if job.is_done:
            return
        future, job.future = job.future, None
        if future is not None and future.done() and not future.cancelled() and future.exception() is None:
            job.answers = [future.result()]
        else:
            job.answers = self._alone(job.given)
        job.is_done = True

    def _alone(self, given: A) -> list[B]:
        for _ in range(_TRIES):
            try:
                return [self._answer(self._submit(given))]
            except BrokenProcessPool:
                self._stop()
        pieces = self._apart(given)
        return [answer for piece in pieces for answer in self._alone(piece)] if pieces else [self._lost(given)]

    def _answer(self, future: Future[B] | None) -> B:
        assert future is not None
        try:
            return future.result()
        except BrokenProcessPool:
            raise
        except Exception as error:
            told = "".join(traceback.format_exception(error))
            raise PoolError(f"a worker failed:\n{told}") from error

    def _submit(self, given: A) -> Future[B]:
        if self._executor is None:
            context: Any = multiprocessing.get_context(self._method)
            # Forked, the work is there already; spawned, it is pickled once for each process and not with every job.
            self._executor = ProcessPoolExecutor(self._processes, context, initializer=_begin, initargs=(self._work,))
        with warnings.catch_warnings():
            # Python 3.12 warns of forking beside threads; NumPy's idle ones hold no lock that we need.
            warnings.simplefilter("ignore", DeprecationWarning)
            return self._executor.submit(_run, given)

    def _stop(self) -> None:
        """End the processes, whatever they are doing."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        for child in multiprocessing.active_children():
            if child not in self._before:
                child.terminate()
        # It alone waits for its processes: of two threads that do, one is told that there is no such child.
        executor.shutdown(wait=True, cancel_futures=True)


_work: Callable[[Any], Any] | None = None


def _begin(work: Callable[[Any], Any]) -> None:
    global _work  # an executor has no other place for what its processes share
    _work = work
    with suppress(ValueError):  # where the worker is no main thread of its own
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Go when the parent is gone: an executor's processes wait for it for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(given: Any) -> Any:
    assert _work is not None
    return _work(given)


def _travels(work: object) -> bool:
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
