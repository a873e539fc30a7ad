"""Worker processes that are kept between requests, and stopped at exit."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from scoring import children, processes


class Worker:
    """A process that answers one request at a time over its pipes."""

    process: children.Running

    @property
    def alive(self) -> bool:
        """Whether the process is still running, so that it can take another request."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Kill the process, wait for its end and close its pipes; a second call does nothing."""
        self.process.kill()
        self.process.wait()
        self.close_pipes()

    def close_pipes(self) -> None:
        """Close the pipes to and from the process."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


W = TypeVar("W", bound=Worker)


class IdleWorkers(Generic[W]):
    """A pool of idle workers of this process; it grows to the number of threads that use workers at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[W] = []
        _everywhere.add(self)

    def take(self, start: Callable[[], W]) -> W:
        """Remove a running worker from the pool and return it, or return a new one from `start` if there is none."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.stop()
        return start()

    def __len__(self) -> int:
        """Return the number of idle workers."""
        return len(self._idle)

    def give(self, worker: W, *, is_next: bool = True) -> None:
        """Return a worker to the pool for the next request, or for one after that; stop it if its process has ended."""
        if not worker.alive:
            worker.stop()
            return
        with self._lock:
            self._idle.insert(len(self._idle) if is_next else 0, worker)

    def close(self) -> None:
        """Stop all idle workers; later requests start new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()

    def __del__(self) -> None:
        self.close()

    def forget(self) -> None:
        """Empty the pool in a forked child without stopping the workers, since they belong to the parent, and replace
        the lock, which a thread of the parent may have held."""
        _parents.extend(self._idle)  # kept alive, since a discarded Popen object warns that its process still runs
        self._lock, self._idle = threading.Lock(), []


_everywhere: weakref.WeakSet[IdleWorkers[Any]] = weakref.WeakSet()
_parents: list[Worker] = []


@atexit.register
def _close_all() -> None:
    for workers in list(_everywhere):
        workers.close()


def _forget_all() -> None:
    for workers in list(_everywhere):
        workers.forget()


processes.after_a_fork(_forget_all)
