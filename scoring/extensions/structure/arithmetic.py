"""Evaluation of arithmetic in Python syntax by a small safe interpreter: no calls, no attributes, limited numbers."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scoring.depth import in_full_depth, on_large_stack
from scoring.primitives.parsing.literal import SHALLOW
from scoring.result import cause_of

_LONGEST = 4_000
_DEEPEST = 80
_MOST_BITS = 100_000

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NUMBERS = (int, float, complex)


class NotArithmetic(ValueError):
    """The error that a text is not an arithmetic expression, or that its value is too large."""


def evaluate_expression(text: str, names: Mapping[str, float] | None = None) -> Any:
    """Return the value of a Python expression made of numbers, strings, lists and comparisons.

    Args:
        text: The expression.
        names: The values of the variables that the expression may use.

    Raises:
        NotArithmetic: for anything else, and where a number would become too large.

    Examples:
        >>> evaluate_expression("2**4 - 1/2"), evaluate_expression("[1, 2*3]"), evaluate_expression("E*2", {"E": 2.5})
        (15.5, [1, 6], 5.0)
        >>> try:
        ...     evaluate_expression("__import__('os')")
        ... except NotArithmetic as error:
        ...     print(error)
        Call is no arithmetic
    """
    if len(text) > _LONGEST:
        raise NotArithmetic("too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = partial(ast.parse, text.strip(" \t"), mode="eval")
            tree = compiled() if len(text) <= SHALLOW else on_large_stack(compiled)
        return in_full_depth(_value, tree.body, names or {}, 0)
    except NotArithmetic:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise NotArithmetic(cause_of(error)) from None


def _value(node: ast.expr, names: Mapping[str, float], depth: int) -> Any:
    if depth > _DEEPEST:
        raise NotArithmetic("nested too deeply")
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        items = [_value(item, names, depth + 1) for item in node.elts]
        return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](items)
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand, names, depth + 1))
    if isinstance(node, ast.BinOp):
        return operated(node.op, _value(node.left, names, depth + 1), _value(node.right, names, depth + 1))
    if isinstance(node, ast.Compare):
        return _comparison(node, names, depth)
    if isinstance(node, ast.BoolOp):
        value = None
        for operand in node.values:
            value = _value(operand, names, depth + 1)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value
    raise NotArithmetic(f"{type(node).__name__} is no arithmetic")


def operated(op: ast.operator, left: Any, right: Any) -> Any:
    """Return the result of the binary operation ``op`` of Python's syntax on two numbers.

    Raises:
        NotArithmetic: for operands that are not numbers, and where a number would become too large.
    """
    if not isinstance(left, _NUMBERS) or not isinstance(right, _NUMBERS):
        raise NotArithmetic("an operation on something else than numbers")
    action = _BINARY.get(type(op))
    if action is None:
        raise NotArithmetic(f"{type(op).__name__} is no arithmetic")
    bits = 0
    if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * abs(right)
    value = action(left, right) if bits <= _MOST_BITS else None
    if value is None or (isinstance(value, int) and value.bit_length() > _MOST_BITS):
        raise NotArithmetic("a number too large")
    return value


def _comparison(node: ast.Compare, names: Mapping[str, float], depth: int) -> bool:
    left = _value(node.left, names, depth + 1)
    for op, operand in zip(node.ops, node.comparators, strict=True):
        right, action = _value(operand, names, depth + 1), _COMPARE.get(type(op))
        if action is None:
            raise NotArithmetic(f"{type(op).__name__} is no arithmetic")
        if not action(left, right):
            return False
        left = right
    return True


def as_float(value: Any) -> float | None:
    """Return a number, or a string that represents one, as a float, or as an int if it is whole.

    The result is None for any other value, and for a number too large for a float.

    Examples:
        >>> as_float("1e3"), as_float([1]), as_float(10**400)
        (1000, None, None)
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if math.isfinite(number) and number.is_integer() else number
