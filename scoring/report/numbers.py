"""Numbers as people read them."""

from __future__ import annotations

from typing import Any


def score(value: Any) -> str:
    """A score with four decimals; other values as they are.

    Examples:
        >>> score(0.81234), score(1), score(None), score({"$float": "nan"})
        ('0.8123', '1.0000', '–', 'nan')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.4f}"
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        return str(inner)
    return str(value)


def percent(share: float | None) -> str:
    """A share as a percentage; 100% only when it is exactly that.

    Examples:
        >>> percent(1), percent(0.99999), percent(0.5), percent(None)
        ('100%', '99.9%', '50.0%', '–')
    """
    if share is None:
        return "–"
    if share == 1:
        return "100%"
    return f"{min(share * 100, 99.9):.1f}%"


def weight(value: Any) -> str:
    """A weight without needless decimals.

    Examples:
        >>> weight(2.0), weight(0.25)
        ('2', '0.25')
    """
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
