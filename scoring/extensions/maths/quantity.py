"""Parsing of numbers as models write them, with units, currency, assignments or prose, and in LaTeX.

Nothing is evaluated as code.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from scoring.depth import in_full_depth
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.text.replacing import order_combining_marks
from scoring.registry import primitive
from scoring.result import Unparsed, cause_of
from scoring.values import show_type

_DELIMITERS = lazy_pattern(r"\\[()\[\]]|\$+")
_FENCE = lazy_pattern(r"^\s*```\w*\n?|```\s*$")
_SPACING = lazy_pattern(r"(?<!\\)\\(?:[,;:!> ]|quad(?![a-z])|qquad(?![a-z])|displaystyle(?![a-z]))|~")
_SIZES = lazy_pattern(r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\.?")
_CHARACTERS = str.maketrans({
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "∙": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/",
    "∞": "\\infty ", "√": "\\sqrt ", "≈": "\\approx ", "≤": "\\leq ", "≥": "\\geq ", "∪": "\\cup ",
    "∩": "\\cap ", "’": "'", "“": '"', "”": '"',
})  # fmt: skip
_SUPERSCRIPT = lazy_pattern("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_TO_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def undressed(text: str) -> str:
    """Return a bare formula: without math delimiters, code fences, emphasis and spacing, and in ASCII if possible.

    Examples:
        >>> undressed("$\\\\left( x² \\\\right)$"), undressed("**−3 × 4**")
        ('( x^{2} )', '-3 * 4')
    """
    formula = _FENCE.sub("", text.strip()).strip().strip("`")
    if formula.startswith("**") and formula.endswith("**"):
        formula = formula[2:-2]
    formula = overlined(formula)
    formula = _SUPERSCRIPT.sub(lambda found: "^{" + found[0].translate(_TO_DIGITS) + "}", formula)
    formula = unicodedata.normalize("NFKC", order_combining_marks(formula.translate(_CHARACTERS))).translate(
        _CHARACTERS
    )
    formula = "".join(GREEK[letter] + " " if letter in GREEK else letter for letter in formula.replace("\\$", "$"))
    for pattern in (_DELIMITERS, _SIZES):
        formula = pattern.sub("", formula)
    return _SPACING.sub(" ", formula).strip()


_MACRON = lazy_pattern(r"([^\W\d_])\u0304")


def _command(letter: str) -> str:
    word = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return "\\" + (word.lower() if letter.islower() else word.capitalize())


GREEK = {letter: _command(letter) for letter in "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"}


def _macron_apart(character: str) -> str:
    """Return a letter with a macron decomposed into letter and combining macron; any other character unchanged."""
    apart = unicodedata.normalize("NFD", character)
    return apart if apart[1:] == "\u0304" else character


def overlined(text: str) -> str:
    r"""Return a text in which letters with a macron are written as ``\overline`` commands.

    Examples:
        >>> overlined("ȳ + 1")
        '\\overline{y} + 1'
    """
    return _MACRON.sub(r"\\overline{\1}", "".join(map(_macron_apart, text)))


_TOKEN = lazy_pattern(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<command>\\[A-Za-z]+)|(?P<word>[A-Za-z]+)|(?P<sign>\*\*|[-+*/^(){}\[\]|!%_])|(?P<space>\s+)|(?P<other>.)"
)
_LONGEST_NUMBER, _DEEPEST, _LARGEST_FACTORIAL = 1_000, 60, 170
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "arcsin": math.asin, "arccos": math.acos,
    "arctan": math.atan, "ln": math.log, "exp": math.exp, "sqrt": math.sqrt, "abs": abs,
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "e": math.e, "infty": math.inf, "inf": math.inf, "infinity": math.inf}
_TIMES = {"times", "cdot", "x", "X"}
_DIVIDED = {"div", "over"}
_FRACTIONS = {"frac", "dfrac", "tfrac", "cfrac"}


class NotANumber(ValueError):
    """The error for a text that does not represent a single number."""


class _Reader:
    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST_NUMBER:
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
            is_negative = self._take("-") or not self._take("+")
            term = self._product()
            result += -term if is_negative else term
        self._depth -= 1
        return result

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
                result = self._juxtaposed(result, kind, text)
            else:
                return result

    def _juxtaposed(self, left: float, kind: str, text: str) -> float:
        """Return the number ``left`` combined with the value after it: their product, or the sum for `2 1/2`.

        ``kind`` and ``text`` are the next token. Values are added if a fraction follows an integer.

        Raises:
            NotANumber: when two numbers are next to one another.
        """
        before = self._tokens[self._position - 1]
        whole = before[0] == "number" and before[1].isdigit()
        if kind == "number":
            if whole and self._peek(1)[1] == "/" and self._peek(2)[0] == "number":
                numerator = self._number()
                self._need("/")
                return left + math.copysign(numerator / self._number(), left)
            raise NotANumber("two numbers side by side")
        value = self._power()
        mixed = whole and text in _FRACTIONS and 0 < value < 1
        return left + math.copysign(value, left) if mixed else left * value

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
                base = self._short_argument() if self._take("_") else 10.0
                return math.log(self._power(), base)
            if text in _FUNCTIONS:
                return _FUNCTIONS[text](self._power())
        raise NotANumber(f"unknown {text!r}")

    def _short_argument(self) -> float:
        r"""Return the value of the next argument of a command, which is in braces, or a single digit as in \frac12."""
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


def evaluate_number_text(text: str) -> float:
    r"""Return the value of a text that is a number: digits, fractions, roots, powers, π, percent, scientific notation.

    Raises:
        NotANumber: when the text is anything else.

    Examples:
        >>> (
        ...     evaluate_number_text(r"-\frac{3}{2}"),
        ...     evaluate_number_text("2 1/2"),
        ...     evaluate_number_text(r"3 \times 10^{2}"),
        ...     evaluate_number_text("1,299.00"),
        ... )
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


