"""What a formula comes to: its tree as a function of values by name.

Formulas of tasks and of judge programs differ in what a name stands for, in which functions there are and in what is
said of a part that has no value; all else is the same, and stands here and in `functions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from scoring.lang import formula as tree
from scoring.lang.functions import OPERATORS, Join, item, negative, number, truth
from scoring.lang.tree import Path
from scoring.late import dataclass

Values: TypeAlias = Mapping[str, Any]
Evaluation: TypeAlias = Callable[[Values], Any]

SCORE = "score"


@dataclass(frozen=True, slots=True)
class FormulaWords:
    """What differs between formulas of one place and another.

    Args:
        read: The value of a name.
        path: The value at a path.
        functions: Each function over the values of its arguments.
        failed: What is raised where an operator or a function has no value: from its name and the error of Python.
        special: Functions that look at their arguments as written, each from its call to its evaluation.
        operators: What joins two values.
        number: A value as a number, where one is wanted.
        truth: A value as true or false.
        quoted: The value of a text in quotes, where that may be a name.
    """

    read: Callable[[Values, str], Any]
    path: Callable[[Values, Path], Any]
    functions: Mapping[str, Join]
    failed: Callable[[str, Exception], Exception]
    special: Mapping[str, Callable[[tree.Function], Evaluation]] = field(default_factory=dict)
    operators: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=lambda: OPERATORS)
    number: Callable[[Any], Any] = number
    truth: Callable[[Any], bool] = truth
    quoted: Callable[[Values, str], Any] | None = None


def evaluation(node: tree.Formula, words: FormulaWords) -> Evaluation:
    """The function that a formula is; its names and functions were checked before.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> words = FormulaWords(lambda values, name: values[name], None, {"max": max}, lambda op, error: error)
        >>> evaluation(parse_formula("max(a, 0.5) * 2"), words)({"a": 0.25})
        1.0
    """
    if isinstance(node, tree.Text) and words.quoted is not None:
        quoted, text = words.quoted, node.value
        return lambda values: quoted(values, text)
    if isinstance(node, (tree.Number, tree.Bool, tree.Text)):
        constant = node.value
        return lambda values: constant
    if isinstance(node, (tree.Field, tree.ScoreRef)):
        read, name = words.read, node.name if isinstance(node, tree.Field) else SCORE
        return lambda values: read(values, name)
    if isinstance(node, Path):
        read_path, path = words.path, node
        return lambda values: read_path(values, path)
    if isinstance(node, tree.Function):
        return _call(node, words)
    return _operation(node, [evaluation(part, words) for part in tree.operands(node)], words)


def _operation(node: tree.Operation, parts: list[Evaluation], words: FormulaWords) -> Evaluation:
    if isinstance(node, tree.ListOf):
        return lambda values: [part(values) for part in parts]
    if isinstance(node, tree.BoolOp):
        truths = [_one(node.op, words.truth, part, words) for part in parts]
        join: Callable[[Any], bool] = all if node.op == "and" else any
        return lambda values: join(part(values) for part in truths)
    if isinstance(node, tree.Unary) and node.op == "-":
        return _one("-", lambda value: negative(value, words.number), parts[0], words)
    if isinstance(node, tree.Unary):
        return _one("not", lambda value: not words.truth(value), parts[0], words)
    if isinstance(node, tree.Index):
        return _two("[…]", item, parts, words)
    return _two(node.op, words.operators[node.op], parts, words)


def _one(op: str, apply: Callable[[Any], Any], part: Evaluation, words: FormulaWords) -> Evaluation:
    def evaluate(values: Values) -> Any:
        value = part(values)
        try:
            return apply(value)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise words.failed(op, error) from None

    return evaluate


def _two(op: str, apply: Callable[[Any, Any], Any], parts: list[Evaluation], words: FormulaWords) -> Evaluation:
    left, right = parts

    def evaluate(values: Values) -> Any:
        one, other = left(values), right(values)
        try:
            return apply(one, other)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise words.failed(op, error) from None

    return evaluate


def _call(node: tree.Function, words: FormulaWords) -> Evaluation:
    if node.name in words.special:
        return words.special[node.name](node)
    parts = [evaluation(part, words) for part in node.args]
    if node.name == "if":
        test, (_, then, other) = _one("if", words.truth, parts[0], words), parts
        return lambda values: then(values) if test(values) else other(values)
    return _one(node.name, words.functions[node.name], lambda values: [part(values) for part in parts], words)
