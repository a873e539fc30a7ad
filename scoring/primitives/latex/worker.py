"""Ask a worker process about formulas; it is killed when the time is up, from any thread, without signals."""

from __future__ import annotations

import functools
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scoring.result import Unscored
from scoring.sandbox.idle import IdleWorkers

_SERVER = Path(__file__).with_name("server.py")
_START = 60.0
_LONGEST, _DEEPEST = 4_000, 80


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
            with self._stopped_unless_answered():
                ready = self._read(_START)
        except FormulaError as error:
            raise Unscored(f"the worker for formulas did not start ({error})") from None
        if not ready.get("ready"):
            self.stop()
            raise Unscored(f"formulas need the extra `math` (pip install 'scoring-dsl[math]'): {ready.get('message')}")

    def ask(self, question: dict[str, str], limit: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        with self._stopped_unless_answered():
            try:
                self.process.stdin.write(json.dumps(question).encode() + b"\n")
            except OSError:
                raise _dead() from None
            return self._read(limit)

    @contextmanager
    def _stopped_unless_answered(self) -> Iterator[None]:
        """Whatever ends the wait, Ctrl-C too, ends the worker: a late answer would be taken for the next question's."""
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def _read(self, limit: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        descriptor, deadline = self.process.stdout.fileno(), time.monotonic() + limit
        while b"\n" not in self._waiting:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise TooSlow
            block = os.read(descriptor, 65536)
            if not block:
                raise _dead()
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    @property
    def alive(self) -> bool:
        """Whether it can take another question."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Kill it, and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def _dead() -> FormulaError:
    return FormulaError("WorkerDied", "the worker for formulas died (out of memory, or too deep)")


_pool: IdleWorkers[_Worker] = IdleWorkers()


def stop_workers() -> None:
    """Stop the idle workers of this process; the next question starts a new one."""
    _pool.close()


def _ask(question: dict[str, str], limit: float) -> dict[str, Any]:
    if any(too_large(question[key]) for key in question if key != "ask"):
        raise FormulaError("TooLarge", "the formula is too long or nested too deeply")
    worker = _pool.take(_Worker)
    answer = worker.ask(question, limit)
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


def too_large(formula: str) -> bool:
    """Whether a formula is longer or nested deeper than any real answer.

    Examples:
        >>> too_large("x + 1"), too_large("(" * 100)
        (False, True)
    """
    if len(formula) > _LONGEST:
        return True
    depth = deepest = 0
    for character in formula:
        if character in "([{^_":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth = max(0, depth - 1)
    return deepest - formula.count("^") - formula.count("_") > _DEEPEST or formula.count("^") > 400
