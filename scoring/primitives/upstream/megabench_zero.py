"""MEGA-Bench as released: a metric that raises counts 0."""

from __future__ import annotations

from collections.abc import Callable

from scoring.result import Unscored


def zero_on_error(metric: Callable[..., float], *values: object) -> float:
    """The metric's score, or the 0 that the released caller puts in place of any exception.

    ``Unscored`` goes through: what our side can't score (a missing extra, no judge) is no fault of the answer.
    """
    try:
        score = metric(*values)
    except Unscored:
        raise
    except Exception:  # the released caller catches exactly this
        return 0.0
    return score if isinstance(score, float) else float(score)
