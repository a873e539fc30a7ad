"""Evaluate formulas: their operators on values of records and judges, and their trees.

Arithmetic is applied item by item. An operator or a function raises `WrongKind` for a value of a wrong kind, and
`NoValue` where there is no result, as for the logarithm of 0. Formulas of tasks and of judge programs differ only in
the meaning of names, the available functions, and the errors for parts without a value.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field

from scoring.lang import formula as tree
from scoring.lang.tree import Path
from scoring.ranges import snap_to_whole
from scoring.result import Unscored, cause_of
from scoring.values import same_value, show_type, show_value

Join: TypeAlias = Callable[[Sequence[Any]], Any]
"""A function of formulas: it maps the values of the arguments to the result."""


class WrongKind(TypeError):
    """The exception of a function or operator for a value of a kind that it can't take."""


class NoValue(ValueError):
    """The exception of a function or operator that has no result for the given values."""


def require_number(value: Any) -> Any:
    """Check that a value is a number other than NaN, and return it.

    Raises:
        WrongKind: for a value of another kind, including `true` and `false`.
        NoValue: for NaN.

    Examples:
        >>> require_number(-2.5)
        -2.5
        >>> require_number("2.5")
        Traceback (most recent call last):
        ...
        scoring.lang.evaluation.WrongKind: `'2.5'` is not a number
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise WrongKind(f"`{show_value(value)}` is not a number")
    if value != value:
        raise NoValue("it contains NaN, which is not a number")
    return value


def truth(value: Any) -> bool:
    """Check that a value is true or false, and return it.

    Raises:
        WrongKind: for a value of another kind.
    """
    if not isinstance(value, bool):
        raise WrongKind(f"`{show_value(value)}` is neither true nor false")
    return value


def is_in(value: Any, among: Any) -> bool:
    """Return whether a value is an item of a list or a key of a mapping, or a text is part of another text.

    Raises:
        WrongKind: when `among` is not a list, mapping or text, or it is a text and `value` is not.

    Examples:
        >>> is_in("b", ["a", "b"]), is_in("b", "abc"), is_in(1, [True])
        (True, True, False)
    """
    if isinstance(among, str):
        if isinstance(value, str):
            return value in among
        raise WrongKind(f"only a text is in a text, not {show_type(value)}")
    if isinstance(among, Mapping):
        return isinstance(value, str) and value in among
    if isinstance(among, (list, tuple)):
        return any(same_value(value, item) for item in among)
    raise WrongKind(f"nothing is `in` {show_type(among)}")


def element_at(holder: Any, at: Any) -> Any:
    """Return the item of a list or text at a position, counted from 0 or from -1, or a mapping's value for a key.

    Raises:
        WrongKind: when `holder` does not have positions or keys of this kind.
        NoValue: when there is no such item or key.

    Examples:
        >>> element_at([0.5, 0.25], -1), element_at({"a": 1}, "a")
        (0.25, 1)
    """
    if isinstance(holder, Mapping) and isinstance(at, str):
        if at in holder:
            return holder[at]
        raise NoValue(f"there is no key {show_value(at)}")
    if not isinstance(holder, (list, tuple, str)):
        raise WrongKind(f"{show_type(holder)} has no item {show_value(at)}")
    if isinstance(at, bool) or not isinstance(at, (int, float)) or at != at or int_of(at) != at:
        raise WrongKind(f"a position in {show_type(holder)} must be a whole number, not {show_value(at)}")
    place = int_of(at)
    if not -len(holder) <= place < len(holder):
        raise NoValue(f"there is no item {show_value(place)} of {len(holder)}")
    return holder[place]


def negative(value: Any, number: Callable[[Any], Any] = require_number) -> Any:
    """Return the negative of a number, or of each number of a list; `number` checks each, and may raise WrongKind."""
    return [-number(one) for one in value] if isinstance(value, (list, tuple)) else -number(value)


def int_of(value: float) -> int:
    """Return the integer part of a number; 0 for an infinite number or NaN, so that it is not equal to the number."""
    return int(value) if math.isfinite(value) else 0


def operators(number: Callable[[Any], Any] = require_number) -> dict[str, Callable[[Any, Any], Any]]:
    """Return the functions that compute binary operators, by symbol; `number` checks and converts operands."""

    def of_numbers(combine: Callable[[Any, Any], Any], *, item_by_item: bool) -> Callable[[Any, Any], Any]:
        def apply(one: Any, other: Any) -> Any:
            # Most values are floats other than NaN, which is not equal to itself.
            if type(one) is float is type(other) and one == one and other == other:
                return combine(one, other)
            if item_by_item and (isinstance(one, (list, tuple)) or isinstance(other, (list, tuple))):
                return [combine(number(a), number(b)) for a, b in _side_by_side(one, other)]
            return combine(number(one), number(other))

        return apply

    return {
        **{symbol: of_numbers(combine, item_by_item=symbol in "+-*/") for symbol, combine in _OF_NUMBERS.items()},
        "==": same_value,
        "!=": lambda one, other: not same_value(one, other),
        "in": is_in,
        "not in": lambda one, other: not is_in(one, other),
    }


def _side_by_side(one: Any, other: Any) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of items of two lists, or of a list's items and a number; raise NoValue if lengths differ."""
    if not isinstance(other, (list, tuple)):
        return ((item, other) for item in one)
    if not isinstance(one, (list, tuple)):
        return ((one, item) for item in other)
    if len(one) != len(other):
        raise NoValue(f"the lists have {len(one)} and {len(other)} numbers")
    return zip(one, other, strict=True)


