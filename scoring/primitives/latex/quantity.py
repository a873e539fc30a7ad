"""A number, or a list of numbers, as models write it: with units, currency, an assignment, prose around it."""

from __future__ import annotations

import re
from typing import Annotated, Any

from scoring.primitives.latex.arithmetic import NotANumber, number_of
from scoring.primitives.latex.plain import undressed
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unparsed
from scoring.values import Score, show_type

_ASSIGNED = re.compile(r"=|\\approx(?![a-z])|\\simeq(?![a-z])|\\sim(?![a-z])|\b(?:is|equals)\b|\b[Aa]nswer:")
_ABOUT = re.compile(r"^(?:about|approximately|approx\.?|around|roughly|nearly|exactly|~)\s*", re.IGNORECASE)
# A unit is dropped, but an imaginary unit and hexadecimal digits make another number.
_NO_UNIT = re.compile(r"\d\s*[abijknrtxyz]\s*$|^\s*-?0[xXbB]")
_CURRENCY = re.compile(r"[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|JPY|CNY|INR)\b")
_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf|operatorname|rm)\s*\{([^{}]*)\}")
_DEGREES = re.compile(r"(?:°|\^\s*\{?\\circ\}?|\\degree)\s*(?:[CF](?![a-zA-Z]))?")
_UNIT_WORD = r"[A-Za-zµμΩÅ]+(?:\s*\^\s*\{?-?\d\}?)?"
_UNITS = re.compile(rf"(?:(?<=[\d)}}%])|(?<=\\pi)\s)\s*(?!e\b|pi\b){_UNIT_WORD}(?:\s*[/·*\s]\s*{_UNIT_WORD})*\s*$")
_LIST = re.compile(r"^\s*(?:\\?\{|\[|\()(.*)(?:\\?\}|\]|\))\s*$", re.DOTALL)
_SEPARATOR = re.compile(r"[,;]|\band\b|\bor\b")
_THOUSANDS = re.compile(r"^[^,;]*\d{1,3}(?:,\d{3})+(?:\.\d+)?[^,;]*$")
_QUOTED = re.compile(r"""^(['"])(.*)\1$""", re.DOTALL)
_LONGEST, _MOST_ITEMS = 2_000, 200


def _one(text: str) -> float:
    part = _ASSIGNED.split(text)[-1].strip()
    part = _CURRENCY.sub("", _ABOUT.sub("", part).replace("\\%", "%")).strip().rstrip(".,;").strip()
    quoted = _QUOTED.match(part)
    part = quoted[2].strip() if quoted else part
    part = _DEGREES.sub("", _TEXT.sub(r" \1", part)).strip()
    try:
        return number_of(part)
    except NotANumber:
        without = _UNITS.sub("", part).strip()
        if without == part or _NO_UNIT.search(part):
            raise
        return number_of(without)


def _items(text: str) -> list[str]:
    """The items of a list: in brackets, or parted by commas that are not those of thousands."""
    listed = _LIST.match(text)
    if listed and _balanced(listed[1]):
        parts = _SEPARATOR.split(listed[1].removesuffix("\\"))
        return parts if len(parts) > 1 or text.lstrip().startswith(("[", "\\{")) else [text]
    return [text] if _THOUSANDS.match(text) else _SEPARATOR.split(text)


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


@primitive(topics=("numbers", "mathematics"), aka=("unit", "units", "measurement", "percent"))
def quantity(value: object, /) -> float | list[float]:
    r"""The number, or the list of numbers, that a value states.

    Read are digits with thousands commas, fractions and mixed numbers, roots, powers, π, percent, scientific
    notation, LaTeX, a currency, a unit after the number, what follows an equals sign, and lists in brackets or
    parted by commas. Units are dropped, not converted.

    Raises:
        Unparsed: when the value states no number.

    Examples:
        >>> quantity("x = 2\\pi cm") == 2 * 3.141592653589793, quantity("$1,299.00"), quantity("12.5%")
        (True, 1299.0, 0.125)
        >>> quantity("[1, 1/2]"), quantity("x=1, y=2"), quantity("3 × 10^5 m/s")
        ([1.0, 0.5], [1.0, 2.0], 300000.0)

    Source:
        MEGA-Bench, general_single_numerical_match.
    """
    if isinstance(value, bool) or value is None:
        raise Unparsed(f"{show_type(value)} is no number")
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            raise Unparsed("a whole number beyond all that can be computed with") from None
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
    found = quantity(item)
    if isinstance(found, list):
        raise Unparsed("a list within a list of numbers")
    return found


@primitive(topics=("quirks",))
def quantities_close(
    prediction: float | list[float],
    reference: float | list[float],
    /,
    *,
    relative: Annotated[float, AtLeast(0)] = 0.01,
    absolute: Annotated[float, AtLeast(0)] = 1e-9,
    rounding: Annotated[float, Between(0, 1e-6)] = 1e-12,
) -> Score:
    """1 when a number lies within a share of the reference's, else 0; lists are compared in sorted order.

    The edge is inside, also where rounding puts it a hair outside: the share is larger by a millionth of a millionth of
    itself.

    Args:
        relative: The allowed difference as a share of the reference.
        absolute: The allowed difference near 0.
        rounding: What is added to the share, as a share of it.

    Examples:
        >>> quantities_close(5.04, 5.0), quantities_close([2.0, 1.0], [1.0, 2.0]), quantities_close(1.0, [1.0])
        (1.0, 1.0, 0.0)

    Source:
        MEGA-Bench, general_single_numerical_match: within 1 % of the reference, inclusive.
    """
    if isinstance(prediction, list) != isinstance(reference, list):
        return 0.0
    numbers = sorted(prediction) if isinstance(prediction, list) else [prediction]
    wanted = sorted(reference) if isinstance(reference, list) else [reference]
    if len(numbers) != len(wanted):
        return 0.0
    pairs = zip(numbers, wanted, strict=True)
    # Two infinite numbers have no difference.
    return float(all(p == r or abs(p - r) <= max(abs(r) * relative * (1 + rounding), absolute) for p, r in pairs))
