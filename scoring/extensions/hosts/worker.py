"""Score in child processes that can be killed, for programs that must neither wait for a record nor crash because of
one. A `TaskWorker` always keeps a spare child, which goes on with the other records."""

from __future__ import annotations

import contextlib
import importlib
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from scoring.api.arguments import in_words, is_long
from scoring.api.tasks import ReferencesAs
from scoring.compiler.tasks.serialize import task_from_bytes, task_to_bytes
from scoring.data.plain_values import as_plain, host_record
from scoring.engine.road.evaluate import unscored
from scoring.errors import InputError
from scoring.extensions.hosts.columns import Columns
from scoring.extensions.hosts.json_references import host_parts, read_references
from scoring.extensions.processes.child import ChildProcess
from scoring.extensions.processes.crew import JobRow, RowCrew, RowJob
from scoring.lazy_pattern import lazy_pattern
from scoring.outcomes import Results
from scoring.result import MISSING, RecordResult, describe_error

if TYPE_CHECKING:
    from scoring.compiler.tasks.task import CompiledTask


Parts: TypeAlias = Mapping[str, Any]
"""A record as it travels: ``whole``, or the arguments of `score_parts`."""
_ROWS = 256
_LEAST = 1_000_000
_NAMES = ("response", "reference", "context", "id", "record")
_SIZE = lazy_pattern(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


class TaskWorker:
    """A scorer in child processes, see `Task.worker`; it has as many processes as threads use it at the same time.

    Args:
        task: The task that scores.
        seconds: The time limit for one record.
        memory: The number of bytes that a record may take in addition to what the task needs; None for no limit.
    """

    def __init__(self, task: CompiledTask, seconds: float, memory: int | None) -> None:
        self._task, self._memory = task, memory
        self._bundle = task_to_bytes(task)
        self._crew = RowCrew(lambda: self._start(), seconds)

    def __enter__(self) -> Self:
        self._crew.open(2)
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; a second call does nothing."""
        self._crew.close()

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record, as `Task.score` does; the result can't be explained.

        Raises:
            InputError: when the worker is closed, or its process does not start.
        """
        return self._results([{"whole": host_record(record)}])[0]

    def score_parts(
        self,
        response: Any,
        reference: Any = MISSING,
        *,
        context: Any = None,
        id: Any = None,
        record: Any = None,
        references_as: ReferencesAs = "values",
    ) -> RecordResult:
        """Score one answer, as `Task.score_parts` does; the result can't be explained.

        Raises:
            InputError: when the worker is closed, or its process does not start.
        """
        (reference,) = read_references(self._task, [reference], references_as)
        parts = (*map(as_plain, (response, reference, context, id)), host_record(record))
        return self._results([dict(zip(_NAMES, parts, strict=True))])[0]

    def score_columns(
        self,
        responses: Any,
        references: Any,
        *,
        contexts: Any = None,
        ids: Any = None,
        records: Any = None,
        references_as: ReferencesAs = "values",
    ) -> Columns:
        """Score many answers, as `Task.score_columns` does.

        Raises:
            ValueError: when two of the columns differ in length; the message has both lengths.
            InputError: when the worker is closed, its process does not start, or references have mixed types.
        """
        columns = host_parts(self._task, responses, references, contexts, ids, records, references_as)
        rows = [dict(zip(_NAMES, parts, strict=True)) for parts in zip(*columns, strict=True)]
        return Columns(Results.of(self._results(rows)), self._task, columns[-1])

    def _results(self, rows: Sequence[Parts]) -> list[RecordResult]:
        if self._crew.is_closed:
            raise InputError("this worker is closed")
        # Each by itself, so that one that can't be read there takes no other with it.
        packed = [pickle.dumps(row, pickle.HIGHEST_PROTOCOL) for row in rows]
        job = RowJob(packed, lambda place, why: self._unscored(rows[place], why))
        self._crew.drive(_OneJob(job), _ROWS)
        return [
            self._unscored(row, answer) if isinstance(answer, str) else answer
            for row, answer in zip(rows, job.answers.result(), strict=True)
        ]

    def _unscored(self, row: Parts, why: str) -> RecordResult:
        record = row["whole"] if "whole" in row else row["record"] or {}
        key = row.get("id")
        return unscored(self._task, self._task.record_id(record) if key is None else key, record, why)

    def _start(self) -> ChildProcess:
        return ChildProcess("scoring.extensions.hosts.worker:answering", self._bundle, self._memory)


class _OneJob:
    """The rows of one call, as what drives the processes takes them."""

    def __init__(self, job: RowJob) -> None:
        self._job = job

    def take(self, most: int) -> list[JobRow]:
        todo = self._job.todo
        return [] if self._job.is_cancelled else [(self._job, todo.popleft()) for _ in range(min(most, len(todo)))]

    def put_back(self, rows: Sequence[JobRow]) -> None:
        self._job.todo.extendleft(place for _, place in reversed(rows))

    def is_waiting(self) -> bool:
        return bool(self._job.todo)


def answering(bundle: bytes) -> Callable[[bytes], RecordResult | str]:
    """Return the function that the child calls for each request: it scores a pickled record by the bundled task."""
    task = task_from_bytes(bundle)
    # The clock does not run yet; what has another name than its distribution comes later.
    for name in task.parts.recipe.libraries():
        with contextlib.suppress(ImportError):
            importlib.import_module(name.replace("-", "_"))
    return lambda packed: _scored(task, packed)


def _scored(task: CompiledTask, packed: bytes) -> RecordResult | str:
    """Return the result of a pickled record, or a message if the record can't be read."""
    try:
        row: Parts = pickle.loads(packed)
    except Exception as error:  # such as a class that only the host has
        return f"the process that scores can't read the record ({describe_error(error)})"
    result = task.score(row["whole"]) if "whole" in row else task.score_parts(**row)
    result.explainer = None  # a closure, which can't travel
    return result


def bytes_of(size: int | str | None) -> int | None:
    """Return a size, such as ``1GB``, as a number of bytes; None for None.

    Raises:
        ValueError: when it is not a size, or less than a megabyte, which suggests that the unit was forgotten.

    Examples:
        >>> bytes_of("1GB"), bytes_of("1.5 GiB"), bytes_of(2_000_000), bytes_of(None)
        (1000000000, 1610612736, 2000000, None)
    """
    if size is None:
        return None
    found = None if is_long(size) else _SIZE.fullmatch(str(size))
    if found is None or float(found[1]) <= 0:
        raise ValueError(f"{in_words(size)} is no size of memory: write a number of bytes, or one such as `1GB`")
    number, unit, binary = found.groups()
    found_size = int(float(number) * (1024 if binary else 1000) ** " kmgt".index(unit.lower() or " "))
    if found_size < _LEAST:
        raise ValueError(
            f"{in_words(size)} is a size in bytes, and no record is scored in less than a megabyte: write `{number}GB`"
        )
    return found_size