_ASSIGNED = lazy_pattern(r"=|\\approx(?![a-z])|\\simeq(?![a-z])|\\sim(?![a-z])|\b(?:is|equals)\b|\b[Aa]nswer:")
_ABOUT = lazy_pattern(r"^(?:about|approximately|approx\.?|around|roughly|nearly|exactly|~)\s*", re.IGNORECASE)
# Units are dropped, but an imaginary unit, a variable or hexadecimal digits are part of the value.
_NO_UNIT = lazy_pattern(r"\d\s*[abijknrtxyz]\s*$|^\s*-?0[xXbB]")
_CURRENCY = lazy_pattern(r"[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|JPY|CNY|INR)\b")
_TEXT = lazy_pattern(r"\\(?:text|mathrm|mathbf|textbf|operatorname|rm)\s*\{([^{}]*)\}")
_DEGREES = lazy_pattern(r"(?:°|\^\s*\{?\\circ\}?|\\degree)\s*(?:[CF](?![a-zA-Z]))?")
_UNIT_WORD = r"[A-Za-zµμΩÅ]+(?:\s*\^\s*\{?-?\d\}?)?"
_UNITS = lazy_pattern(rf"(?:(?<=[\d)}}%])|(?<=\\pi)\s)\s*(?!e\b|pi\b){_UNIT_WORD}(?:\s*[/·*\s]\s*{_UNIT_WORD})*\s*$")
_LIST = lazy_pattern(r"^\s*(?:\\?\{|\[|\()(.*)(?:\\?\}|\]|\))\s*$", re.DOTALL)
_SEPARATOR = lazy_pattern(r"[,;]|\band\b|\bor\b")
_THOUSANDS = lazy_pattern(r"^[^,;]*\d{1,3}(?:,\d{3})+(?:\.\d+)?[^,;]*$")
_QUOTED = lazy_pattern(r"""^(['"])(.*)\1$""", re.DOTALL)
_LONGEST, _MOST_ITEMS = 2_000, 200


def _one(text: str) -> float:
    part = _ASSIGNED.split(text)[-1].strip()
    part = _CURRENCY.sub("", _ABOUT.sub("", part).replace("\\%", "%")).strip().rstrip(".,;").strip()
    quoted = _QUOTED.match(part)
    part = quoted[2].strip() if quoted else part
    part = _DEGREES.sub("", _TEXT.sub(r" \1", part)).strip()
    try:
        return evaluate_number_text(part)
    except NotANumber:
        without = _UNITS.sub("", part).strip()
        if without == part or _NO_UNIT.search(part):
            raise
        return evaluate_number_text(without)


def _items(text: str) -> list[str]:
    """Return the items of a list in brackets or separated by commas; the whole text as one item if it is no list.

    Commas between thousands separate nothing.
    """
    listed = _LIST.match(text)
    if listed and balanced(listed[1]):
        parts = _SEPARATOR.split(listed[1].removesuffix("\\"))
        return parts if len(parts) > 1 or text.lstrip().startswith(("[", "\\{")) else [text]
    return [text] if _THOUSANDS.match(text) else _SEPARATOR.split(text)


def balanced(text: str, opening: str = "([{", closing: str = ")]}") -> bool:
    """Return whether opening and closing brackets in a text are balanced, whatever their kinds."""
    depth = 0
    for character in text:
        depth += (character in opening) - (character in closing)
        if depth < 0:
            return False
    return depth == 0


@primitive(topics=("numbers", "mathematics"), aka=("quantity", "unit", "units", "measurement", "percent"))
def number_with_unit(value: object, /) -> float | list[float]:
    r"""Return the number, or the list of numbers, in a value.

    It parses digits with thousands commas, fractions and mixed numbers, roots, powers, π, percent, scientific notation,
    LaTeX, a currency, a unit after the number, the right side of an equation, and lists in brackets or separated by
    commas. Units are dropped, not converted.

    Raises:
        Unparsed: when the value contains no number.

    Examples:
        >>> (
        ...     number_with_unit("x = 2\\pi cm") == 2 * 3.141592653589793,
        ...     number_with_unit("$1,299.00"),
        ...     number_with_unit("12.5%"),
        ... )
        (True, 1299.0, 0.125)
        >>> number_with_unit("[1, 1/2]"), number_with_unit("x=1, y=2"), number_with_unit("3 × 10^5 m/s")
        ([1.0, 0.5], [1.0, 2.0], 300000.0)

    Source:
        MEGA-Bench, general_single_numerical_match.
    """
    if isinstance(value, bool) or value is None:
        raise Unparsed(f"{show_type(value)} is not a number")
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            raise Unparsed("a whole number too large to compute with") from None
    if isinstance(value, (list, tuple)):
        return [_single(item) for item in value[:_MOST_ITEMS]]
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise Unparsed("no number, or a very long text")
    try:
        text = undressed(value).rstrip(".,; ")
        parts = _items(text)[:_MOST_ITEMS]
        numbers = [_one(part) for part in parts]
    except NotANumber as error:
        raise Unparsed(f"no number ({error}): {value[:60]!r}") from None
    listed = len(numbers) > 1 or parts != [text]
    return numbers if listed else numbers[0]


def _single(item: Any) -> float:
    found = number_with_unit(item)
    if isinstance(found, list):
        raise Unparsed("a list within a list of numbers")
    return found
