"""Checks that scores lie within the range that the steps before them declare."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from scoring.compiler.running.steps import ChainStep
from scoring.ranges import EVERYTHING, GREATEST, ScoreRange
from scoring.registry.pairs import floats
from scoring.result import Unscored
from scoring.values import show_type


def checked_score(score: Any, bounds: ScoreRange) -> Any:
    """Return the score that a comparator gave, fit for the steps that follow.

    Raises:
        Unscored: when it is no number, or lies out of range.
    """
    if type(score) is float and bounds.low <= score <= bounds.high:
        return score
    found = _within(score, bounds)
    if found != found:
        raise Unscored("the score is not a number (NaN), so nothing can be computed from it")
    return found


def score_in_range(score: Any, bounds: ScoreRange) -> Any:
    """Return the score as a float that lies in a range; a complex score passes if the range is unbounded.

    Raises:
        Unscored: when it is no number, lies outside of the range, or is too large to count.
    """
    plain = _within(score, bounds)
    if not isinstance(plain, complex) and GREATEST < abs(plain) < math.inf:
        raise Unscored(f"the score {plain} is too large to count")
    return plain


def _within(score: Any, bounds: ScoreRange) -> Any:
    """Return the same, however large it is: a step that follows may make a small score of a great distance."""
    if isinstance(score, complex) and bounds == EVERYTHING:
        return score
    try:
        plain = float(score)
    except (TypeError, ValueError, OverflowError):
        raise Unscored(f"the pipeline gave {show_type(score)}, not a score") from None
    if bounds != EVERYTHING and not bounds.holds(plain):
        raise Unscored(f"the score {plain} lies outside {bounds}")
    return plain


def _all_within(bounds: ScoreRange, scores: Any) -> Any:
    """Return a column of scores as an array if all lie in a range; else None.

    Raises:
        ValueError: when one does not; each then says so for itself.
    """
    values = floats(scores)
    if not ((values >= bounds.low) & (values <= bounds.high)).all():
        raise ValueError(f"scores outside {bounds}")
    return values


def behind_check(step: ChainStep, bounds: ScoreRange) -> list[ChainStep]:
    """Return a step of the score, which gets no score that is out of range; in columns both look at one array."""
    check, column = partial(checked_score, bounds=bounds), step.column
    if step.dynamic or column is None:
        return [ChainStep(check, column=partial(_all_within, bounds)), step]
    return [
        step._replace(run=lambda score: step.run(check(score)), column=lambda found: column(_all_within(bounds, found)))
    ]
