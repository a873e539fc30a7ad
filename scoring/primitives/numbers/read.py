"""Primitives that read a number from a text without ever evaluating it."""

from __future__ import annotations

import math
import re
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_type

# Longer numbers are refused: reading millions of digits takes seconds.
MAX_DIGITS = 400

_NUMBER = lazy_pattern(r"[+\-−]?(?=\.?\d)(?:\d+(?:,\d{3})*|\d*)(?:\.\d*)?(?:[eE][+\-]?\d{1,4})?", re.ASCII)


@primitive(topics=("numbers", "extraction"), aka=("numeric", "to number", "parse number"))
def number(value: Any, /, *, percent: bool = False) -> float:
    """Read the number that a value is, or that a whole string represents.

    A string may have a sign, commas between thousands, a decimal point and an exponent, but no other text.

    Args:
        percent: Whether `12%` is read as 0.12; otherwise it is not a number.

    Examples:
        >>> number("1,299.50"), number(" -3e2 "), number("12%", percent=True)
        (1299.5, -300.0, 0.12)

    Raises:
        Unparsed: when the value is not a finite number.
    """
    if isinstance(value, str):
        text = value.strip()
        if percent and text.endswith("%"):
            return _of_text(text[:-1].rstrip()) / 100
        return _of_text(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unparsed(f"not a number: {show_type(value)}")
    return _finite(value)


def _of_text(text: str) -> float:
    if len(text) > MAX_DIGITS or not _NUMBER.fullmatch(text):
        raise Unparsed(f"not a number: {text[:40]!r}{_way_on(text)}")
    return _finite(float(text.replace(",", "").replace("−", "-")))


def _finite(value: float) -> float:
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise Unparsed("not a finite number")
    return found


@primitive(topics=("numbers",), aka=("int", "to int", "parse integer"))
def integer(value: Any, /) -> int:
    """Read the integer that a value is, or that a whole string represents.

    Examples:
        >>> integer(" 7 "), integer(7.0), integer("1,000")
        (7, 7, 1000)

    Raises:
        Unparsed: when the value is not an integer.
    """
    found = number(value)
    if found != math.floor(found):
        raise Unparsed(f"not a whole number: {found}")
    return int(found)


def _way_on(text: str) -> str:
    """Return the hint which step could read a string that is no number; "" if the string has no digits or is long."""
    if len(text) > MAX_DIGITS or not any(map(str.isdigit, text)):
        return ""
    if _COMMA.fullmatch(text):
        return '; write `replace(",", ".") | number`'
    if text.endswith("%"):
        return "; write `number(percent=true)`"
    return "; write `find_number` for the one in a text"


_COMMA = lazy_pattern(r"[+\-−]?\d+,\d+", re.ASCII)
