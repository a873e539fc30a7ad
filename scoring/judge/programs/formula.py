"""Formulas of judge programs: counts of verdicts, and what is made of them.

The text is a formula of the language (``scoring.lang``); here a name stands for a value of the program: a number,
or a list (of statements, of verdicts, of scores collected over references).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring.lang import formula as tree
from scoring.result import Unscored

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


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
    return _value(parse(text), values)


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
        return {"score"}
    parts = tree.operands(node)
    if isinstance(node, tree.Function) and node.name == "count":
        parts = parts[:1]
    return set().union(*map(_names, parts)) if parts else set()


def _value(node: tree.Formula, values: Mapping[str, Any]) -> Any:
    if isinstance(node, (tree.Number, tree.Bool)):
        return node.value
    if isinstance(node, (tree.Field, tree.ScoreRef)):
        name = node.name if isinstance(node, tree.Field) else "score"
        if name not in values:
            raise Unscored(f"the formula's `{name}` has no value")
        return values[name]
    if isinstance(node, tree.Unary):
        inner = _value(node.x, values)
        return -inner if node.op == "-" else not inner
    if isinstance(node, (tree.Binary, tree.Compare)):
        return _operate(node.op, _value(node.a, values), _value(node.b, values))
    if isinstance(node, tree.BoolOp):
        join: Callable[[Any], bool] = all if node.op == "and" else any
        return join(_value(item, values) for item in node.items)
    return _call(node, values)


def _operate(op: str, left: Any, right: Any) -> Any:
    try:
        return _OPERATORS[op](left, right)
    except ZeroDivisionError:
        raise Unscored("the formula divides by zero") from None
    except TypeError:
        raise Unscored(f"`{op}` needs two numbers; `count(…)` is the length of a list") from None


def _call(node: tree.Function, values: Mapping[str, Any]) -> Any:
    if node.name == "count":
        return _count(node, values)
    if node.name == "if":
        test, then, other = node.args
        return _value(then if _value(test, values) else other, values)
    return _FUNCTIONS[node.name](*[_value(argument, values) for argument in node.args])


def _count(node: tree.Function, values: Mapping[str, Any]) -> int:
    items = _value(node.args[0], values)
    if not isinstance(items, (list, tuple)):
        raise Unscored("`count` takes a list")
    if len(node.args) == 1:
        return len(items)
    word = node.args[1]
    wanted = word.name if isinstance(word, tree.Field) else _value(word, values)
    return sum(item == wanted for item in items)


def _flat(arguments: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument) if isinstance(argument, (list, tuple)) else flat.append(argument)
    return flat


def _nonempty(reduce: Callable[[list[Any]], Any], name: str) -> Callable[..., Any]:
    def join(*arguments: Any) -> Any:
        flat = _flat(arguments)
        if not flat:
            raise Unscored(f"`{name}` of nothing")
        return reduce(flat)

    return join


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


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": _nonempty(min, "min"),
    "max": _nonempty(max, "max"),
    "sum": lambda *arguments: math.fsum(_flat(arguments)),
    "mean": _nonempty(lambda flat: math.fsum(flat) / len(flat), "mean"),
    "abs": abs,
    "average_precision": average_precision,
    "either": either,
}
