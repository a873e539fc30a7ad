"""Processes of this machine as the workers of a run, on `concurrent.futures`.

An executor gives up all that is under way when one of its processes dies (killed for its memory, crashed in a C
library), and does not say at whose hands. So each process has an executor of its own, and the driver of runs over many
machines finds out which record it was: `scoring.engine.road.drive`.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from operator import add
from typing import Any, TypeVar

from scoring import children, system
from scoring.engine.road.drive import Driver, WorkerDied, in_order

R = TypeVar("R")
T = TypeVar("T")


def in_processes(
    work: Callable[[Sequence[T]], list[R]],
    jobs: Iterable[Sequence[T]],
    *,
    lost: Callable[[Sequence[T]], list[R]],
    processes: int,
) -> Iterator[list[R]]:
    """Yield the results of each job's items, in order; ``lost`` gives that of an item which kills its process.

    Where this process has several threads its workers are spawned, so that they share nothing with it; work that can't
    be pickled, such as a closure, takes forked ones.

    Raises:
        RuntimeError: when the work can't be pickled, and the system can't fork.
    """
    with closing(LocalWorkers(work, processes)) as workers:
        found = Driver(workers, work, halves, lost, add).results(jobs)
        yield from (result for _, result in in_order(found, count()))


def halves(items: Sequence[T]) -> list[Sequence[T]]:
    """Return a list in two, for `in_processes`; nothing where it has one item.

    Examples:
        >>> halves([1, 2, 3]), halves([1])
        ([[1], [2, 3]], [])
    """
    middle = len(items) // 2
    return [items[:middle], items[middle:]] if middle else []


@dataclass(slots=True, eq=False)
class _Slot:
    executor: ProcessPoolExecutor | None = None
    under_way: int = 0


class LocalWorkers:
    """Processes that do one kind of work.

    Raises:
        RuntimeError: when the work can't be pickled, and the system can't fork.
    """

    def __init__(self, work: Callable[[Any], Any], count: int) -> None:
        self.count = count
        self._work = work
        self._method = _method_for(work)
        if self._method not in multiprocessing.get_all_start_methods():
            raise RuntimeError("this work needs processes made by `fork`, which this system does not have")
        self._slots = [_Slot() for _ in range(count)]
        self._started: list[ProcessPoolExecutor] = []
        self._dead: set[ProcessPoolExecutor] = set()
        self._before = frozenset(multiprocessing.active_children())

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Have the work done in the process that has least to do; the future raises `WorkerDied` where that dies."""
        assert work is self._work, "the processes have the work already"
        slot = min(self._slots, key=lambda one: one.under_way)
        slot.under_way += 1
        found: Future[Any] = Future()

        def done(future: Future[Any]) -> None:
            slot.under_way -= 1
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                if slot.executor is executor:  # by now there may be another
                    slot.executor = None
                # A process works on its oldest part, which is told first; the others have waited behind it.
                began = executor not in self._dead
                self._dead.add(executor)
                found.set_exception(WorkerDied(str(error), began=began))
            elif error is not None:
                found.set_exception(error)
            else:
                found.set_result(future.result())

        executor, submitted = self._given(slot, given)
        submitted.add_done_callback(done)
        return found

    def _given(self, slot: _Slot, given: Any) -> tuple[ProcessPoolExecutor, Future[Any]]:
        while True:
            executor = slot.executor
            if executor is None:
                executor = slot.executor = self._start()
            with suppress(BrokenProcessPool), warnings.catch_warnings(), children.safe_path():
                # Python 3.12 warns of forking beside threads; NumPy's idle ones hold no lock that we need.
                warnings.simplefilter("ignore", DeprecationWarning)
                found = executor.submit(_run, given)
                _leave_writing_to_workers(executor)
                return executor, found
            slot.executor = None

    def _start(self) -> ProcessPoolExecutor:
        context: Any = multiprocessing.get_context(self._method)
        # Forked, the work is there already; spawned, it is pickled once for each process and not with every job.
        executor = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(self._work,))
        self._started.append(executor)
        return executor

    def close(self) -> None:
        """End the processes at once."""
        for child in multiprocessing.active_children():
            if child not in self._before:
                child.terminate()
        # Executors alone wait for their processes: of two threads that do, one is told that there is no such child.
        for executor in self._started:
            executor.shutdown(wait=True, cancel_futures=True)


def _leave_writing_to_workers(executor: Any) -> None:
    """Close our end of the pipe for results once the processes have started.

    While any end is open to write, the thread that reads a result whose writer was killed halfway waits for the rest
    for ever, and whoever ends the executor waits for that thread.
    """
    executor._result_queue._writer.close()


_work: Callable[[Any], Any] | None = None


def _begin(work: Callable[[Any], Any]) -> None:
    global _work  # an executor has no other place for what its processes share
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a command's own way to end, which forks inherit, is not for workers
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


def _method_for(work: object) -> str:
    """Return how processes are started.

    A process of one thread is forked, which takes hundredths of a second: its copy holds no lock that another thread
    would have to give back. Spawning imports all anew, some tenths, and is safe beside threads, as in notebooks.
    """
    alone = system.FORKS_WELL and threading.active_count() == 1
    return "fork" if alone or not _travels(work) else "spawn"


def _travels(work: object) -> bool:
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
