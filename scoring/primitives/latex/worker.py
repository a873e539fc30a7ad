"""Ask a worker process about formulas; it is killed when the time is up, from any thread, without signals."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from scoring.primitives.latex.bounds import too_large
from scoring.result import Unscored

_SERVER = Path(__file__).with_name("server.py")
_START = 60.0


class FormulaError(Exception):
    """The worker could not answer; ``kind`` is the class of its exception."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message or kind)
        self.kind = kind


class TooSlow(FormulaError):
    """The time was up, and the worker was killed."""

    def __init__(self) -> None:
        super().__init__("TooSlow", "the formula took too long")


class _Worker:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(_SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._waiting = b""
        try:
            ready = self._read(_START)
        except FormulaError as error:
            raise Unscored(f"the worker for formulas did not start ({error})") from None
        if not ready.get("ready"):
            self.stop()
            raise Unscored(f"formulas need the extra `math` (pip install 'scoring-dsl[math]'): {ready.get('message')}")

    def ask(self, question: dict[str, str], limit: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
        except OSError:
            raise self._dead() from None
        return self._read(limit)

    def _read(self, limit: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        descriptor, deadline = self.process.stdout.fileno(), time.monotonic() + limit
        while b"\n" not in self._waiting:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                self.stop()
                raise TooSlow
            block = os.read(descriptor, 65536)
            if not block:
                raise self._dead()
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _dead(self) -> FormulaError:
        self.stop()
        return FormulaError("WorkerDied", "the worker for formulas died (out of memory, or too deep)")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class _Pool:
    """Idle workers of this process; as many run as threads ask at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._owner = os.getpid()

    def take(self) -> _Worker:
        with self._lock:
            if self._owner != os.getpid():  # after a fork: the workers belong to the parent
                self._owner, self._idle = os.getpid(), []
            while self._idle:
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    return worker
                worker.stop()
        return _Worker()

    def give(self, worker: _Worker) -> None:
        with self._lock:
            if self._owner == os.getpid() and worker.process.poll() is None:
                self._idle.append(worker)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        if self._owner == os.getpid():
            for worker in idle:
                worker.stop()


_pool = _Pool()
atexit.register(_pool.close)


def stop_workers() -> None:
    """Stop the idle workers of this process; the next question starts a new one."""
    _pool.close()


def _ask(question: dict[str, str], limit: float) -> dict[str, Any]:
    if any(too_large(question[key]) for key in question if key != "ask"):
        raise FormulaError("TooLarge", "the formula is too long or nested too deeply")
    worker = _pool.take()
    try:
        answer = worker.ask(question, limit)
    finally:
        _pool.give(worker)
    if "error" in answer:
        raise FormulaError(str(answer["error"]), str(answer.get("message", "")))
    return answer


def _kept(ask: str) -> Any:
    """Answers and failures by question; a failure is kept too, so that a hang is paid for once."""

    @functools.lru_cache(maxsize=20_000)
    def kept(first: str, second: str, limit: float) -> tuple[Any, FormulaError | None]:
        question = {"ask": ask, "first": first} | ({"second": second} if ask != "text" else {})
        try:
            return _ask(question, limit)[ask], None
        except FormulaError as error:
            return None, error

    return kept


_texts, _equalities, _decisions = _kept("text"), _kept("equal"), _kept("decide")


def formula_text(formula: str, *, limit: float) -> str:
    """SymPy's text of a LaTeX formula.

    Raises:
        FormulaError: when it can't be parsed in ``limit`` seconds; ``kind`` says why.
        Unscored: when the extra is not installed.
    """
    text, error = _texts(formula, "", limit)
    if error is not None:
        raise error.with_traceback(None)
    return str(text)


def formulas_equal(first: str, second: str, *, limit: float, decide: bool = False) -> bool | None:
    """Whether two LaTeX formulas are mathematically equal; None where that can't be told.

    With ``decide``, more is tried than SymPy's ``equals``: equations are rearranged, and values are tried.

    Raises:
        FormulaError: when one can't be parsed or compared in ``limit`` seconds; ``kind`` says why.
        Unscored: when the extra is not installed.
    """
    same, error = (_decisions if decide else _equalities)(first, second, limit)
    if error is not None:
        raise error.with_traceback(None)
    return None if same is None else bool(same)
