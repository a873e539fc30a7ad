"""Format numbers for people to read, and give the ranks by which tables sort them."""

from __future__ import annotations

import math
from typing import Any

NOTHING = "–"


def format_score(value: Any) -> str:
    """Return a score as text with four decimals, "–" for None, and any other value as plain text.

    Examples:
        >>> format_score(0.81234), format_score(1), format_score(None), format_score({"$float": "nan"})
        ('0.8123', '1.0000', '–', 'nan')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.4f}"
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        return str(inner)
    return str(value)


def percent(share: float | None) -> str:
    """Return a share of 1 as a percentage, "–" for None; "100%" only when it is exactly 1.

    Examples:
        >>> percent(1), percent(0.99999), percent(0.5), percent(None)
        ('100%', '99.9%', '50.0%', '–')
    """
    if share is None:
        return NOTHING
    if share == 1:
        return "100%"
    return f"{min(share * 100, 99.9):.1f}%"


def weight(value: Any) -> str:
    """Return a weight as text without needless decimals, "–" for None."""
    return f"{value:g}" if isinstance(value, (int, float)) else format_score(value)


def signed(value: float | None) -> str:
    """Return a difference as text with its sign and four decimals, "–" for None."""
    return NOTHING if value is None else f"{value:+.4f}"


def format_interval(ends: Any) -> str:
    """Return an interval as text: its two ends, after its level if given; "" without ends.

    Examples:
        >>> format_interval((0.4, 0.6, 0.95)), format_interval((0.4, 0.6)), format_interval(None)
        ('95% [0.4000, 0.6000]', '[0.4000, 0.6000]', '')
    """
    if not ends:
        return ""
    low, high, *level = ends
    share = f"{level[0] * 100:g}% " if level and level[0] else ""
    return f"{share}[{format_score(low)}, {format_score(high)}]"


def figure(kind: str, value: Any) -> str:
    """Return the text of a table's cell, given the kind of its column, any but "text".

    Examples:
        >>> figure("times", 3), figure("count", None), figure("share", 0.5), figure("change", (None, 0.5))
        ('3 ×', '', '50.0%', '– → 0.5000')
        >>> figure("weight", 2.0), figure("difference", 0.5), figure("difference", None)
        ('2', '+0.5000', '–')
    """
    if kind in _COUNTS:
        return "" if value is None else f"{value}{_COUNTS[kind]}"
    return " → ".join(map(format_score, value)) if kind == "change" else _WRITERS[kind](value)


_COUNTS = {"count": "", "times": " ×"}
_WRITERS = {
    "number": format_score,
    "share": percent,
    "weight": weight,
    "interval": format_interval,
    "difference": signed,
}


def rank(kind: str, value: Any) -> float | None:
    """Return the number by which a table sorts a value in a column of the kind `kind`, None if it has none.

    Examples:
        >>> rank("share", 0.5), rank("change", (0.25, 1.0)), rank("interval", (0.4, 0.6)), rank("number", None)
        (0.5, 0.75, 0.4, None)
    """
    if kind == "interval":
        value = value[0] if value else None
    elif kind == "change":
        known = all(isinstance(end, (int, float)) for end in value)
        value = value[1] - value[0] if known else None
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
