"""Read from the files of runs which values of a figure are better, and tell how good a value is by that."""

from __future__ import annotations

from typing import Any

from scoring.ranges import Better


def better_of_json(value: Any) -> Better:
    """Return which values of a figure are better ("higher", "lower" or a target), as read from a JSON file; None if the
    value in the file is not valid.

    Examples:
        >>> better_of_json("lower"), better_of_json(0.5), better_of_json(["lower"]), better_of_json(True)
        ('lower', 0.5, None, None)
    """
    if isinstance(value, str):
        return "higher" if value == "higher" else "lower" if value == "lower" else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def quality(value: float, better: Better) -> float:
    """Return a number that is higher the better a value is, given which values are better; the value itself for None.

    Examples:
        >>> quality(0.25, "higher"), quality(0.25, "lower"), quality(0.75, 1.0)
        (0.25, -0.25, -0.25)
    """
    if isinstance(better, (int, float)):
        return -abs(value - better)
    return -value if better == "lower" else value
