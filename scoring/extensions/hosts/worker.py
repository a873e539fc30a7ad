"""Score in child processes that can be killed, for programs that must neither wait for a record nor crash because of
one.

A child is started as a separate program, without fork or signals, so that any thread may start one. It receives its
work and answers requests one by one through pipes. If a request takes too long or crashes the child, only that request
fails: another child continues with the next one. A `TaskWorker` always keeps a spare child for this.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import re
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from json import dumps
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

from scoring import children, processes
from scoring.api.arguments import in_words, is_long
from scoring.api.tasks import ReferencesAs
from scoring.compiler.tasks.serialize import task_from_bytes, task_to_bytes
from scoring.data.plain_values import as_plain, host_record
from scoring.engine.road.evaluate import unscored
from scoring.errors import InputError
from scoring.extensions.hosts.columns import Columns
from scoring.extensions.hosts.json_references import host_parts, read_references
from scoring.extensions.processes.pipes import PipeBlocks
from scoring.extensions.processes.workers import IdleWorkers, Worker
from scoring.outcomes import Results
from scoring.result import MISSING, RecordResult, describe_error

if TYPE_CHECKING:
    from scoring.compiler.tasks.task import CompiledTask


_START = 60.0
_HEAD = struct.Struct("<Q")  # before each message: its length
# The child finds the package where this process found it, and nothing else is said on its command line.
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import scoring.extensions.hosts.worker as it; it.answer_questions()"
)
Parts: TypeAlias = Mapping[str, Any]
"""A record as it travels: ``whole``, or the arguments of `score_parts`."""
_ROWS = 256
_LEAST = 1_000_000
_NAMES = ("response", "reference", "context", "id", "record")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


class ChildLost(Exception):
    """The error that a child process gave no answer to a request; the process must not be used any more."""


class ChildProcess(Worker):
    """A child process that answers requests, as seen by the parent.

    Args:
        serving: A function of this package as ``module:function``; the child calls it with ``argument``, and it
            returns a function that answers a request, given as bytes.
        argument: The argument of that function.
        memory: The number of bytes that answers may take in addition to what the child takes anyway; None for no limit.
    """

    def __init__(self, serving: str, argument: Any, memory: int | None) -> None:
        self.process = children.start(
            children.python("-c", _PROGRAM, dumps(sys.path)),
            stdin=children.PIPE,
            stdout=children.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdout is not None
        self._blocks = PipeBlocks(self.process.stdout.fileno())
        self._is_ready = False
        self._read = bytearray()
        # The pipe would hold up whoever starts it until the child reads. No question follows before it has.
        first = pickle.dumps((serving, argument, memory, os.getpid()), pickle.HIGHEST_PROTOCOL)
        self._giving = threading.Thread(target=self._give, args=(first,), daemon=True)
        self._giving.start()

    def _give(self, first: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which whoever waits for its answer is told
            _write(self.process.stdin, first)

    def close_pipes(self) -> None:
        """Close the pipes, after the thread that writes the first message has ended."""
        self._giving.join()
        super().close_pipes()

    def wait_until_ready(self) -> None:
        """Wait until the child can answer requests.

        Raises:
            InputError: when it did not start.
        """
        if self._is_ready:
            return
        try:
            why = self.answer(_START, "no start")
        except ChildLost as lost:
            why = str(lost)
        if why:
            self.stop()
            raise InputError(f"the worker did not start: {why}")
        self._is_ready = True

    def send(self, questions: Sequence[bytes]) -> None:
        """Send some requests, each pickled by the caller; each will be answered separately.

        Raises:
            ChildLost: when the child process has ended.
        """
        assert self.process.stdin is not None
        try:
            _write(self.process.stdin, questions)
        except OSError:
            raise ChildLost(self._end()) from None

    def answer(self, seconds: float, missed: str) -> Any:
        """Return the next answer, waiting at most `seconds`; raise `ChildLost`, with `missed` in its message, if there
        is none."""
        began = time.monotonic()
        while len(self._read) < _HEAD.size or len(self._read) < _HEAD.size + _HEAD.unpack_from(self._read)[0]:
            left = began + seconds - time.monotonic()
            block = self._blocks.next(left)
            if block is None:
                raise ChildLost(f"{missed} within {seconds:g} s")
            if not block:
                raise ChildLost(self._end())
            self._read += block
        end = _HEAD.size + _HEAD.unpack_from(self._read)[0]
        answer, self._read = pickle.loads(self._read[_HEAD.size : end]), self._read[end:]
        return answer

    def _end(self) -> str:
        code = self.process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return f"the process of the record died ({how})"


def answer_questions() -> None:
    """Run as the main function of the child process: answer the requests on standard input until it is closed."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a primitive prints is no answer
    serving, argument, memory, parent = pickle.loads(_next(questions))
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        module, _, name = serving.partition(":")
        answer: Callable[[bytes], Any] = getattr(import_module(module), name)(argument)
        if memory is not None and not processes.BOUNDS_MEMORY:
            raise InputError("this system bounds no memory of a process: leave `memory` out, or run it on Linux")
        if memory is not None:
            processes.limit_further_memory(memory)
    except Exception as error:
        _write(answers, str(error) if isinstance(error, InputError) else describe_error(error))
        return
    _write(answers, "")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            for question in _next(questions):
                _write(answers, answer(question))


def _next(questions: IO[bytes]) -> Any:
    head = questions.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    return pickle.loads(questions.read(_HEAD.unpack(head)[0]))


def _write(pipe: IO[bytes], data: Any) -> None:
    body = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    left = memoryview(_HEAD.pack(len(body)) + body)
    while left:
        left = left[pipe.write(left) :]


def _end_with(parent: int) -> None:
    """Wait until the process with the id ``parent`` has ended, then end this one, even while it works on a request."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class TaskWorker:
    """A scorer in child processes, see `Task.worker`; it has as many processes as threads use it at the same time.

    Args:
        task: The task that scores.
        seconds: The time limit for one record.
        memory: The number of bytes that a record may take in addition to what the task needs; None for no limit.
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
        """End the processes; a second call does nothing."""
        self._is_closed = True
        self._idle.close()

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
        return unscored(self._task, self._task.record_id(record) if key is None else key, record, why)

    def _take(self) -> ChildProcess:
        if self._is_closed:
            raise InputError("this worker is closed")
        process = self._idle.take(self._start)
        process.wait_until_ready()
        return process

    def _start(self) -> ChildProcess:
        return ChildProcess("scoring.extensions.hosts.worker:answering", self._bundle, self._memory)


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
