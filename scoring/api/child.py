"""A process of our own that answers questions and can be killed: what takes too long, or takes it down, costs it alone.

The child is started as a program of its own (no fork, no signals, so any thread of any host may do it), is given what
it needs in a file, and answers question by question over its pipes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from json import dumps
from pathlib import Path
from typing import IO, Any

from scoring.data.rows.row import InputError
from scoring.result import describe_error

_START = 60.0
_HEAD = struct.Struct("<Q")  # before each message: its length
# The child finds the package where this process found it, and nothing else is said on its command line.
_PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import scoring.api.child as child; child.serve()"


class ChildLost(Exception):
    """A question has no answer, and its process is to be given up."""


class ChildProcess:
    """The child, seen from outside.

    Args:
        serving: What answers in it: ``module:function`` of ours, which is given ``given`` and gives a function of a
            question as bytes.
        given: What it needs.
        memory: How many bytes an answer may take beside what it needs anyway, None for any number.
    """

    def __init__(self, serving: str, given: Any, memory: int | None) -> None:
        # The pipe would hold up whoever starts it until the child reads.
        with tempfile.TemporaryFile() as file:
            pickle.dump((serving, given, memory, os.getpid()), file)
            file.seek(0)
            descriptor = file.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, dumps(sys.path), str(descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(descriptor,),
                start_new_session=True,
                bufsize=0,
            )
        self._is_ready = False
        self._read = bytearray()

    def wait_until_ready(self) -> None:
        """Wait until it can answer.

        Raises:
            InputError: when it can't.
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
        """Ask some questions; each is answered by itself."""
        assert self._process.stdin is not None
        try:
            _write(self._process.stdin, questions)
        except OSError:
            raise ChildLost(self._end()) from None

    def answer(self, seconds: float, missed: str) -> Any:
        """The next answer, if it comes in time.

        Args:
            seconds: How long it may take.
            missed: What is missed where it does not come.
        """
        assert self._process.stdout is not None
        descriptor, began = self._process.stdout.fileno(), time.monotonic()
        while len(self._read) < _HEAD.size or len(self._read) < _HEAD.size + _HEAD.unpack_from(self._read)[0]:
            left = began + seconds - time.monotonic()
            if not select.select([descriptor], [], [], max(0.0, left))[0]:
                raise ChildLost(f"{missed} within {seconds:g} s")
            block = os.read(descriptor, 1 << 16)
            if not block:
                raise ChildLost(self._end())
            self._read += block
        end = _HEAD.size + _HEAD.unpack_from(self._read)[0]
        answer, self._read = pickle.loads(self._read[_HEAD.size : end]), self._read[end:]
        return answer

    def _end(self) -> str:
        code = self._process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return f"the process of the record died ({how})"

    @property
    def alive(self) -> bool:
        """Whether it can take another question."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Kill it, wait for its end, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def serve() -> None:
    """What the child does: answer questions, one answer each, until nobody asks any more."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a primitive prints is no answer
    with os.fdopen(int(sys.argv[2]), "rb") as file:
        serving, given, memory, parent = pickle.load(file)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        module, _, name = serving.partition(":")
        answer: Callable[[bytes], Any] = getattr(import_module(module), name)(given)
        if memory is not None:
            _limit_memory(memory)
    except Exception as error:
        _write(answers, str(error) if isinstance(error, InputError) else describe_error(error))
        return
    _write(answers, "")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            for question in _next(questions):
                _write(answers, answer(question))


def _next(questions: IO[bytes]) -> list[bytes]:
    head = questions.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    rows: list[bytes] = pickle.loads(questions.read(_HEAD.unpack(head)[0]))
    return rows


def _write(pipe: IO[bytes], data: Any) -> None:
    body = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    left = memoryview(_HEAD.pack(len(body)) + body)
    while left:
        left = left[pipe.write(left) :]


def _end_with(parent: int) -> None:
    """End when the host does, even in the middle of a question."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _limit_memory(memory: int) -> None:
    """Give what is still to come so much memory beside what the process takes already."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
