"""MEGA-Bench as released: how its metrics compare numbers."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.result import NotApplicable, Unscored
from scoring.values import Score, show_type


@primitive
def megabench_upstream_relative_closeness(prediction: Any, reference: Any, /) -> Score:
    """1 minus the relative error, not below 0; the reference must be a number written as text.

    Examples:
        >>> megabench_upstream_relative_closeness("9", "10")
        0.9

    Source:
        MEGA-Bench, released code, number_rel_diff_ratio.
    """
    found: Any = (
        _literal(prediction) if isinstance(prediction, str) or not isinstance(prediction, Number) else prediction
    )
    if type(found) is not float and not isinstance(found, Number):
        return 0.0
    wanted = _literal(reference)
    return max(0.0, 1 - math.fabs((found - wanted) / wanted))  # complex numbers raise


@primitive
def megabench_upstream_positive_int_match(prediction: Any, reference: Any, /) -> Score:
    """Whether two integers written as text are equal; nothing to score where both are 0 or less.

    Examples:
        >>> megabench_upstream_positive_int_match("2", "2"), megabench_upstream_positive_int_match(2, "2")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, positive_int_match.
    """
    if not isinstance(prediction, str):
        return 0.0
    try:
        found = read_literal(prediction)
    except (SyntaxError, ValueError):
        return 0.0
    if not reference:
        return 0.0
    wanted = _literal(reference)
    if not isinstance(wanted, int):
        raise Unscored("the released code fails here: the reference is not an integer")
    if not isinstance(found, int):
        return 0.0
    if found <= 0 and wanted <= 0:
        raise NotApplicable("both integers are 0 or less", mark=-1.0)
    return float(found == wanted)


def _literal(value: Any) -> Any:
    """What the released code reads from a text; it can't read anything else."""
    if not isinstance(value, str):
        raise Unscored(f"the released code fails here: it reads texts only, and this is {show_type(value)}")
    return read_literal(value)
