"""A process that scores and can be killed: for hosts that must not wait for a record, nor die of one.

The child (`child.py`) is given the task as its bundle, and answers record by record. A record that takes longer than it
may, or takes the process down, is unscored; a new process goes on with the records after it. A successor always stands
ready, so that a record that hangs costs its time and little more.
"""

from __future__ import annotations

import contextlib
import importlib
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from scoring.api.child import ChildLost, ChildProcess
from scoring.api.columns import Columns, parts_of
from scoring.api.verb import in_words, is_long
from scoring.compiler.travel import task_from_bytes, task_to_bytes
from scoring.data.plain import as_plain, host_record
from scoring.data.rows.join import Item
from scoring.data.rows.row import InputError
from scoring.engine.road.evaluate import unscored
from scoring.outcomes import Results
from scoring.result import MISSING, RecordResult, describe_error
from scoring.sandbox.idle import IdleWorkers

if TYPE_CHECKING:
    from scoring.compiler.task import CompiledTask

Parts: TypeAlias = Mapping[str, Any]
"""A record as it travels: ``whole``, or the arguments of `score_parts`."""

_ROWS = 256
_LEAST = 1_000_000
_NAMES = ("response", "reference", "context", "id", "record")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


class TaskWorker:
    """Scores in a process of its own, see `Task.worker`; as many run as threads ask at the same time.

    Args:
        task: What scores.
        seconds: How long a record may take.
        memory: How many bytes a record may take beside what the task needs, None for any number.
    """

    def __init__(self, task: CompiledTask, seconds: float, memory: int | None) -> None:
        self._task, self._seconds, self._memory = task, seconds, memory
        self._bundle = task_to_bytes(task)
        self._idle: IdleWorkers[ChildProcess] = IdleWorkers()
        self._is_closed = False

    def __enter__(self) -> Self:
        first, successor = self._start(), self._start()
        self._idle.give(successor)
        self._idle.give(first)  # which is the one that is taken next
        self._idle.give(self._take())
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End its processes; a second time does nothing."""
        self._is_closed = True
        self._idle.close()

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record, as `Task.score` does; the result does not explain itself.

        Raises:
            InputError: when the worker is closed, or its process does not start.
        """
        return self._results([{"whole": host_record(record)}])[0]

    def score_parts(
        self, response: Any, reference: Any = MISSING, *, context: Any = None, id: Any = None, record: Any = None
    ) -> RecordResult:
        """Score one answer, as `Task.score_parts` does; the result does not explain itself.

        Raises:
            InputError: when the worker is closed, or its process does not start.
        """
        parts = (*map(as_plain, (response, reference, context, id)), host_record(record))
        return self._results([dict(zip(_NAMES, parts, strict=True))])[0]

    def score_columns(
        self, responses: Any, references: Any, *, contexts: Any = None, ids: Any = None, records: Any = None
    ) -> Columns:
        """Score many answers, as `Task.score_columns` does.

        Raises:
            ValueError: when two of the columns differ in length, with both lengths.
            InputError: when the worker is closed, or its process does not start.
        """
        columns = parts_of(responses, references, contexts, ids, records)
        rows = [dict(zip(_NAMES, parts, strict=True)) for parts in zip(*columns, strict=True)]
        return Columns(Results.of(self._results(rows)))

    def _results(self, rows: Sequence[Parts]) -> list[RecordResult]:
        found: list[RecordResult] = []
        process = self._take()
        try:
            while len(found) < len(rows):
                stretch = rows[len(found) : len(found) + _ROWS]
                try:
                    # Each by itself, so that one that can't be read there takes no other with it.
                    process.send([pickle.dumps(row, pickle.HIGHEST_PROTOCOL) for row in stretch])
                    for row in stretch:
                        answer = process.answer(self._seconds, "no score")
                        found.append(self._unscored(row, answer) if isinstance(answer, str) else answer)
                except ChildLost as lost:
                    found.append(self._unscored(rows[len(found)], str(lost)))
                    process.stop()
                    process = self._take()
                    self._idle.give(self._start())
        finally:
            # Whatever ends this, Ctrl-C too: a late answer must not be taken for that of the next record.
            if len(found) < len(rows):
                process.stop()
            self._idle.give(process)
            if self._is_closed:
                self._idle.close()
        return found

    def _unscored(self, row: Parts, why: str) -> RecordResult:
        record = row["whole"] if "whole" in row else row["record"] or {}
        key = row.get("id")
        return unscored(self._task, Item(self._task.record_id(record) if key is None else key, "", record), why)

    def _take(self) -> ChildProcess:
        if self._is_closed:
            raise InputError("this worker is closed")
        process = self._idle.take(self._start)
        process.wait_until_ready()
        return process

    def _start(self) -> ChildProcess:
        return ChildProcess("scoring.api.worker:answering", self._bundle, self._memory)


def answering(bundle: bytes) -> Callable[[bytes], RecordResult | str]:
    """What the child does: the results of records of a task."""
    task = task_from_bytes(bundle)
    _import_libraries(task)
    return lambda packed: _scored(task, packed)


def _scored(task: CompiledTask, packed: bytes) -> RecordResult | str:
    """The result of a record, or why it has none."""
    try:
        row: Parts = pickle.loads(packed)
    except Exception as error:  # such as a class that only the host has
        return f"the process that scores can't read the record ({describe_error(error)})"
    result = task.score(row["whole"]) if "whole" in row else task.score_parts(**row)
    result.explainer = None  # a closure, which can't travel
    return result


def _import_libraries(task: CompiledTask) -> None:
    """Import what the steps use before the clock runs; what has another name than its distribution comes later."""
    for name in task.parts.recipe.libraries():
        with contextlib.suppress(ImportError):
            importlib.import_module(name.replace("-", "_"))


def bytes_of(size: int | str | None) -> int | None:
    """A size such as ``1GB`` as a number of bytes.

    Raises:
        ValueError: when it is no size, or less than a megabyte, which is a unit that was left out.

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
