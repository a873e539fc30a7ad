"""The worker process, which reads questions about formulas as JSON lines and answers them with SymPy.

It is started as a program by ``worker.py``. SymPy's parser of LaTeX builds expressions from a grammar; no text is ever
evaluated as Python.

The work for a question is limited by the number of function calls, so that the limit is the same on any machine,
however busy. Counting calls doubles the time. So a question is first answered without counting, within a CPU time so
short that even the fastest machine can't exceed the limit in it. If that does not suffice, the kernel kills the process
(SIGPROF), and a new process answers with counting. On systems without such timers every question gets a separate
process, which counts and in which a thread checks the limit.
"""

from __future__ import annotations

import contextlib
import cProfile
import functools
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from scoring import processes
from scoring.extensions.processes.pipes import PipeBlocks

_MEMORY = 2 << 30
# Larger numbers and factorials are refused: a single operation on them takes longer than all other work allowed.
_MOST_BITS, _GREATEST_FACTORIAL = 1_000_000, 50_000
_LOOK = 0.2
Say: TypeAlias = Callable[[dict[str, Any]], None]
"""Gives an answer."""
_LOOK_AROUND = 5.0


def _limit() -> None:
    processes.limit_memory(_MEMORY)
    with contextlib.suppress(OSError):
        processes.leave_no_core()
    with contextlib.suppress(OSError):
        processes.let_others_go_first()


@functools.lru_cache(maxsize=5_000)
def _parsed(formula: str) -> Any:
    """Return the parsed expression of a formula, cached because parsing is slow and references recur."""
    from sympy.parsing.latex import parse_latex

    return parse_latex(formula)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    ask = question["ask"]
    if ask == "factor":  # a parsed equation is rewritten, and true or false where it always or never holds
        return {ask: _factor(question["first"], question["second"])}
    formulas = [_parsed(question[side]) for side in ("first", "second") if side in question]
    return {ask: _ANSWERS[ask](*formulas)}


def _equal(first: Any, second: Any) -> bool | None:
    same = first.equals(second)
    return None if same is None else bool(same)


def _cancel(first: Any, second: Any) -> bool:
    from sympy import simplify

    return bool(simplify(first - second) == 0)


def _decide(first: Any, second: Any) -> bool | None:
    """Return whether two expressions are equal: by SymPy's ``equals``, else by trying values; None if undecided.

    Equations are equal, too, if one is the other rearranged.
    """
    from sympy import Equality, Expr, conjugate
    from sympy.core.relational import Relational

    first, second = _open(first), _open(second)
    if isinstance(first, Relational) != isinstance(second, Relational):
        return False
    if isinstance(first, Equality) and isinstance(second, Equality):
        one, other = first.lhs - first.rhs, second.lhs - second.rhs
        ratio = (one / other).simplify()
        return bool(ratio.is_number and ratio.is_nonzero) or _decide(one, other) is True
    if first.has(conjugate) != second.has(conjugate):  # the parser reads a bar as the conjugate
        return False
    same = _equal(first, second)
    if same is not None or not isinstance(first, Expr) or not isinstance(second, Expr):
        return same
    return _by_values(first, second)


def _open(expression: Any) -> Any:
    """Return an expression with a letter for each derivative of what has other letters alone, which SymPy takes for 0.

    What those letters are is not said, so they may depend on that of the derivative.
    """
    from sympy import Basic, Derivative, Symbol

    def is_open(part: Any) -> bool:
        letters = part.expr.free_symbols if isinstance(part, Derivative) else set()
        return bool(letters) and not letters & set(part.variables)

    if not isinstance(expression, Basic) or not expression.has(Derivative):
        return expression
    return expression.replace(is_open, lambda part: Symbol(str(part)))


def _factor(first: str, second: str) -> str:
    """Return by which factor one equation is another: a "whole" number or its inverse, another "number", or "none".

    The sides of both are parsed for themselves. An equation that always or never holds is no multiple of any.

    Raises:
        ValueError: when a text is not an equation.
    """
    from sympy import Eq, simplify

    equations = [(left, right) for left, right in (map(_parsed, text.split("=")) for text in (first, second))]
    if any(Eq(left, right) in (True, False) for left, right in equations):
        return "none"
    apart = [simplify(left - right) for left, right in equations]
    ratios = [simplify(apart[0] / apart[1]), simplify(apart[1] / apart[0])]
    if any(ratio.is_Integer and ratio != 0 for ratio in ratios):
        return "whole"
    return "number" if ratios[0].is_number and ratios[0].is_finite and ratios[0].is_nonzero else "none"


def _by_values(first: Any, second: Any) -> bool | None:
    """Return whether two expressions have the same values at three points; None if no value can be computed."""
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


def _tree(first: Any) -> list[Any]:
    """Return the tree of an expression that is simplified as if all its letters were positive.

    The letters e and π, which the parser takes for any others, are the constants. Braces are no part of an index.
    """
    from sympy import E, Symbol, pi, posify, simplify

    first = _open(first)
    letters = {one: Symbol(one.name.replace("{", "").replace("}", "")) for one in first.free_symbols}
    positive, names = posify(first.subs({**letters, Symbol("e"): E, Symbol("pi"): pi}))
    return _nested(simplify(positive).subs(names))


