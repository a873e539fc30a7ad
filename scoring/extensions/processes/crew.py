"""Rows scored by child processes, of which any may hang: a row has its time, and those beside it do not wait for it.

Whoever drives a crew sends a process some rows, and takes their answers. Where one is not there after a small share of
its time, the rows behind it go to a process that stands ready, and a thread waits for the rest of the time. So many
rows that hang cost little more than one of them, while there are processes: as many stand ready as were needed at once.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeAlias

from scoring.errors import InputError
from scoring.extensions.processes.child import ChildLost, ChildProcess
from scoring.extensions.processes.workers import IdleWorkers
from scoring.processes import processor_count
from scoring.result import describe_error

_STARTS = 30
"""How often a process is started in place of one that died before it was ready."""
_SENT = 3
"""How many processes may die before they take a row until it is given up."""
_WATCHED = 8
"""The most processes for whose answers threads wait, beyond those that are driven."""
_READY = 2
"""How many processes stand ready for the next rows that hang."""
_SHARE, _FIRST_SHARE = 1 / 32, 1 / 8
"""The shares of its time after which a row is suspected to hang, the latter for the first one of a process."""
_USUAL = 4.0
"""How many times the usual time of a row it must have taken, too, so that slow rows are not all suspected."""


class RowJob:
    """Some rows, and the future of their answers, in the same order.

    Args:
        rows: The rows, each pickled.
        lost: Returns the answer for a row that has none, given its place and the reason.
    """

    def __init__(self, rows: Sequence[bytes], lost: Callable[[int, str], Any]) -> None:
        self.rows, self.todo, self._lost = rows, deque(range(len(rows))), lost
        self.answers: Future[list[Any]] = Future()
        self.deaths: dict[int, int] = {}
        self.is_cancelled = False
        self._found: list[Any] = [None] * len(rows)
        self._left = len(rows)
        self._giving = threading.Lock()
        self.answers.set_running_or_notify_cancel()
        if not rows:
            self.answers.set_result([])

    def give(self, place: int, answer: Any) -> None:
        """Take the answer of a row; the last one completes the job."""
        self._found[place] = answer
        with self._giving:
            self._left -= 1
            if not self._left:
                self.answers.set_result(self._found)

    def lose(self, place: int, why: str) -> None:
        """Give a row the answer of one that has none; if even that fails, the job fails."""
        try:
            answer = self._lost(place, why)
        except Exception as error:
            with self._giving:
                self.is_cancelled, self._left = True, -1  # so that no answer completes it
                if not self.answers.done():
                    self.answers.set_exception(error)
            return
        self.give(place, answer)


JobRow: TypeAlias = tuple[RowJob, int]
"""A row of a job, by its place."""


class RowSource(Protocol):
    """Where whoever drives a crew has its rows from."""

    def take(self, most: int) -> list[JobRow]:
        """Return the next rows, `most` at most; none when there is nothing more to do."""
        ...

    def put_back(self, rows: Sequence[JobRow]) -> None:
        """Take back rows that have not been answered, to be the next ones."""
        ...

    def is_waiting(self) -> bool:
        """Return whether other rows wait, or may come, while one is being scored."""
        ...


class RowCrew:
    """Child processes that score rows.

    Args:
        start: Starts a process.
        seconds: The time limit for one row.
        deaths: How many processes may die of a row before it is given up.
    """

    def __init__(self, start: Callable[[], ChildProcess], seconds: float, deaths: int = 1) -> None:
        self._start, self.seconds, self._deaths = start, seconds, deaths
        self._idle: IdleWorkers[ChildProcess] = IdleWorkers()
        self._watched: dict[ChildProcess, threading.Thread] = {}
        self._changing = threading.Lock()
        self._usual: float | None = None  # the seconds that a row takes
        self.is_closed, self.lost = False, 0

    def open(self, count: int) -> None:
        """Start some processes and one more, and wait until the former can score.

        Raises:
            InputError: when one does not start.
        """
        started: list[ChildProcess] = []
        try:
            for _ in range(count):
                started.append(self._start())
            for child in started:
                child.wait_until_ready()
        except BaseException:
            for child in started:
                child.stop()
            raise
        for child in reversed(started):  # the first one is the next
            self._idle.give(child)
        self._succeed()

    def close(self) -> None:
        """End the processes that nobody drives; one that is driven is ended when it is given back."""
        self.is_closed = True
        with self._changing:
            watched = dict(self._watched)
        for child, thread in watched.items():
            child.process.kill()
            if thread is not threading.current_thread():
                thread.join()
        self._idle.close()

    @property
    def usual_seconds(self) -> float:
        """The time that a row takes as a rule."""
        return self._usual or 0.001

    def drive(self, source: RowSource, together: int) -> None:
        """Have rows scored until the source has no more; a row that hangs may still be waited for then.

        Args:
            source: Has the rows.
            together: The most rows that a process is sent at a time.
        """
        child: ChildProcess | None = None
        try:
            while rows := source.take(self._most(together)):
                try:
                    if child is not None and not child.alive:
                        self._end(child)
                        child = None
                    child = child or self._taken()
                    child = self._score(child, rows, source)
                except Exception as error:  # no process starts, or a defect; each row that is left is given this reason
                    if child is not None:
                        self._end(child)
                        child = None
                    why = str(error) if isinstance(error, InputError) else describe_error(error)
                    for job, place in rows:
                        job.lose(place, why)
        except BaseException:  # Ctrl-C: a late answer must not be taken for that of the next row
            if child is not None:
                child.stop()
            raise
        if child is not None:
            self._give(child)

    def _most(self, together: int) -> int:
        """Return how many rows a process is sent: not so many that others do them again if one of them is slow."""
        return max(1, min(together, int(self.seconds * _SHARE / self._usual))) if self._usual else min(8, together)

    def _patience(self, child: ChildProcess) -> float:
        """Return after how many seconds a row is suspected to hang."""
        share = _SHARE if child.has_answered else _FIRST_SHARE
        return min(self.seconds, max(self.seconds * share, _USUAL * (self._usual or 0.0)))

    def _score(self, child: ChildProcess, rows: list[JobRow], source: RowSource) -> ChildProcess | None:
        """Have some rows scored, and return the process if it can take others; what is answered or put back is no more
        in the list."""
        try:
            child.send([job.rows[place] for job, place in rows])
        except ChildLost as lost:
            self._end(child)
            self._blame(rows.pop(0), str(lost), source, _SENT)
            source.put_back(_emptied(rows))
            return None
        began, count, was_new = time.monotonic(), len(rows), not child.has_answered
        while rows:
            job, place = rows[0]
            patience = self._patience(child)
            try:
                is_there = child.has_answer(patience)
                answer = child.answer(0.0, "") if is_there else None
            except ChildLost as lost:
                self._end(child)
                self._blame(rows.pop(0), str(lost), source, self._deaths)
                source.put_back(_emptied(rows))
                return None
            rows.pop(0)
            if not is_there:
                rest = _emptied(rows)
                source.put_back(rest)
                self._hand_over(child, (job, place), len(rest), self.seconds - patience, source)
                return None
            job.give(place, answer)
        if not was_new:  # whose first row takes longer
            self._learn((time.monotonic() - began) / count, 0.25)
        return child

    def _learn(self, seconds: float, share: float) -> None:
        self._usual = seconds if self._usual is None else (1 - share) * self._usual + share * seconds

    def _hand_over(self, child: ChildProcess, row: JobRow, owed: int, left: float, source: RowSource) -> None:
        """Wait for the answer of a row, in a thread if others wait for this one and there are not too many."""
        most = _WATCHED if child.has_answered else processor_count()
        given = child, row, owed, left, source
        with self._changing:
            is_apart = (owed > 0 or source.is_waiting()) and len(self._watched) < most and not self.is_closed
            if is_apart:
                self._watched[child] = threading.Thread(target=self._watch, args=given, daemon=True)
                try:
                    self._watched[child].start()
                except RuntimeError:  # the system lets it start no thread
                    is_apart = self._watched.pop(child) is None
        if not is_apart:
            self._watch(*given)
        elif len(self._idle) <= _READY:  # one of them is driven next
            self._succeed()

    def _watch(self, child: ChildProcess, row: JobRow, owed: int, left: float, source: RowSource) -> None:
        (job, place), began, is_answered = row, time.monotonic(), False
        try:
            if not child.has_answer(left):
                is_answered = True
                job.lose(place, f"no score within {self.seconds:g} s")
                self._end(child)
                return
            answer, is_answered = child.answer(0.0, ""), True
            self._learn(self.seconds - left + time.monotonic() - began, 0.0625)
            job.give(place, answer)
            for _ in range(owed):  # what others do meanwhile
                child.answer(self.seconds, "no score")
            self._give(child)
        except ChildLost as lost:
            self._end(child)
            if not is_answered:
                self._blame(row, str(lost), source, self._deaths)
        except Exception as error:
            self._end(child)
            if not is_answered:
                job.lose(place, describe_error(error))
        finally:
            with self._changing:
                self._watched.pop(child, None)

    def _blame(self, row: JobRow, why: str, source: RowSource, most: int) -> None:
        """Count the death of a process with a row; it is tried again, alone, since something else may have killed the
        process, such as an operator, or given up after so many."""
        job, place = row
        deaths = job.deaths[place] = job.deaths.get(place, 0) + 1
        if deaths >= most:
            job.lose(place, why)
        else:
            source.put_back([row])

    def _taken(self) -> ChildProcess:
        """Return a process that stands ready, or a new one.

        Raises:
            InputError: when the crew is closed, or none starts.
        """
        for left in reversed(range(_STARTS)):
            if self.is_closed:
                raise InputError("this worker is closed")
            try:
                child = self._idle.take(self._start)
                child.wait_until_ready()
                if not self._idle:  # also where those that stood ready were killed
                    self._succeed()
                return child
            except InputError:
                if not left:
                    raise
        raise AssertionError

    def _succeed(self) -> None:
        """Start a process that will stand ready; without one, whoever needs it starts it."""
        if not self.is_closed:
            with contextlib.suppress(InputError):
                self._idle.give(self._start(), is_next=False)
            if self.is_closed:
                self._idle.close()

    def _end(self, child: ChildProcess) -> None:
        """End a process that is of no use any more, and start another one in its place."""
        with self._changing:
            self.lost += 1
        child.stop()
        self._succeed()

    def _give(self, child: ChildProcess) -> None:
        self._idle.give(child)
        if self.is_closed:
            self._idle.close()


def _emptied(rows: list[JobRow]) -> list[JobRow]:
    """Return the rows of a list, and leave none in it."""
    found = rows.copy()
    rows.clear()
    return found
