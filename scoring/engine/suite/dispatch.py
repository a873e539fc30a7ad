"""All tasks of a suite as one task, so that one pass over the data scores them all, in one process or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.format.model import Intervals
from scoring.result import RecordResult

TASK, RECORD = "task", "record"


def wrapped(task: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A record together with the task that scores it."""
    return {TASK: task, RECORD: record}


class Dispatcher:
    """Scores each wrapped record by its task.

    Args:
        name: The suite's name.
        version: Its version.
        signature: Its signature.
        tasks: The compiled tasks by name.
    """

    def __init__(self, name: str, version: str, signature: str, tasks: Mapping[str, CompiledTask]) -> None:
        self.name = name
        self.version = version
        self.signature = signature
        self.seed = 0
        self.metrics: Sequence[Any] = ()
        self.by: Sequence[str] = ()
        self.intervals = Intervals()
        self.field_names: Sequence[str] = ()
        self._tasks = tasks

    def resolved(self) -> dict[str, Any]:
        """The resolved spec of every task."""
        return {name: task.resolved() for name, task in self._tasks.items()}

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        """What reads a declared name or a path out of a record, as its task does."""
        readers = {name: task.reader_of(path) for name, task in self._tasks.items()}
        return lambda record: readers[record[TASK]](record[RECORD])

    def record_id(self, record: Mapping[str, Any]) -> Any:
        """The id of a record, as its task reads it."""
        return self._tasks[record[TASK]].record_id(record[RECORD])

    def attributes(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The attributes of a record, as its task reads them."""
        return self._tasks[record[TASK]].attributes(record[RECORD])

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record."""
        return self._tasks[record[TASK]].score(record[RECORD])

    def score_batch(self, records: Sequence[Mapping[str, Any]]) -> list[RecordResult]:
        """Score many records, those of one task together."""
        results: list[RecordResult] = []
        for name, members in groupby(records, key=lambda record: str(record[TASK])):
            results += self._tasks[name].score_batch([record[RECORD] for record in members])
        return results
