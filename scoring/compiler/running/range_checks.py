"""Checks that scores are within the range that the steps before them declare."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from scoring.compiler.running.steps import ChainStep
from scoring.ranges import EVERYTHING, GREATEST, ScoreRange
from scoring.registry.pairs import floats
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored
from scoring.values import show_type


def checked_score(score: Any, bounds: ScoreRange) -> Any:
    """Return a comparator's score as a number that rescorers can take: a float within ``bounds``.

    Raises:
        Unscored: when it is not a number, is NaN, or is out of range.
    """
    if type(score) is float and bounds.low <= score <= bounds.high:
        return score
    found = _within(score, bounds)
    if found != found:
        raise Unscored("the score is not a number (NaN), so nothing can be computed from it")
    return found


def score_in_range(score: Any, bounds: ScoreRange) -> Any:
    """Return the score as a float within ``bounds``; a complex score is returned as it is if the range is unbounded.

    Raises:
        Unscored: when it is not a number, is out of range, or is too large to count.
    """
    plain = _within(score, bounds)
    if not isinstance(plain, complex) and GREATEST < abs(plain) < math.inf:
        raise Unscored(f"the score {plain} is too large to count")
    return plain


def _within(score: Any, bounds: ScoreRange) -> Any:
    """Check and return a score like `score_in_range`, but of any size: a later step may make a large distance small."""
    if isinstance(score, complex) and bounds == EVERYTHING:
        return score
    if type(score) is Outcome:  # returned where another step raises
        if score.status == "not_applicable":
            raise NotApplicable(score.reason or "", score.value)
        if score.status != "scored":
            raise (Unparsed if score.status == "unparsed" else Unscored)(score.reason or "")
        score = score.value
    try:
        plain = float(score)
    except (TypeError, ValueError, OverflowError):
        raise Unscored(f"the pipeline gave {show_type(score)}, not a score") from None
    if bounds != EVERYTHING and not bounds.holds(plain):
        raise Unscored(f"the score {plain} lies outside {bounds}")
    return plain


def _all_within(bounds: ScoreRange, scores: Any) -> Any:
    """Return a column of scores as an array, if all of them are in a range.

    Raises:
        ValueError: when one is not, so that the scores are then checked one by one.
    """
    values = floats(scores)
    if not ((values >= bounds.low) & (values <= bounds.high)).all():
        raise ValueError(f"scores outside {bounds}")
    return values


def behind_check(step: ChainStep, bounds: ScoreRange) -> list[ChainStep]:
    """Return the steps that check that a score is within ``bounds`` and run ``step`` on it, combined if possible."""
    check, column = partial(checked_score, bounds=bounds), step.column
    if step.dynamic or column is None:
        return [ChainStep(check, column=partial(_all_within, bounds)), step]
    return [
        step._replace(run=lambda score: step.run(check(score)), column=lambda found: column(_all_within(bounds, found)))
    ]