_OF_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
OPERATORS = operators()


def failure_of(name: str, error: Exception) -> Unscored:
    """Return the exception for a record on which the operator or function `name` of a formula raised `error`.

    Examples:
        >>> failure_of("/", ZeroDivisionError())
        Unscored('the formula has no value at its `/`: it would divide by 0')
    """
    why = str(error) if isinstance(error, (NoValue, WrongKind)) else cause_of(error)
    return Unscored(f"the formula has no value at its `{name}`: {why}")


# ---- evaluation: the tree of a formula as a function of values by name

Values: TypeAlias = Mapping[str, Any]
Evaluation: TypeAlias = Callable[[Values], Any]

SCORE = "score"


class FormulaWords(Struct, frozen=True):
    """The functions by which `evaluation` reads values, calls functions and applies operators in one kind of formulas.

    ``read`` returns the value of a name, ``path`` that of a path, ``quoted`` that of a text in quotes (None: the text
    itself). ``function`` returns the function of a name. ``operators`` are given by name, as are the functions in
    ``special``, which convert a call to its evaluation, since they need the syntax of the arguments. ``number`` and
    ``truth`` check and convert operands. ``failed`` returns the exception to raise, given the name of a function or
    operator and the Python error that it raised.
    """

    read: Callable[[Values, str], Any]
    path: Callable[[Values, Path], Any]
    function: Callable[[str], Join]
    failed: Callable[[str, Exception], Exception]
    special: Mapping[str, Callable[[tree.Function], Evaluation]] = field(default_factory=dict)
    operators: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=lambda: OPERATORS)
    number: Callable[[Any], Any] = require_number
    truth: Callable[[Any], bool] = truth
    quoted: Callable[[Values, str], Any] | None = None


def evaluation(node: tree.Formula, words: FormulaWords) -> Evaluation:
    """Return a function that computes the formula ``node`` from values by name, with the functions of ``words``.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> words = FormulaWords(lambda values, name: values[name], None, lambda name: max, lambda op, error: error)
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
        return _two("[…]", element_at, parts, words)
    if isinstance(node, tree.Compare):
        parts = [
            _settled(part) if isinstance(side, tree.Binary) else part
            for side, part in zip((node.a, node.b), parts, strict=True)
        ]
    return _two(node.op, words.operators[node.op], parts, words)


def _settled(part: Evaluation) -> Evaluation:
    """Return an evaluation like `part`, but with results rounded if they are very near to a whole number."""

    def evaluate(values: Values) -> Any:
        value = part(values)
        return snap_to_whole(value) if type(value) is float else value

    return evaluate


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
    return _one(node.name, words.function(node.name), lambda values: [part(values) for part in parts], words)
