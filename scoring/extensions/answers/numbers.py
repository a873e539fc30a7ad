"""Primitives that read and compare numbers in answers."""

from __future__ import annotations

import math
from typing import Annotated

from scoring.registry import Between, primitive
from scoring.result import Unparsed
from scoring.values import show_value


@primitive(topics=("numbers",), aka=("to float", "parse float"))
def float_value(value: object, /, *, percent: bool = False) -> float:
    """Read a number as Python's `float` does: digits, sign, exponent, `inf` and `nan`, but no thousands separators.

    Args:
        percent: Whether `12%` is read as 0.12; otherwise it is not a number.

    Raises:
        Unparsed: when the value is not such a number.

    Examples:
        >>> float_value(" 1e3 "), float_value(5), float_value("12%", percent=True)
        (1000.0, 5.0, 0.12)
    """
    text = value if percent and isinstance(value, str) else ""
    try:
        if text.endswith("%"):
            return float(text.rstrip("%")) / 100.0
        return float(value)  # type: ignore[arg-type]  # float refuses what it cannot read
    except (TypeError, ValueError, OverflowError):
        raise Unparsed(f"{show_value(value)} is not a number") from None


@primitive(topics=("numbers",), aka=("significant figures", "significant digits", "round to digits"))
def significant(value: float, /, *, digits: Annotated[int, Between(1, 17)] = 5) -> float:
    """Round the number to a number of significant digits; 17 leave every finite number as it is.

    Args:
        digits: The number of digits that are kept, counted from the first that is not 0.

    Raises:
        Unparsed: when the number is infinite or NaN.

    Examples:
        >>> significant(1234567.0), significant(0.00123456, digits=3), significant(-2.5, digits=1)
        (1234600.0, 0.00123, -2.0)

    Source:
        Python library reference, format specification mini-language, presentation type g.
    """
    if not math.isfinite(value):
        raise Unparsed(f"{show_value(value)} is not finite")
    return float(format(value, f".{digits}g"))


@primitive(topics=("numbers",))
def whole_value(value: object, /) -> int:
    """Read an integer: a string must be written as an integer, a number loses its fraction.

    Raises:
        Unparsed: when the value is neither such a string nor a number.

    Examples:
        >>> whole_value("42"), whole_value(5.9), whole_value(-0.7)
        (42, 5, 0)
    """
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]  # int refuses what it cannot read
    except (TypeError, ValueError, OverflowError):
        raise Unparsed(f"{show_value(value)} is not a whole number") from None
