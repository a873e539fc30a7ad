"""Formulas of judge programs: counts of verdicts, and what is made of them.

The text is a formula of the language (``scoring.lang``); here a name stands for a value of the program: a number,
or a list (of statements, of verdicts, of scores collected over references).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring.lang import formula as tree
from scoring.lang.evaluate import SCORE, Evaluation, FormulaWords, Values, evaluation, mean
from scoring.result import Unscored


class WrongType(Unscored):
    """A formula does with a value what can't be done with its kind, whatever the value is."""


@lru_cache(maxsize=512)
def parse(text: str) -> tree.Formula:
    """The tree of a formula.

    Raises:
        SpecError: with the place of the mistake; also for a function that there is not.
    """
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.lang.parser import parse_formula

    found = parse_formula(text)
    for node in tree.walk_formula(found):
        if isinstance(node, tree.Function) and node.name not in _FUNCTIONS and node.name not in ("count", "if"):
            known = ", ".join(["count", "if", *_FUNCTIONS])
            raise SpecError.of("unknown-function", f"no function is called `{node.name}`", node.span, help=known)
    return found


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of a formula.

    Raises:
        Unscored: when it divides by zero, or a name has no value.

    Examples:
        >>> evaluate("count(verdicts, yes) / count(verdicts)", {"verdicts": ["yes", "no"]})
        0.5
        >>> evaluate("max(0, scores)", {"scores": []})
        0
    """
    return _evaluation(text)(values)


def names_in(text: str) -> set[str]:
    """The names that a formula reads; the second argument of ``count`` is a word, not a name.

    Examples:
        >>> sorted(names_in("count(verdicts, yes) + rating"))
        ['rating', 'verdicts']
    """
    return _names(parse(text))


def _names(node: tree.Formula) -> set[str]:
    if isinstance(node, tree.Field):
        return {node.name}
    if isinstance(node, tree.ScoreRef):
        return {SCORE}
    parts = tree.operands(node)
    if isinstance(node, tree.Function) and node.name == "count":
        parts = parts[:1]
    return set().union(*map(_names, parts)) if parts else set()


@lru_cache(maxsize=512)
def _evaluation(text: str) -> Evaluation:
    return evaluation(parse(text), _WORDS)


def _read(values: Values, name: str) -> Any:
    if name not in values:
        raise Unscored(f"the formula's `{name}` has no value")
    return values[name]


def _failed(op: str, error: ArithmeticError | TypeError) -> Exception:
    if isinstance(error, ZeroDivisionError):
        return Unscored("the formula divides by zero")
    if isinstance(error, TypeError):
        return WrongType(f"`{op}` needs two numbers; `count(…)` is the length of a list")
    return error


def _count(node: tree.Function) -> Evaluation:
    """The length of a list, or how often a word stands in it; a bare word there is a text, no name."""
    items = evaluation(node.args[0], _WORDS)
    word = node.args[1] if len(node.args) > 1 else None
    wanted = None if word is None or isinstance(word, tree.Field) else evaluation(word, _WORDS)

    def counted(values: Values) -> int:
        found = items(values)
        if not isinstance(found, (list, tuple)):
            raise WrongType("`count` takes a list")
        if word is None:
            return len(found)
        sought = word.name if isinstance(word, tree.Field) else wanted(values) if wanted is not None else None
        return sum(item == sought for item in found)

    return counted


def _flat(arguments: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument) if isinstance(argument, (list, tuple)) else flat.append(argument)
    return flat


def _nonempty(reduce: Callable[[list[Any]], Any], name: str) -> Callable[[Sequence[Any]], Any]:
    def join(arguments: Sequence[Any]) -> Any:
        flat = _flat(arguments)
        if not flat:
            raise Unscored(f"`{name}` of nothing")
        return reduce(flat)

    return join


def _typed(name: str, function: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    def call(arguments: Sequence[Any]) -> Any:
        try:
            return function(arguments)
        except TypeError:
            kinds = " and ".join(map(kind_of, _flat(arguments)[:3]))
            raise WrongType(f"`{name}` can't take {kinds}") from None

    return call


def kind_of(value: Any) -> str:
    """What a value is, in words.

    Examples:
        >>> kind_of(["yes"]), kind_of(None)
        ('a list', 'nothing')
    """
    return _KINDS.get(type(value), "nothing" if value is None else "an object")


def average_precision(marks: Sequence[Any]) -> float:
    """The mean, over the places marked yes, of the share of yes up to that place; 0 when there is none.

    Examples:
        >>> average_precision(["yes", "no", "no", "yes"]), average_precision(["no", "yes", "no", "yes"])
        (0.75, 0.5)

    Source:
        Valor, text generation metrics, Context Precision.
    """
    hits, total = 0, 0.0
    for place, mark in enumerate(marks, start=1):
        if mark == "yes":
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


def either(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Item by item: yes where any of the lists says yes.

    Examples:
        >>> either([["yes", "no"], ["no", "no"]])
        ['yes', 'no']
    """
    return ["yes" if "yes" in marks else "no" for marks in zip(*lists, strict=True)]


_KINDS = {bool: "a truth value", int: "a number", float: "a number", str: "a text", dict: "an object", list: "a list"}
_UNTYPED: dict[str, Callable[[Sequence[Any]], Any]] = {
    "min": _nonempty(min, "min"),
    "max": _nonempty(max, "max"),
    "sum": lambda arguments: math.fsum(_flat(arguments)),
    "mean": _nonempty(mean, "mean"),
    "abs": lambda arguments: abs(*arguments),
    "average_precision": lambda arguments: average_precision(*arguments),
    "either": lambda arguments: either(*arguments),
}
_FUNCTIONS = {name: _typed(name, function) for name, function in _UNTYPED.items()}
_WORDS = FormulaWords(_read, _FUNCTIONS, _failed, {"count": _count})
