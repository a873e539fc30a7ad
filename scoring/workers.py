"""Worker processes that are kept between questions, and never left behind."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from scoring import children, system


class Worker:
    """A process that answers one question at a time over its pipes."""

    process: children.Running

    @property
    def alive(self) -> bool:
        """Whether the process can take another question."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Kill it, wait for its end and close its pipes; a second time does nothing."""
        self.process.kill()
        self.process.wait()
        self.close_pipes()

    def close_pipes(self) -> None:
        """Close the pipes for questions and answers."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


W = TypeVar("W", bound=Worker)


class IdleWorkers(Generic[W]):
    """The idle worker processes; as many are started as threads need at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[W] = []
        _everywhere.add(self)

    def take(self, start: Callable[[], W]) -> W:
        """Return an idle worker that lives, or a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.stop()
        return start()

    def give(self, worker: W) -> None:
        """Keep a worker for the next question; one that died meanwhile is put away."""
        if not worker.alive:
            worker.stop()
            return
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """Stop the idle workers; the next question starts a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()

    def __del__(self) -> None:
        self.close()

    def forget(self) -> None:
        """Reset after a fork: the workers belong to the parent, and a thread that no longer exists may have held the
        lock."""
        _parents.extend(self._idle)  # held on to, since a process object that is dropped complains that it runs
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


system.after_a_fork(_forget_all)
