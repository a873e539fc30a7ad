"""The value of a number written in LaTeX or plain text, by a small parser of our own; nothing is evaluated as code."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from scoring.depth import in_full_depth
from scoring.result import cause_of

_TOKEN = re.compile(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<command>\\[A-Za-z]+)|(?P<word>[A-Za-z]+)|(?P<sign>\*\*|[-+*/^(){}\[\]|!%_])|(?P<space>\s+)|(?P<other>.)"
)
_LONGEST, _DEEPEST, _LARGEST_FACTORIAL = 1_000, 60, 170
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "arcsin": math.asin, "arccos": math.acos,
    "arctan": math.atan, "ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "abs": abs,
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "e": math.e, "infty": math.inf, "inf": math.inf, "infinity": math.inf}
_TIMES = {"times", "cdot", "x", "X"}
_DIVIDED = {"div", "over"}
_FRACTIONS = {"frac", "dfrac", "tfrac", "cfrac"}


class NotANumber(ValueError):
    """The text is not the notation of one number."""


class _Reader:
    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise NotANumber("too long")
        found = [(str(token.lastgroup), token[0].lstrip("\\")) for token in _TOKEN.finditer(text)]
        self._tokens = [token for token in found if token[0] != "space"]
        self._position = 0
        self._depth = 0

    def value(self) -> float:
        result = self._sum()
        if self._position != len(self._tokens):
            raise NotANumber(f"unexpected {self._peek()[1]!r}")
        return result

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        place = self._position + ahead
        return self._tokens[place] if place < len(self._tokens) else ("end", "")

    def _take(self, text: str) -> bool:
        if self._peek()[1] == text and self._peek()[0] in ("sign", "command", "word"):
            self._position += 1
            return True
        return False

    def _need(self, text: str) -> None:
        if not self._take(text):
            raise NotANumber(f"{text!r} is missing")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotANumber("nested too deeply")

    def _sum(self) -> float:
        self._deeper()
        result = self._product()
        while self._peek()[1] in ("+", "-"):
            result = result + self._product() if self._take("+") else self._minus(result)
        self._depth -= 1
        return result

    def _minus(self, left: float) -> float:
        self._need("-")
        return left - self._product()

    def _product(self) -> float:
        result = self._signed()
        while True:
            kind, text = self._peek()
            if text == "*" or (text in _TIMES and kind in ("command", "word")):
                self._position += 1
                result *= self._signed()
            elif text == "/" or (text in _DIVIDED and kind == "command"):
                self._position += 1
                result /= self._signed()
            elif text in ("(", "{", "[") or kind in ("command", "number") or (kind == "word" and text in _CONSTANTS):
                result = self._beside(result, kind, text)
            else:
                return result

    def _beside(self, left: float, kind: str, text: str) -> float:
        """What stands beside a number multiplies it; a fraction beside a whole number is added to it (2 1/2)."""
        before = self._tokens[self._position - 1]
        whole = before[0] == "number" and before[1].isdigit()
        if kind == "number":
            if whole and self._peek(1)[1] == "/" and self._peek(2)[0] == "number":
                numerator, denominator = self._number(), self._after_slash()
                return left + math.copysign(numerator / denominator, left)
            raise NotANumber("two numbers side by side")
        value = self._power()
        mixed = whole and text in _FRACTIONS and 0 < value < 1
        return left + math.copysign(value, left) if mixed else left * value

    def _after_slash(self) -> float:
        self._need("/")
        return self._number()

    def _signed(self) -> float:
        is_negative = False
        while self._peek()[1] in ("-", "+"):
            is_negative ^= self._take("-") or not self._take("+")
        value = self._power()
        return -value if is_negative else value

    def _power(self) -> float:
        base = self._postfix()
        if self._take("^") or self._take("**"):
            if self._peek()[1] == "circ":  # a number of degrees
                self._position += 1
                return base
            self._deeper()
            exponent = self._signed()
            self._depth -= 1
            result = base**exponent
            if isinstance(result, complex):
                raise NotANumber("no real number")
            return float(result)
        return base

    def _postfix(self) -> float:
        result = self._atom()
        while self._peek()[1] in ("!", "%"):
            if self._take("%"):
                result /= 100
                continue
            self._need("!")
            if result != int(result) or not 0 <= result <= _LARGEST_FACTORIAL:
                raise NotANumber("a factorial out of bounds")
            result = float(math.factorial(int(result)))
        return result

    def _number(self) -> float:
        kind, text = self._peek()
        if kind != "number":
            raise NotANumber(f"a number is missing before {text!r}")
        self._position += 1
        return float(text.replace(",", ""))

    def _atom(self) -> float:
        kind, text = self._peek()
        if kind == "number":
            return self._number()
        for opening, closing in (("(", ")"), ("{", "}"), ("[", "]"), ("|", "|")):
            if self._take(opening):
                inside = self._sum()
                self._need(closing)
                return abs(inside) if opening == "|" else inside
        self._position += 1
        if kind in ("command", "word"):
            if text in _CONSTANTS:
                return _CONSTANTS[text]
            if text in _FRACTIONS:
                return self._short_argument() / self._short_argument()
            if text == "sqrt":
                return self._root()
            if text == "log":
                return self._logarithm()
            if text in _FUNCTIONS:
                return _FUNCTIONS[text](self._power())
        raise NotANumber(f"unknown {text!r}")

    def _short_argument(self) -> float:
        r"""A braced argument, or the next single digit: \frac12."""
        kind, text = self._peek()
        if kind == "number" and len(text) > 1 and text.isdigit():
            self._tokens[self._position : self._position + 1] = [("number", digit) for digit in text]
        return self._atom()

    def _root(self) -> float:
        degree = 2.0
        if self._take("["):
            degree = self._sum()
            self._need("]")
        inside = self._atom()
        return math.sqrt(inside) if degree == 2 else float(inside ** (1 / degree))

    def _logarithm(self) -> float:
        base = 10.0
        if self._take("_"):
            base = self._short_argument()
        return math.log(self._power(), base)


def number_of(text: str) -> float:
    r"""The value of one number: digits, fractions, roots, powers, π, percent, scientific notation.

    Raises:
        NotANumber: for anything else.

    Examples:
        >>> number_of(r"-\frac{3}{2}"), number_of("2 1/2"), number_of(r"3 \times 10^{2}"), number_of("1,299.00")
        (-1.5, 2.5, 300.0, 1299.0)
    """
    try:
        value = float(in_full_depth(lambda: _Reader(text).value()))
    except (OverflowError, ZeroDivisionError, TypeError, RecursionError) as error:
        raise NotANumber(cause_of(error)) from None
    except NotANumber:
        raise
    except ValueError:
        raise NotANumber("outside the domain of a function") from None
    if math.isnan(value):
        raise NotANumber("undefined")
    return value
