"""Local processes as the workers of a run, based on `concurrent.futures`.

When one of its processes dies (killed for its memory, crashed in a C library), an executor abandons all submitted jobs
without reporting which one was at fault. So each process has a separate executor, and the driver of distributed runs
finds out which record it was: `scoring.engine.road.drive`.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from operator import add
from typing import Any, TypeVar

from scoring import children
from scoring.engine.road.drive import Driver, WorkerDied, in_requested_order
from scoring.processes import FORKS_WELL

R = TypeVar("R")
T = TypeVar("T")


def in_processes(
    work: Callable[[T], list[R]],
    jobs: Iterable[T],
    *,
    lost: Callable[[T], list[R]],
    apart: Callable[[T], list[T]],
    processes: int,
) -> Iterator[list[R]]:
    """Yield the results of each job, in order; ``apart`` returns a job's halves, [] if it has a single item, and
    ``lost`` the result of a single item that kills its process.

    If this process has several threads, workers are spawned, so that they share nothing with it; work that can't be
    pickled, such as a closure, requires forked workers.

    Raises:
        RuntimeError: when the work can't be pickled, and the system can't fork.
    """
    with closing(LocalWorkers(work, processes)) as workers:
        found = Driver(workers, work, apart, lost, add).results(jobs)
        yield from (result for _, result in in_requested_order(found, count()))


@dataclass(slots=True, eq=False)
class _Slot:
    executor: ProcessPoolExecutor | None = None
    under_way: int = 0


class LocalWorkers:
    """A pool of ``count`` processes that run the function ``work`` on parts of a run's data.

    Raises:
        RuntimeError: when the work can't be pickled, and the system can't fork.
    """

    def __init__(self, work: Callable[[Any], Any], count: int) -> None:
        self.count = count
        self._work = work
        self._method = _method_for(work)
        if self._method not in multiprocessing.get_all_start_methods():
            raise RuntimeError("this work needs processes started by `fork`, which this system does not have")
        self._slots = [_Slot() for _ in range(count)]
        self._started: list[ProcessPoolExecutor] = []
        self._dead: set[ProcessPoolExecutor] = set()
        self._before = frozenset(multiprocessing.active_children())

    def submit(self, work: Callable[[Any], Any], part: Any) -> Future[Any]:
        """Run the function on a part in the least busy process; the future raises `WorkerDied` if that process dies."""
        assert work is self._work, "the processes have the work already"
        slot = min(self._slots, key=lambda one: one.under_way)
        slot.under_way += 1
        found: Future[Any] = Future()

        def done(future: Future[Any]) -> None:
            slot.under_way -= 1
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                if slot.executor is executor:  # it may have been replaced by now
                    slot.executor = None
                # A process works on its oldest part, whose callback comes first; the other parts were queued behind it.
                began = executor not in self._dead
                self._dead.add(executor)
                found.set_exception(WorkerDied(str(error), began=began))
            elif error is not None:
                found.set_exception(error)
            else:
                found.set_result(future.result())

        executor, submitted = self._submit_to(slot, part)
        submitted.add_done_callback(done)
        return found

    def _submit_to(self, slot: _Slot, part: Any) -> tuple[ProcessPoolExecutor, Future[Any]]:
        while True:
            executor = slot.executor
            if executor is None:
                executor = slot.executor = self._start()
            with suppress(BrokenProcessPool), warnings.catch_warnings(), children.safe_path():
                # Python 3.12 warns of forking while threads exist; NumPy's idle threads hold no lock that we need.
                warnings.simplefilter("ignore", DeprecationWarning)
                found = executor.submit(_run, part)
                _leave_writing_to_workers(executor)
                return executor, found
            slot.executor = None

    def _start(self) -> ProcessPoolExecutor:
        context: Any = multiprocessing.get_context(self._method)
        # A forked process already has the work; for a spawned one it is pickled once, not with every job.
        executor = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(self._work,))
        self._started.append(executor)
        return executor

    def close(self) -> None:
        """Terminate the processes, whatever they are doing."""
        for child in multiprocessing.active_children():
            if child not in self._before:
                child.terminate()
        # Only executors may wait for their processes: if two threads wait, one gets the error that there is no such
        # child.
        for executor in self._started:
            executor.shutdown(wait=True, cancel_futures=True)


def _leave_writing_to_workers(executor: Any) -> None:
    """Close the parent's writing end of the pipe through which a process returns results, once the process is started.

    If a process is killed while it writes a result, the thread that reads the pipe would otherwise wait forever for the
    rest, as long as any writing end is open, and so would a shutdown of the executor, which waits for that thread.
    """
    executor._result_queue._writer.close()


_work: Callable[[Any], Any] | None = None


def _begin(work: Callable[[Any], Any]) -> None:
    global _work  # an executor offers no other place for state that its processes share
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # forks inherit the command's own handler, which is not for workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent process is gone, since an executor's processes would wait for it forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(part: Any) -> Any:
    assert _work is not None
    return _work(part)


def _method_for(work: object) -> str:
    """Return the method by which processes are started, "fork" or "spawn".

    A process with a single thread is forked, which takes hundredths of a second; its copy can't contain a lock that
    another thread would have to release. Spawning imports everything again, which takes some tenths of a second, but is
    safe if other threads exist, as in notebooks.
    """
    alone = FORKS_WELL and threading.active_count() == 1
    return "fork" if alone or not _travels(work) else "spawn"


def _travels(work: object) -> bool:
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