def _nested(part: Any) -> list[Any]:
    from sympy import Add, E, Function, Mul, Number, Pow, Symbol, nan, pi

    if (isinstance(part, Number) and part is not nan) or part in (pi, E):
        return [f"number {part}"]
    if isinstance(part, Symbol):
        return [f"symbol {part}"]
    if isinstance(part, (Add, Mul, Pow)):
        return [f"operator {type(part).__name__}", *map(_nested, part.args)]
    if isinstance(part, Function):
        return [f"function {part.func.__name__}", *map(_nested, part.args)]
    raise ValueError(f"{type(part).__name__} has no tree")


_ANSWERS: dict[str, Any] = {"text": str, "equal": _equal, "cancel": _cancel, "decide": _decide, "tree": _tree}


class TooMuch(BaseException):
    """The signal that the limit of work is exceeded; a ``BaseException``, which SymPy does not catch."""


def _bound_numbers() -> None:
    from sympy.core.numbers import Integer, Rational
    from sympy.functions.combinatorial.factorials import factorial

    def bounded(power: Any) -> Any:
        def bounded_power(self: Any, exponent: Any) -> Any:
            # Powers of 1 and -1 don't grow.
            bits = max(self.p.bit_length(), self.q.bit_length()) if abs(self.p) > 1 or self.q > 1 else 0
            if exponent.is_Integer and bits * abs(exponent.p) > _MOST_BITS:
                raise TooMuch
            return power(self, exponent)

        return bounded_power

    for kind in (Rational, Integer):
        kind._eval_power = bounded(kind._eval_power)
    written = factorial.eval.__func__

    def bounded_factorial(cls: Any, number: Any) -> Any:
        if number.is_Integer and number.p > _GREATEST_FACTORIAL:
            raise TooMuch
        return written(cls, number)

    factorial.eval = classmethod(bounded_factorial)


def _calls(counted: cProfile.Profile) -> int:
    """Return the number of function calls counted, except those in this file."""
    return sum(
        entry.callcount for entry in counted.getstats() if getattr(entry.code, "co_filename", __file__) != __file__
    )


def _answer_counted(question: dict[str, Any], most: int, say: Say) -> dict[str, Any]:
    counted = cProfile.Profile(subcalls=False, builtins=False)
    with _looking(lambda: _calls(counted) > most, question["cpu"], say):
        try:
            counted.enable()
            try:
                answer = _answer(question)
            finally:
                counted.disable()
        except Exception:
            if _calls(counted) > most:
                raise TooMuch from None
            raise
    done = _calls(counted)
    if done > most:
        raise TooMuch
    return {**answer, "calls": done}


@contextmanager
def _looking(is_too_much: Callable[[], bool], cpu: float, say: Say) -> Iterator[None]:
    """Check at intervals, while a block runs, whether the limit of work is exceeded; if so, raise `TooMuch` in it.

    On systems without CPU timers the process instead reports this and exits.

    Args:
        is_too_much: Returns whether the limit is exceeded.
        cpu: The limit of CPU seconds, for systems without CPU timers.
        say: Sends an answer to the parent process.
    """
    if processes.CPU_TIMERS:

        def look(*_: Any) -> None:
            if is_too_much():
                raise TooMuch

        processes.call_each(_LOOK, look)
        try:
            yield
        finally:
            processes.call_each(0, look)
        return
    most, done = time.process_time() + cpu, [False]

    def look_on() -> None:
        while not done[0]:
            time.sleep(_LOOK)
            if not done[0] and (is_too_much() or time.process_time() > most):
                say({"error": TooMuch.__name__})
                os._exit(0)

    threading.Thread(target=look_on, daemon=True).start()
    try:
        yield
    finally:
        done[0] = True


def _safely(line: str, say: Say) -> dict[str, Any]:
    try:
        question = json.loads(line)
        from sympy.core.random import seed

        seed(0)  # `equals` tries random values
        processes.end_after(question["cpu"])
        try:
            return _answer_counted(question, question["calls"], say) if "calls" in question else _answer(question)
        finally:
            processes.end_after(0)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return {"error": type(error).__name__, "message": str(error)[:200]}


def _lines() -> Iterator[str]:
    """Yield the lines with questions until the pipe is closed or the parent process is gone."""
    blocks, parent, waiting = PipeBlocks(0), os.getppid(), b""
    while True:
        block = blocks.next(_LOOK_AROUND)
        if block is None and os.getppid() == parent:
            continue
        if not block:
            return
        waiting += block
        *whole, waiting = waiting.split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")


def answer_formulas() -> None:
    """Run the worker process: answer the questions on standard input, one per line, until it is closed."""
    warnings.simplefilter("ignore")
    _limit()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output printed by libraries must not mix with the answers
    sys.setrecursionlimit(3000)

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    try:
        from sympy.parsing.latex import parse_latex

        parse_latex("1+x")  # loads the grammar; fails here when antlr4 is missing or of another version
        _bound_numbers()
        say({"ready": True})
    except ImportError as error:
        say({"ready": False, "message": str(error)[:300]})
    for line in _lines():
        say(_safely(line, say))
