"""Primitives that read and compare numbers in answers."""

from __future__ import annotations

import math
from typing import Annotated

from scoring.registry import AtLeast, primitive
from scoring.result import Unparsed
from scoring.values import Score, show_value


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


@primitive(topics=("quirks",))
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


@primitive(topics=("quirks",))
def same_quantity(prediction: float, reference: float, /, *, relative: Annotated[float, AtLeast(0)] = 0.01) -> Score:
    """Return 1 when two numbers are nearly equal or equal after rounding, also if one is a percentage; else 0.

    The prediction is compared with the reference, with a hundredth of it and with a hundred times it. Numbers are
    rounded to as many decimals as the number with fewer decimals has, but at least two.

    Args:
        relative: The largest difference of nearly equal numbers, as a share of the larger one.

    Examples:
        >>> same_quantity(0.311, 0.31), same_quantity(31.0, 0.31), same_quantity(0.35, 0.31)
        (1.0, 1.0, 0.0)

    Source:
        MMESGBench, is_float_equal in eval_score.py. Small numbers become equal when rounded: the reference 0.31 accepts
        0, because 0.0031 rounds to 0.
    """
    own = _decimals(prediction)
    for wanted in (reference / 100, reference, reference * 100):
        if math.isclose(prediction, wanted, rel_tol=relative):
            return 1.0
        decimals = 2 if own <= 2 else max(min(own, _decimals(wanted)), 2)
        if round(prediction, decimals) == round(wanted, decimals):
            return 1.0
    return 0.0


def _decimals(number: float) -> int:
    """Return how many decimals Python prints for a number; 3 where it prints no decimal point."""
    text = str(number)
    return len(text.split(".")[-1]) if "." in text else 3
