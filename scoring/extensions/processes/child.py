"""Child processes that answer requests one by one and can be killed.

A child is started as a separate program, without fork or signals, so that any thread may start one. It receives its
work and answers through pipes; if a request takes too long or crashes the child, only that request is lost.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from json import dumps
from typing import IO, Any

from scoring import children, processes
from scoring.data.os_errors import refused
from scoring.errors import InputError
from scoring.extensions.processes.pipes import PipeBlocks
from scoring.extensions.processes.workers import Worker
from scoring.result import describe_error

_START = 60.0
_TAKING = 20.0
"""The seconds in which a child must have taken a long request from its pipe."""
_LONG = 4_000
_HEAD = struct.Struct("<Q")  # before each message: its length
# The child finds the package where this process found it, and nothing else is said on its command line.
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import scoring.extensions.processes.child as it; it.answer_questions()"
)


class ChildLost(Exception):
    """The error that a child process gave no answer to a request; the process must not be used any more."""


class ChildProcess(Worker):
    """A child process that answers requests, as seen by the parent.

    Args:
        serving: A function of this package as ``module:function``; the child calls it with ``argument``, and it
            returns a function that answers a request, given as bytes.
        argument: The argument of that function.
        memory: The number of bytes that answers may take in addition to what the child takes anyway; None for no limit.

    Raises:
        InputError: when the system lets it start no process.
    """

    has_answered = False
    """Whether it has answered a request, and so has all that answers need."""

    def __init__(self, serving: str, argument: Any, memory: int | None) -> None:
        try:
            self.process = children.start(
                children.python("-c", _PROGRAM, dumps(sys.path)),
                stdin=children.PIPE,
                stdout=children.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise InputError(f"the worker did not start: {refused(error)}") from error
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
        except BaseException:  # Ctrl-C: nobody else knows of it
            self.stop()
            raise
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
        # The pipe takes little at once, and one that stands still would never take the rest.
        is_long = sum(map(len, questions)) > _LONG
        late = threading.Timer(_TAKING, self.process.kill) if is_long else None
        try:
            if late is not None:
                late.start()
            _write(self.process.stdin, questions)
        except OSError:
            raise ChildLost(self._end()) from None
        finally:
            if late is not None:
                late.cancel()

    def has_answer(self, seconds: float) -> bool:
        """Return whether the next answer is there within a number of seconds.

        Raises:
            ChildLost: when the process has ended without it.
        """
        until = time.monotonic() + seconds
        while len(self._read) < _HEAD.size or len(self._read) < _HEAD.size + _HEAD.unpack_from(self._read)[0]:
            block = self._blocks.next(until - time.monotonic())
            if block is None:
                return False
            if not block:
                raise ChildLost(self._end())
            self._read += block
        return True

    def answer(self, seconds: float, missed: str) -> Any:
        """Return the next answer, waiting at most `seconds`; raise `ChildLost`, with `missed` in its message, if there
        is none."""
        if not self.has_answer(seconds):
            raise ChildLost(f"{missed} within {seconds:g} s")
        end = _HEAD.size + _HEAD.unpack_from(self._read)[0]
        answer, self._read = pickle.loads(self._read[_HEAD.size : end]), self._read[end:]
        self.has_answered = self._is_ready
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
