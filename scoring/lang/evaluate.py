"""What a formula comes to: its tree as a function of values by name.

Formulas of tasks and of judge programs differ in what a name stands for, in which functions there are and in what is
said of a part that has no value; all else is the same, and stands here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from scoring.lang import formula as tree
from scoring.late import dataclass

Values: TypeAlias = Mapping[str, Any]
Evaluation: TypeAlias = Callable[[Values], Any]

SCORE = "score"
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormulaWords:
    """What differs between formulas of one place and another.

    Args:
        read: The value of a name.
        functions: Each function over the values of its arguments.
        failed: What is raised where an operator can't be applied: from the operator and the error of Python.
        special: Functions that look at their arguments as written, each from its call to its evaluation.
    """

    read: Callable[[Values, str], Any]
    functions: Mapping[str, Callable[[Sequence[Any]], Any]]
    failed: Callable[[str, ArithmeticError | TypeError], Exception]
    special: Mapping[str, Callable[[tree.Function], Evaluation]]


def evaluation(node: tree.Formula, words: FormulaWords) -> Evaluation:
    """The function that a formula is; its names and functions were checked before.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> words = FormulaWords(lambda values, name: values[name], {"max": max}, lambda op, error: error, {})
        >>> evaluation(parse_formula("max(a, 0.5) * 2"), words)({"a": 0.25})
        1.0
    """
    if isinstance(node, (tree.Number, tree.Bool)):
        constant = node.value
        return lambda values: constant
    if isinstance(node, (tree.Field, tree.ScoreRef)):
        read, name = words.read, node.name if isinstance(node, tree.Field) else SCORE
        return lambda values: read(values, name)
    if isinstance(node, tree.Function):
        return _call(node, words)
    parts = [evaluation(part, words) for part in tree.operands(node)]
    if isinstance(node, tree.BoolOp):
        join: Callable[[Any], bool] = all if node.op == "and" else any
        return lambda values: join(part(values) for part in parts)
    if isinstance(node, tree.Unary):
        (inner,) = parts
        return (lambda values: -inner(values)) if node.op == "-" else (lambda values: not inner(values))
    return _pair(node.op, parts[0], parts[1], words)


def _pair(op: str, left: Evaluation, right: Evaluation, words: FormulaWords) -> Evaluation:
    combine = _OPERATORS[op]

    def evaluate(values: Values) -> Any:
        one, other = left(values), right(values)
        try:
            return combine(one, other)
        except (ArithmeticError, TypeError) as error:
            raise words.failed(op, error) from None

    return evaluate


def _call(node: tree.Function, words: FormulaWords) -> Evaluation:
    if node.name in words.special:
        return words.special[node.name](node)
    parts = [evaluation(part, words) for part in node.args]
    if node.name == "if":
        test, then, other = parts
        return lambda values: then(values) if test(values) else other(values)
    join = words.functions[node.name]
    return lambda values: join([part(values) for part in parts])


def mean(values: Sequence[Any]) -> Any:
    """The exact sum of some numbers over how many they are."""
    return math.fsum(values) / len(values)
