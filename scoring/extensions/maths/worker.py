"""Questions about formulas to a worker process, from any thread.

The work for a question is limited by counting, see ``server.py``, so that outcomes don't depend on the speed or load of
the machine. Wall time only limits the wait for a worker that is stuck or stopped. Then a new worker is asked, and if
that gives no answer either, the pair is unscored.
"""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scoring import children, processes
from scoring.extensions.processes.pipes import PipeBlocks
from scoring.extensions.processes.workers import IdleWorkers, Worker
from scoring.result import Unscored

# The child process uses this process's `sys.path`; `-P` prevents it from importing modules in its working directory.
_SERVER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from scoring.extensions.maths.server import answer_formulas; answer_formulas()"
)
_START = 60.0
_LONGEST, _DEEPEST = 4_000, 80
CALLS_A_SECOND = 1_000_000
"""So many calls of SymPy's functions are a second of work, whatever they take: machines of 2026 make 2 million."""
# The limits of CPU seconds for each second of work: without counting, so few that even the fastest machine makes fewer
# calls than allowed; with counting, so many that only operations on huge numbers reach it.
_UNCOUNTED, _COUNTED = 1 / 8, 8
# The wait in wall seconds for each CPU second, as if forty processes shared a core.
_STUCK = 40


class FormulaError(Exception):
    """The error that a worker could not answer a question about formulas; ``kind`` names the class of its exception."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message or kind)
        self.kind = kind


class TooSlow(FormulaError):
    """The error that parsing or comparing formulas takes more work than allowed."""

    def __init__(self) -> None:
        super().__init__("TooSlow", "the formula takes too much work")


class _Worker(Worker):
    def __init__(self) -> None:
        self.process = children.start(
            children.python("-c", _SERVER, json.dumps(sys.path)),
            stdin=children.PIPE,
            stdout=children.PIPE,
            stderr=children.DEVNULL,
            bufsize=0,
            env=children.environment(PYTHONHASHSEED="0"),  # SymPy's results may depend on the order of sets
        )
        assert self.process.stdout is not None
        self._blocks, self._waiting = PipeBlocks(self.process.stdout.fileno()), b""
        try:
            with self._stopped_unless_answered():
                ready = self._read(_START)
        except FormulaError as error:
            raise Unscored(f"the worker for formulas did not start ({error})") from None
        if not ready.get("ready"):
            self.stop()
            raise Unscored(f"formulas need the extra `math` (pip install 'scoring-dsl[math]'): {ready.get('message')}")

    def ask(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        """Return the worker's answer to a question.

        Args:
            question: The question, with its limits of CPU seconds and calls.
            limit: The largest number of seconds to wait.

        Raises:
            TooSlow: when the kernel killed the process for its CPU time.
            FormulaError: when the process ended otherwise, or did not answer.
        """
        assert self.process.stdin is not None
        with self._stopped_unless_answered():
            try:
                self.process.stdin.write(json.dumps(question).encode() + b"\n")
            except OSError:
                raise self._dead() from None
            return self._read(limit)

    @contextmanager
    def _stopped_unless_answered(self) -> Iterator[None]:
        """Return a context for waiting for an answer, in which any exception, even Ctrl-C, stops the worker.

        Otherwise a late answer would be taken for that to the next question.
        """
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def _read(self, limit: float) -> dict[str, Any]:
        deadline = time.monotonic() + limit
        while b"\n" not in self._waiting:
            block = self._blocks.next(deadline - time.monotonic())
            if block is None:
                raise FormulaError("Stuck", "the worker for formulas is stuck")
            if not block:
                raise self._dead()
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _dead(self) -> FormulaError:
        if processes.was_out_of_time(self.process.wait()):
            return TooSlow()
        return FormulaError("WorkerDied", "the worker for formulas died (out of memory, or too deep)")


_pool: IdleWorkers[_Worker] = IdleWorkers()


def _ask(question: dict[str, str], limit: float) -> dict[str, Any]:
    if any(is_formula_too_large(question[key]) for key in question if key != "ask"):
        raise FormulaError("TooLarge", "the formula is too long or nested too deeply")
    answer = _quickly(question, limit * _UNCOUNTED) or _counted(question, limit)
    if answer.get("error") == "TooMuch":
        raise TooSlow
    if "error" in answer:
        raise FormulaError(str(answer["error"]), str(answer.get("message", "")))
    return answer


def _quickly(question: dict[str, str], seconds: float) -> dict[str, Any] | None:
    """Return the answer of an idle or a new worker within a number of CPU seconds; None if there is no answer."""
    if not processes.CPU_TIMERS:
        return None
    worker = _pool.take(_Worker)
    try:
        answer = worker.ask({**question, "cpu": seconds}, _START + seconds * _STUCK)
    except FormulaError:
        return None
    _pool.give(worker)
    return answer


def _counted(question: dict[str, str], limit: float) -> dict[str, Any]:
    """Return the answer of a new worker that counts its function calls; ``limit`` is the limit of work, in seconds.

    Raises:
        TooSlow: when the question takes too much work.
        Unscored: when the worker died or is stuck, like the one asked before.
    """
    worker, seconds = _Worker(), limit * _COUNTED
    request = {**question, "cpu": seconds, "calls": int(limit * CALLS_A_SECOND)}
    try:
        answer = worker.ask(request, _START + seconds * _STUCK)
    except TooSlow:
        raise
    except FormulaError as error:
        raise Unscored(f"{error}, twice: run it again, or leave this formula out") from None
    if processes.CPU_TIMERS:
        _pool.give(worker)
    else:  # without CPU timers a worker answers a single question
        worker.stop()
    return answer


@functools.lru_cache(maxsize=80_000)
def _kept(ask: str, first: str, second: str | None, limit: float) -> tuple[Any, FormulaError | None]:
    """Return the answer to the question named ``ask`` about one or two formulas, or the failure; the other one is None.

    Both are cached, so that nothing is tried twice. ``limit`` is the limit of work, in seconds.
    """
    question = {"ask": ask, "first": first} | ({} if second is None else {"second": second})
    try:
        return _ask(question, limit)[ask], None
    except FormulaError as error:
        return None, error


def _answer(ask: str, first: str, second: str | None, limit: float) -> Any:
    found, error = _kept(ask, first, second, limit)
    if error is not None:
        raise error.with_traceback(None)
    return found


def formula_text(formula: str, *, limit: float) -> str:
    """Return SymPy's text of a LaTeX formula.

    Raises:
        FormulaError: when it can't be parsed in ``limit`` seconds of work; ``kind`` is the reason.
        Unscored: when the extra is not installed, or no worker answers.
    """
    return str(_answer("text", formula, None, limit))


def formulas_equal(first: str, second: str, *, limit: float, decide: bool = False) -> bool | None:
    """Return whether two LaTeX formulas are mathematically equal; None if that can't be decided.

    With ``decide``, more than SymPy's ``equals`` is tried: equations are rearranged, and values are compared.

    Raises:
        FormulaError: when one can't be parsed or compared in ``limit`` seconds of work; ``kind`` is the reason.
        Unscored: when the extra is not installed, or no worker answers.
    """
    same: bool | None = _answer("decide" if decide else "equal", first, second, limit)
    return same


def formulas_cancel(first: str, second: str, *, limit: float) -> bool:
    """Return whether the difference of two LaTeX formulas simplifies to 0.

    Raises:
        FormulaError: when one can't be parsed or subtracted in ``limit`` seconds of work; ``kind`` is the reason.
        Unscored: when the extra is not installed, or no worker answers.
    """
    return bool(_answer("cancel", first, second, limit))


def factor_of_equations(first: str, second: str, *, limit: float) -> str:
    """Return by which factor one LaTeX equation is another: a "whole" number or its inverse, another "number", or
    "none".

    Raises:
        FormulaError: when one is no equation, or can't be parsed or compared in ``limit`` seconds of work; ``kind`` is
            the reason.
        Unscored: when the extra is not installed, or no worker answers.
    """
    return str(_answer("factor", first, second, limit))


def is_formula_too_large(formula: str) -> bool:
    """Return whether a formula is longer or nested deeper than any real answer.

    Examples:
        >>> is_formula_too_large("x + 1"), is_formula_too_large("(" * 100)
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
