"""The functions of formulas, on values of records and judges.

Each function works on numbers or on lists of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.lang.evaluation import Join, NoValue, WrongKind, int_of, require_number
from scoring.lang.formula import Function
from scoring.values import show_type, show_value

FormulaTakes: TypeAlias = Literal["number", "numbers", "any"]

_HOLDERS = (list, tuple, dict, set, frozenset)
DIGITS = 15
"""The most decimal places that `round` accepts, since floats have no more digits."""


class FormulaFunction(Struct, frozen=True):
    """One function that formulas can call: ``join`` maps the values of its arguments to its result.

    ``fewest`` and ``most`` limit the number of arguments. ``takes`` is their kind: numbers, numbers or lists of them,
    or values of any kind.
    """

    join: Join
    fewest: int
    most: int
    takes: FormulaTakes
    doc: str


def flat(arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments as one list, with lists among them replaced by their items."""
    if not any(isinstance(argument, (list, tuple)) for argument in arguments):
        return list(arguments)
    found: list[Any] = []
    for argument in arguments:
        found.extend(argument) if isinstance(argument, (list, tuple)) else found.append(argument)
    return found


def exact_mean(values: Sequence[Any]) -> Any:
    """Return the mean of some numbers, computed from their exact sum."""
    return math.fsum(values) / len(values)


def _numbers(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise WrongKind(f"`{show_value(value)}` is not a list of numbers")
    return [require_number(one) for one in value]


def _dot(arguments: Sequence[Any]) -> float:
    one, other = map(_numbers, arguments)
    if len(one) != len(other):
        raise NoValue(f"the lists have {len(one)} and {len(other)} numbers")
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def _length(arguments: Sequence[Any]) -> int:
    (value,) = arguments
    if isinstance(value, (str, *_HOLDERS)):
        return len(value)
    raise WrongKind(f"{show_type(value)} has no length")


def _log(value: Any) -> float:
    if value <= 0:
        raise NoValue(f"there is no logarithm of {show_value(value)}")
    return math.log(value)


def _sqrt(value: Any) -> float:
    if value < 0:
        raise NoValue(f"there is no square root of {show_value(value)}")
    return math.sqrt(value)


def _clip(value: Any, low: Any, high: Any) -> Any:
    if low > high:
        raise NoValue(f"no number is between {show_value(low)} and {show_value(high)}")
    return min(max(value, low), high)


def _round(value: Any, digits: Any = 0) -> float:
    if int_of(digits) != digits or not 0 <= digits <= DIGITS:
        raise NoValue(f"the digits must be a whole number from 0 to {DIGITS}, not {show_value(digits)}")
    return round(float(value), int(digits)) if math.isfinite(value) else float(value)


def functions(number: Callable[[Any], Any] = require_number) -> dict[str, FormulaFunction]:
    """Return by name the functions that all formulas can call, except `if`; `number` checks and converts operands."""

    def reducing(reduce: Callable[[list[Any]], Any], of_nothing: Any = None) -> Join:
        def join(arguments: Sequence[Any]) -> Any:
            values = [number(value) for value in flat(arguments)]
            if not values and of_nothing is None:
                raise NoValue("it has no numbers to work on")
            return reduce(values) if values else of_nothing

        return join

    def plain(compute: Callable[..., Any]) -> Join:
        def join(arguments: Sequence[Any]) -> Any:
            value, *rest = arguments
            others = [number(one) for one in rest]
            if isinstance(value, (list, tuple)):
                return [compute(number(one), *others) for one in value]
            return compute(number(value), *others)

        return join

    of, most = FormulaFunction, 99
    greatest = reducing(lambda values: max(range(len(values)), key=values.__getitem__))
    return {
        "min": of(reducing(min), 1, most, "numbers", "the least of some numbers or of a list"),
        "max": of(reducing(max), 1, most, "numbers", "the greatest of some numbers or of a list"),
        "mean": of(reducing(exact_mean), 1, most, "numbers", "the mean of some numbers or of a list"),
        "sum": of(reducing(math.fsum, 0.0), 1, most, "numbers", "the sum of some numbers or of a list"),
        "argmax": of(greatest, 1, most, "numbers", "the position of the greatest number, the first of equal ones"),
        "dot": of(_dot, 2, 2, "any", "the sum of the products of two lists of one length"),
        "length": of(_length, 1, 1, "any", "how many characters a text has, or items a list or a mapping"),
        "abs": of(plain(abs), 1, 1, "number", "the absolute value of a number"),
        "exp": of(plain(math.exp), 1, 1, "number", "e to the power of a number"),
        "log": of(plain(_log), 1, 1, "number", "the natural logarithm of a number above 0"),
        "sqrt": of(plain(_sqrt), 1, 1, "number", "the square root of a number that is not below 0"),
        "clip": of(plain(_clip), 3, 3, "number", "a number limited to a range, `clip(x, low, high)`"),
        "round": of(plain(_round), 1, 2, "number", "a number rounded to some decimal places, halves to the even one"),
    }


FUNCTIONS = functions()


def wrong_count(node: Function) -> str:
    """Return the message for a call of a function with a wrong number of arguments; "" if the number is right.

    Examples:
        >>> wrong_count(Function("exp", ()))
        '`exp` takes 1 argument'
    """
    known = FUNCTIONS.get(node.name)
    fewest, most = (3, 3) if node.name == "if" else (known.fewest, known.most) if known is not None else (0, 99)
    if fewest <= len(node.args) <= most:
        return ""
    wanted = str(fewest) if fewest == most else f"{fewest} or {most}" if most < 99 else f"at least {fewest}"
    return f"`{node.name}` takes {wanted} argument{'' if wanted in ('1', 'at least 1') else 's'}"
