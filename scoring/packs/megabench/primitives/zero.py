"""MEGA-Bench as released: a metric that raises counts 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.depth import in_full_depth
from scoring.result import Unscored


def zero_on_error(metric: Callable[..., Any], *values: object) -> float:
    """The metric's score, or the 0 that the released caller puts in place of any exception.

    ``Unscored`` goes through: what our side can't score (a missing extra, no judge) is no fault of the answer.
    """
    try:
        score: Any = in_full_depth(metric, *values)
    except Unscored:
        raise
    except Exception:  # the released caller catches exactly this
        return 0.0
    number: float = score if isinstance(score, float) else _number(score)
    return number


def _number(score: Any) -> Any:
    """A plain number; one released metric gives a complex one for a complex answer, and it stays what it is."""
    return score if isinstance(score, complex) else float(score)
