"""The child processes of the language server, as seen by the server: questions, time limits, restarts."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scoring import children, processes
from scoring.extensions.editors.server.texts import EditedText
from scoring.extensions.processes.pipes import PipeBlocks
from scoring.extensions.processes.workers import Worker

# The child finds the package where this process found it, and nothing else is said on its command line. It looks for
# garbage as seldom as a command does: to do so more often would be a fifth of its start.
_PROGRAM = (
    "import gc, json, sys; gc.set_threshold(200_000, 50, 100); sys.path[:] = json.loads(sys.argv[1]); "
    "import scoring.extensions.editors.server.answering as it; it.answer_lines(float(sys.argv[2]), sys.argv[3])"
)


class NoAnswer(Exception):
    """The error that a question got no answer, with the reason as its message."""


_START = 60.0
_PATIENCE = 8
"""The seconds that may go by for each second of a processor that a question may take: others work there, too."""


class _Child(Worker):
    def __init__(self, seconds: float, usual: str) -> None:
        # A service for places of the world is on the net, which no editor asks.
        env = {name: text for name, text in children.environment().items() if name != "SCORING_GEOCODER_URL"}
        command = children.python("-c", _PROGRAM, json.dumps(sys.path), str(seconds), usual)
        self.process = children.start(
            command, env=env, stdin=children.PIPE, stdout=children.PIPE, start_new_session=True, bufsize=0
        )
        assert self.process.stdout is not None
        self._blocks = PipeBlocks(self.process.stdout.fileno())
        self._read = bytearray()
        self._seconds, self._is_ready = seconds, False

    def exchange(self, line: bytes) -> Any:
        """Return the answer to a question; raise `NoAnswer` if it takes too long or the process ends."""
        assert self.process.stdin is not None
        if not self._is_ready:
            self._is_ready = self._next(_START)["is_ready"]
        left = memoryview(line)
        try:
            while left:
                left = left[self.process.stdin.write(left) :]
        except (OSError, ValueError):
            raise NoAnswer(self._end()) from None
        return self._next(self._seconds * _PATIENCE)

    def _next(self, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while b"\n" not in self._read:
            block = self._blocks.next(until - time.monotonic())
            if not block:
                raise NoAnswer(self._end() if block == b"" else f"it took more than {seconds:g} s")
            self._read += block
        answer, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        return json.loads(answer)

    def _end(self) -> str:
        was_late = processes.was_out_of_time(self.process.wait())
        return f"it took more than {self._seconds:g} s of a processor" if was_late else "its process ended"


class Thinker:
    """A child process that answers questions in their order, and another one in its place once one took too long.

    Args:
        seconds: The most time of a processor that a question may take.
        usual: What is asked most often, a word of `answering.FIRST_QUESTIONS`: the process reads what this needs as it
            starts.
        first: The word by which the first process does so, where it shall be ready sooner; `prepare` does the rest.
    """

    def __init__(self, seconds: float, usual: str = "findings", first: str = "") -> None:
        self._seconds, self._usual, self._first = seconds, usual, first
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="thinker")
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._sent: Mapping[Path, EditedText] = {}
        self._settings: Mapping[str, Any] = {}
        self._busy: tuple[Path, float] | None = None
        self.starts = 0

    def begin(self) -> None:
        """Start the process, so that the first question need not wait for it."""
        self._queue.submit(self._there)

    def prepare(self) -> None:
        """Let the process read what is usual, once the questions before are answered."""
        question = {"ask": "prepare", "path": "", "usual": self._usual}
        self._queue.submit(lambda: self._exchange(question, self._sent, self._settings))

    def queue(
        self, question: Mapping[str, Any], texts: Mapping[Path, EditedText], settings: Mapping[str, Any]
    ) -> Future[Any]:
        """Return the future answer to a question about the given texts, or the error `NoAnswer` with the reason."""
        return self._queue.submit(self._exchange, dict(question), dict(texts), dict(settings))

    async def ask(
        self, question: Mapping[str, Any], texts: Mapping[Path, EditedText], settings: Mapping[str, Any]
    ) -> Any:
        """Return the answer to a question about the given texts.

        Raises:
            NoAnswer: when there is none, with the reason.
        """
        import asyncio  # which takes longer to import than all else here, while an editor waits for its first answer

        return await asyncio.wrap_future(self.queue(question, texts, settings))

    def hurry(self, path: Path, seconds: float) -> None:
        """End the process if it has been thinking about a text for some seconds, since that has changed now."""
        busy = self._busy
        if busy is not None and busy[0] == path and time.monotonic() - busy[1] > seconds:
            with self._lock:
                if self._child is not None and self._busy is busy:
                    self._child.process.kill()

    def close(self) -> None:
        """End the process; further questions get no answer."""
        self._queue.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            if self._child is not None:
                self._child.process.kill()
        self._queue.shutdown(wait=True)
        if self._child is not None:
            self._child.stop()

    def _there(self) -> _Child:
        if self._child is None:
            with self._lock:
                self._child = _Child(self._seconds, self._usual if self.starts else self._first or self._usual)
            self.starts += 1
            self._sent, self._settings = {}, {}
        return self._child

    def _exchange(self, question: dict[str, Any], texts: Mapping[Path, EditedText], settings: Mapping[str, Any]) -> Any:
        child = self._there()
        changed: dict[str, str | None] = {
            str(path): one.text for path, one in texts.items() if not one.is_same(self._sent.get(path))
        }
        changed |= {str(path): None for path in self._sent if path not in texts}
        told = {
            **question,
            **({"texts": changed} if changed else {}),
            **(settings if settings != self._settings else {}),
        }
        self._busy = (Path(question["path"]), time.monotonic())
        try:
            answer = child.exchange(json.dumps(told).encode() + b"\n")
        except NoAnswer:
            with self._lock:
                self._child = None
            child.stop()
            raise
        finally:
            self._busy = None
        self._sent, self._settings = texts, settings
        if "mistake" in answer:
            raise NoAnswer(f"this is a bug in scoring: {answer['mistake']}")
        return answer["answer"]
