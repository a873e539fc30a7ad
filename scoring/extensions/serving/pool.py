"""A pool of child processes that score the rows of requests; a row that hangs or kills its process loses itself only.

Each slot is a thread with a child process. It takes rows of several requests together, since to send and answer them
one by one would cost more than to score them. What waits is counted by whoever submits it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from scoring.errors import InputError
from scoring.extensions.hosts.worker import ChildLost, ChildProcess
from scoring.extensions.processes.workers import IdleWorkers
from scoring.extensions.serving.answering import ServedAnswer

_TOGETHER = 32
"""The most rows that a slot takes at a time, unless one request has more."""
_STARTS = 8
"""How often a process is started in place of one that died."""
_DEATHS = 3
"""How many processes may die of a row before it is given up."""
_SERVING = "scoring.extensions.serving.answering:answering_rows"


class PoolJob:
    """Some rows of one request, and what is called with their answers once all are there.

    Args:
        rows: The rows, each pickled with the name of its task.
        done: Called from a thread of the pool with the answers.
        lost: Returns the answer for a row that has none, given the row and the reason.
    """

    __slots__ = ("answers", "done", "is_cancelled", "lost", "rows")

    def __init__(
        self,
        rows: Sequence[bytes],
        done: Callable[[list[ServedAnswer]], None],
        lost: Callable[[bytes, str], ServedAnswer],
    ) -> None:
        self.rows, self.done, self.lost = rows, done, lost
        self.answers: list[ServedAnswer] = []
        self.is_cancelled = False

    def add(self, answer: ServedAnswer) -> None:
        """Add the answer of the next row, and hand all of them over if it is that of the last."""
        self.answers.append(answer)
        if len(self.answers) == len(self.rows):
            self.done(self.answers)


class ScoringPool:
    """A context manager that runs the slots.

    Args:
        bundles: The tasks by name, each as its bundle.
        slots: The number of rows that are scored at the same time.
        seconds: The time limit for one row.
        memory: The bytes that a row may take in addition to what the tasks need; None for no limit.
    """

    def __init__(self, bundles: Mapping[str, bytes], slots: int, seconds: float, memory: int | None) -> None:
        self._bundles, self._seconds, self._memory = dict(bundles), seconds, memory
        self._waiting: deque[PoolJob] = deque()
        self._changed = threading.Condition()
        self._is_closed = False
        self._idle: IdleWorkers[ChildProcess] = IdleWorkers()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(slots)]
        self._counting = threading.Lock()
        self.slots, self.lost, self.busy_seconds, self.scored = slots, 0, 0.0, 0

    def __enter__(self) -> ScoringPool:
        """Start a process for each slot and one to spare, and wait until all can score.

        Raises:
            InputError: when one does not start.
        """
        children = [self._start() for _ in range(self.slots + 1)]
        try:
            for child in children:
                child.wait_until_ready()
        except BaseException:
            for child in children:
                child.stop()
            raise
        for child in children:
            self._idle.give(child)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        self._idle.close()

    @property
    def seconds_per_row(self) -> float:
        """The mean time that a row took so far."""
        return self.busy_seconds / self.scored if self.scored else 0.001

    def submit(self, job: PoolJob) -> None:
        """Let the next free slot score a job's rows."""
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()

    def _next(self) -> list[PoolJob]:
        """Return the jobs that wait longest, up to `_TOGETHER` rows; an empty list once the pool is closed."""
        with self._changed:
            jobs: list[PoolJob] = []
            while not jobs and (self._waiting or not self._is_closed):
                while not self._waiting and not self._is_closed:
                    self._changed.wait()
                # What waits is shared among the slots, so that none takes all of little.
                rows, most = 0, max(1, min(_TOGETHER, -(-len(self._waiting) // self.slots)))
                while self._waiting and (not jobs or rows + len(self._waiting[0].rows) <= most):
                    job = self._waiting.popleft()
                    if not job.is_cancelled:
                        jobs.append(job)
                        rows += len(job.rows)
            return jobs

    def _work(self) -> None:
        child: ChildProcess | None = self._idle.take(self._start)
        while jobs := self._next():
            began = time.monotonic()
            child = self._score(child, [(job, place) for job in jobs for place in range(len(job.rows))])
            with self._counting:
                self.busy_seconds += time.monotonic() - began
                self.scored += sum(len(job.rows) for job in jobs)
        if child is not None:
            self._idle.give(child)

    def _score(self, child: ChildProcess | None, rows: list[tuple[PoolJob, int]]) -> ChildProcess | None:
        """Score rows, and return the process that is left.

        A row that was under way when its process died is tried again, alone: something else may have killed it, such
        as an operator.
        """
        done, deaths = 0, 0
        while done < len(rows):
            job, place = rows[done]
            try:
                child = self._ready(child)
            except InputError as error:
                child = None
                job.add(job.lost(job.rows[place], str(error)))
                done, deaths = done + 1, 0
                continue
            try:
                some = rows[done : done + 1] if deaths else rows[done:]
                child.send([one.rows[at] for one, at in some])
            except ChildLost:  # it died before it had any of them
                continue
            try:
                for one, _ in some:
                    one.add(child.answer(self._seconds, "no score"))
                    done, deaths = done + 1, 0
            except ChildLost as lost:
                job, place = rows[done]
                deaths += 1 if not child.alive else _DEATHS
                child.stop()
                if deaths >= _DEATHS:
                    job.add(job.lost(job.rows[place], str(lost)))
                    done, deaths = done + 1, 0
        return child

    def _ready(self, child: ChildProcess | None) -> ChildProcess:
        """Return a process that can score: the same one if it lives, else one that stands ready, with a successor.

        Raises:
            InputError: when none starts.
        """
        if child is not None and child.alive:
            return child
        for left in reversed(range(_STARTS)):
            with self._counting:
                self.lost += 1
            if child is not None:
                child.stop()
            child = self._idle.take(self._start)
            if not self._is_closed:
                self._idle.give(self._start())
            try:
                child.wait_until_ready()
                break
            except InputError:
                child = None
                if not left:
                    raise
        assert child is not None
        return child

    def _start(self) -> ChildProcess:
        return ChildProcess(_SERVING, self._bundles, self._memory)
