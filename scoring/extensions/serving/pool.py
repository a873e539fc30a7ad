"""A pool of child processes that score the rows of requests, and what waits for them.

Rows of several requests are scored together, since to send and answer them one by one would cost more than to score
them; requests take turns, so that a large one does not hold up the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence

from scoring.extensions.processes.child import ChildProcess
from scoring.extensions.processes.crew import JobRow, RowCrew, RowJob

_TOGETHER = 32
"""The most rows that a process is sent at a time."""
_DEATHS = 3
"""How many processes may die of a row before it is given up."""
_SERVING = "scoring.extensions.serving.answering:answering_rows"


class ScoringPool(RowCrew):
    """A context manager that scores rows in so many processes at a time; a row that hangs takes none of them.

    Args:
        bundles: The tasks by name, each as its bundle.
        slots: The number of rows that are scored at the same time.
        seconds: The time limit for one row.
        memory: The bytes that a row may take in addition to what the tasks need; None for no limit.
    """

    def __init__(self, bundles: Mapping[str, bytes], slots: int, seconds: float, memory: int | None) -> None:
        given = dict(bundles)
        super().__init__(lambda: ChildProcess(_SERVING, given, memory), seconds, _DEATHS)
        self.slots = slots
        self._jobs: deque[RowJob] = deque()
        self._tried: deque[JobRow] = deque()  # rows of which a process has died: they are scored alone
        self._changed = threading.Condition()
        self._is_ending = False
        self._threads = [threading.Thread(target=self.drive, args=(self, _TOGETHER), daemon=True) for _ in range(slots)]

    def __enter__(self) -> ScoringPool:
        """Start a process for each slot and one to spare, and wait until all can score.

        Raises:
            InputError: when one does not start.
        """
        self.open(self.slots + 1)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        self.close()

    def submit(self, job: RowJob) -> None:
        """Have the rows of a job scored."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify(self.slots)

    def take(self, most: int) -> list[JobRow]:
        """Return the rows that are scored next, as soon as there are any; none once the pool is closed."""
        with self._changed:
            while True:
                while self._tried:
                    job, place = self._tried.popleft()
                    if not job.is_cancelled:
                        return [(job, place)]
                # What waits is shared among the slots, so that none takes all of little.
                waiting = max(len(self._jobs), len(self._jobs[0].todo)) if self._jobs else 0
                most = max(1, min(most, -(-waiting // self.slots)))
                rows: list[JobRow] = []
                for _ in range(len(self._jobs)):
                    job = self._jobs.popleft()
                    while job.todo and not job.is_cancelled and len(rows) < most:
                        rows.append((job, job.todo.popleft()))
                    if job.todo and not job.is_cancelled:
                        self._jobs.append(job)
                    if len(rows) >= most:
                        break
                if rows or self._is_ending:
                    return rows
                self._changed.wait()

    def put_back(self, rows: Sequence[JobRow]) -> None:
        """Have rows scored by another process than that which had them."""
        with self._changed:
            for job, place in reversed(rows):
                if place in job.deaths:
                    self._tried.append((job, place))
                    continue
                if not job.todo:
                    self._jobs.appendleft(job)
                job.todo.appendleft(place)
            self._changed.notify(self.slots)

    def is_waiting(self) -> bool:
        """Return that other rows may come while one is being scored."""
        return True
