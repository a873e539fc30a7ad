"""Calls of functions as Python writes them, read from a syntax tree: nothing is ever called or looked up."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from scoring.depth import in_full_depth, on_large_stack
from scoring.primitives.latex.evaluate import NotArithmetic, operated
from scoring.primitives.parsing.literal import MAX_LENGTH, READING_ERRORS, with_names_in_order
from scoring.result import cause_of

# Python's compiler takes some kB of the stack for each of these.
_NESTING = ("(", "[", "{", "+", "-", "*", "/", "~", ".", "not", "lambda", "if", "await")
_FEW = 60


class NoCalls(ValueError):
    """The text is no call and no list of calls, or an argument has no value without running it."""


def read_calls(text: str, *, positional: bool, sign_is_minus: bool) -> list[dict[str, Any]]:
    """The calls of a whole text: one, or a list of some.

    Args:
        text: What is read.
        positional: Whether arguments without a name are kept.
        sign_is_minus: Whether every sign before a constant is read as a minus.

    Raises:
        NoCalls: when the text is anything else.

    Examples:
        >>> read_calls("[f(a=1), m.g(b=[x, -2])]", positional=True, sign_is_minus=False)
        [{'name': 'f', 'arguments': {'a': 1}}, {'name': 'm.g', 'arguments': {'b': ['x', -2]}}]
    """
    if len(text) > MAX_LENGTH:
        raise NoCalls(f"more than {MAX_LENGTH} characters")
    reader = _Reader(positional, sign_is_minus)
    try:
        if sum(map(text.count, _NESTING)) < _FEW:
            return in_full_depth(reader.calls, text)
        return on_large_stack(reader.calls, text)
    except NoCalls:
        raise
    except (*READING_ERRORS, ArithmeticError) as error:
        raise NoCalls(_said(error)) from None


def _said(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.msg.partition(':')[0]}, at character {(error.offset or 0)} of line {error.lineno or 1}"
    if isinstance(error, MemoryError | RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeError):
        return "it holds half of a character"
    return str(error) if isinstance(error, NotArithmetic) else cause_of(error)


class _Reader:
    """Reads the syntax trees of calls and of their arguments."""

    def __init__(self, positional: bool, sign_is_minus: bool) -> None:
        self._positional = positional
        self._sign_is_minus = sign_is_minus
        self._made = 0

    def calls(self, text: str) -> list[dict[str, Any]]:
        self._made = 0  # anew where the same text is read once more
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(with_names_in_order(text), mode="eval").body
        found = body.elts if isinstance(body, ast.List | ast.Tuple | ast.Set) else [body]
        return [self._call(one) for one in found]

    def _call(self, node: ast.expr) -> dict[str, Any]:
        if not isinstance(node, ast.Call):
            raise NoCalls(f"`{_shown(node)}` is no call")
        call: dict[str, Any] = {"name": _name(node), "arguments": self._arguments(node)}
        if self._positional and node.args:
            call["positional"] = [self._value(one) for one in node.args]
        return call

    def _arguments(self, node: ast.Call) -> dict[str, Any]:
        if any(one.arg is None for one in node.keywords):
            raise NoCalls("`**` has no names without running it")
        return {str(one.arg): self._value(one.value) for one in node.keywords}

    def _value(self, node: ast.expr | None) -> Any:
        match node:
            case ast.Constant(value):
                return "..." if value is Ellipsis else _plain(value)
            case ast.Name(name):
                return name
            case ast.List(items):
                return [self._value(one) for one in items]
            case ast.Tuple(items):
                return tuple(self._value(one) for one in items)
            case ast.Dict(keys, values):
                return {self._value(key): self._value(value) for key, value in zip(keys, values, strict=True)}
            case ast.UnaryOp(sign, ast.Constant(value)):
                return _signed(ast.USub() if self._sign_is_minus else sign, _plain(value))
            case ast.BinOp():
                return self._computed(node)
            case ast.Call(keywords=[]) | ast.Subscript():
                return ast.unparse(node)
            case ast.Call():
                return {_name(node): self._arguments(node)}
        raise NoCalls(f"`{_shown(node)}` has no value without running it")

    def _computed(self, node: ast.expr) -> Any:
        """The value of arithmetic on constants, and of texts and lists that are joined or repeated."""
        match node:
            case ast.Constant(value):
                return _plain(value)
            case ast.UnaryOp(sign, operand):
                return _signed(sign, self._computed(operand))
            case ast.List(items):
                return [self._computed(one) for one in items]
            case ast.Tuple(items):
                return tuple(self._computed(one) for one in items)
            case ast.BinOp(left, sign, right):
                return self._operated(sign, self._computed(left), self._computed(right))
        raise NoCalls(f"`{_shown(node)}` has no value without running it")

    def _operated(self, sign: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(sign, ast.Add) and type(left) is type(right) and isinstance(left, str | list | tuple):
            self._made += _size(left) + _size(right)
        elif isinstance(sign, ast.Mult) and isinstance(left, str | list | tuple) and isinstance(right, int):
            self._made += _size(left) * max(right, 1)
        elif isinstance(sign, ast.Mult) and isinstance(right, str | list | tuple) and isinstance(left, int):
            self._made += _size(right) * max(left, 1)
        else:
            return operated(sign, left, right)
        if self._made > MAX_LENGTH:
            raise NoCalls(f"arguments of more than {MAX_LENGTH} items")
        return left + right if isinstance(sign, ast.Add) else left * right


def _name(node: ast.Call) -> str:
    parts: list[str] = []
    part = node.func
    while isinstance(part, ast.Attribute):
        parts.append(part.attr)
        part = part.value
    if isinstance(part, ast.Name):
        parts.append(part.id)
    return ".".join(reversed(parts))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | complex):
        raise NoCalls(f"{value!r:.40} is no value of an argument")
    return value


def _signed(sign: ast.unaryop, value: Any) -> Any:
    if isinstance(sign, ast.Not):
        return not value
    if not isinstance(value, int | float):
        raise NoCalls("a sign before what is no number")
    return -value if isinstance(sign, ast.USub) else ~int(value) if isinstance(sign, ast.Invert) else +value


def _size(value: Any) -> int:
    """How many items and characters a value holds."""
    size, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        size += len(one) if isinstance(one, str | list | tuple) else 1
        if isinstance(one, list | tuple):
            waiting.extend(one)
    return size


def _shown(node: ast.expr | None) -> str:
    text = "**" if node is None else ast.unparse(node)
    return text if len(text) <= 40 else text[:40] + "…"
