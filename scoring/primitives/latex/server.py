"""The worker process: reads questions about formulas as JSON lines and answers them with SymPy.

It is started as a script by ``worker.py`` and imports nothing of this package. SymPy's parser of LaTeX builds
expressions from a grammar; no text is ever evaluated as Python.

How much may be done for a question is counted in calls of functions, so that it is the same on any machine and on a
busy one. Counting takes as long again, so a question is first answered without, in so little CPU time that no machine
does as much in it as may be done; the kernel ends the process after it (SIGPROF), and a fresh one counts.
"""

from __future__ import annotations

import contextlib
import cProfile
import functools
import json
import os
import resource
import select
import signal
import sys
import warnings
from typing import Any

_MEMORY = 2 << 30
# Greater numbers and factorials are not made: one operation on them takes longer than all else that may be done.
_MOST_BITS, _GREATEST_FACTORIAL = 1_000_000, 50_000
_LOOK = 0.2
_LOOK_AROUND = 5.0


def _limit() -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        os.nice(1)


@functools.lru_cache(maxsize=5_000)
def _parsed(formula: str) -> Any:
    """The expression of a formula; the same reference comes again and again, and parsing takes most of the time."""
    from sympy.parsing.latex import parse_latex

    return parse_latex(formula)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    ask = question["ask"]
    formulas = [_parsed(question[side]) for side in ("first", "second") if side in question]
    return {ask: _ANSWERS[ask](*formulas)}


def _equal(first: Any, second: Any) -> bool | None:
    same = first.equals(second)
    return None if same is None else bool(same)


def _cancel(first: Any, second: Any) -> bool:
    from sympy import simplify

    return bool(simplify(first - second) == 0)


def _decide(first: Any, second: Any) -> bool | None:
    """Equality by ``equals``; equations up to rearranging; where that stays open, by trying values."""
    from sympy import Equality, Expr, conjugate
    from sympy.core.relational import Relational

    if isinstance(first, Relational) != isinstance(second, Relational):
        return False
    if isinstance(first, Equality) and isinstance(second, Equality):
        one, other = first.lhs - first.rhs, second.lhs - second.rhs
        ratio = (one / other).simplify()
        return bool(ratio.is_number and ratio.is_nonzero) or _decide(one, other) is True
    if first.has(conjugate) != second.has(conjugate):  # the parser's reading of a bar
        return False
    same = _equal(first, second)
    if same is not None or not isinstance(first, Expr) or not isinstance(second, Expr):
        return same
    return _by_values(first, second)


def _by_values(first: Any, second: Any) -> bool | None:
    """False where the two differ at some point; None where no value can be had."""
    letters = sorted(first.free_symbols | second.free_symbols, key=str)
    seen = 0
    for shift in (0.37, 1.21, 2.83):
        point = {letter: shift + 0.61 * place for place, letter in enumerate(letters)}
        values = [expression.subs(point).evalf() for expression in (first, second)]
        if not all(value.is_number and value.is_finite for value in values):
            continue
        seen += 1
        if abs(values[0] - values[1]) > 1e-9 * max(1, abs(values[1])):
            return False
    return None if seen == 0 else True


_ANSWERS: dict[str, Any] = {"text": str, "equal": _equal, "cancel": _cancel, "decide": _decide}


class TooMuch(BaseException):
    """More is to be done than may be; nothing that SymPy catches."""


def _hold_numbers() -> None:
    from sympy.core.numbers import Integer, Rational
    from sympy.functions.combinatorial.factorials import factorial

    def held(power: Any) -> Any:
        def held_power(self: Any, exponent: Any) -> Any:
            # Powers of 1 and of -1 stay what they are.
            bits = max(self.p.bit_length(), self.q.bit_length()) if abs(self.p) > 1 or self.q > 1 else 0
            if exponent.is_Integer and bits * abs(exponent.p) > _MOST_BITS:
                raise TooMuch
            return power(self, exponent)

        return held_power

    for kind in (Rational, Integer):
        kind._eval_power = held(kind._eval_power)
    written = factorial.eval.__func__

    def held_factorial(cls: Any, number: Any) -> Any:
        if number.is_Integer and number.p > _GREATEST_FACTORIAL:
            raise TooMuch
        return written(cls, number)

    factorial.eval = classmethod(held_factorial)


def _calls(counted: cProfile.Profile) -> int:
    """How many calls were made, those of this file aside."""
    return sum(
        entry.callcount for entry in counted.getstats() if getattr(entry.code, "co_filename", __file__) != __file__
    )


def _answer_counted(question: dict[str, Any], most: int) -> dict[str, Any]:
    counted = cProfile.Profile(subcalls=False, builtins=False)

    def look(*_: Any) -> None:
        if _calls(counted) > most:
            raise TooMuch

    signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LOOK, _LOOK)
    try:
        counted.enable()
        try:
            answer = _answer(question)
        finally:
            counted.disable()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except Exception:
        if _calls(counted) > most:
            raise TooMuch from None
        raise
    done = _calls(counted)
    if done > most:
        raise TooMuch
    return {**answer, "calls": done}


def _safely(line: str) -> dict[str, Any]:
    try:
        question = json.loads(line)
        from sympy.core.random import seed

        seed(0)  # `equals` tries values at random
        signal.setitimer(signal.ITIMER_PROF, question["cpu"])
        try:
            return _answer_counted(question, question["calls"]) if "calls" in question else _answer(question)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return {"error": type(error).__name__, "message": str(error)[:200]}


def _lines(descriptor: int) -> Any:
    """The lines of the questions; ends with the pipe, or when the parent process is gone."""
    parent, waiting = os.getppid(), b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], _LOOK_AROUND)
        if not ready:
            if os.getppid() != parent:
                return
            continue
        block = os.read(descriptor, 65536)
        if not block:
            return
        waiting += block
        *whole, waiting = waiting.split(b"\n")
        yield from whole


def main() -> None:
    """Answer until the questions end."""
    warnings.simplefilter("ignore")
    _limit()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints stays out of the answers
    sys.setrecursionlimit(3000)
    try:
        from sympy.parsing.latex import parse_latex

        parse_latex("1+x")  # loads the grammar; fails here when antlr4 is missing or of another version
        _hold_numbers()
        ready: dict[str, Any] = {"ready": True}
    except ImportError as error:
        ready = {"ready": False, "message": str(error)[:300]}
    print(json.dumps(ready), file=answers, flush=True)
    for line in _lines(0):
        print(json.dumps(_safely(line.decode("utf-8", "replace"))), file=answers, flush=True)


if __name__ == "__main__":
    main()
