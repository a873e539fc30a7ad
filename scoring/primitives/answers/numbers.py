"""Numbers written as answers."""

from __future__ import annotations

import math
from typing import Annotated

from scoring.registry import AtLeast, primitive
from scoring.result import Unparsed
from scoring.values import Score, show_value


@primitive(topics=("numbers",), aka=("to float", "parse float"))
def float_value(value: object, /, *, percent: bool = False) -> float:
    """Read a number the way Python's `float` does: digits, sign, exponent, `inf` and `nan`, no thousands separators.

    Args:
        percent: Whether `12%` is read as 0.12; otherwise it is no number.

    Raises:
        Unparsed: when the value is no such number.

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
    """Read a whole number: a text must be written as one, a number loses its fraction.

    Raises:
        Unparsed: when the value is neither.

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
    """1 when two numbers are the same quantity: nearly equal, or equal as rounded, also as a percentage or a share.

    The prediction is compared with the reference, a hundredth of it and a hundred times it. Nearly equal is within a
    share of the larger one; rounding goes to the decimals of the number with fewer, two at least.

    Args:
        relative: The share of the larger number that the two may differ by.

    Examples:
        >>> same_quantity(0.311, 0.31), same_quantity(31.0, 0.31), same_quantity(0.35, 0.31)
        (1.0, 1.0, 0.0)

    Source:
        MMESGBench, is_float_equal in eval_score.py. Small numbers round to the same: 0.31 accepts 0, through 0.0031.
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
    """Return how many digits follow the point as Python writes the number; 3 where it writes none."""
    text = str(number)
    return len(text.split(".")[-1]) if "." in text else 3
