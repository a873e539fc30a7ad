"""Rescorers that compare a score with a threshold, or transform its scale."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.ranges import ScoreRange, as_range
from scoring.registry import OfScore, batch, bounds, primitive
from scoring.registry.pairs import floats
from scoring.values import Score


@primitive(laws=("monotone",), topics=("scores",), aka=("clip below", "hard threshold"))
def cutoff(score: Score, /, *, threshold: OfScore) -> Score:
    """Return a score that reaches the threshold unchanged, and 0 for any other.

    Args:
        threshold: The smallest score that is kept; lower ones become 0.

    Examples:
        >>> cutoff(0.4, threshold=0.5), cutoff(0.5, threshold=0.5)
        (0.0, 0.5)

    Source:
        As used in ANLS*, which keeps a similarity of exactly its threshold, and MEGA-Bench metrics
        README, near_str_match.
    """
    return score if score >= threshold else 0.0


@primitive(laws=("monotone",), topics=("scores",), aka=("strictly greater",))
def above(score: Score, /, *, threshold: OfScore) -> Score:
    """Return a score strictly above the threshold unchanged, and 0 for any other.

    Args:
        threshold: The largest score that becomes 0.

    Examples:
        >>> above(0.5, threshold=0.5), above(0.6, threshold=0.5)
        (0.0, 0.6)

    Source:
        ANLS as published: a normalised distance of exactly the threshold scores 0 (Biten et al. 2019, ST-VQA, eq. 1).
    """
    return score if score > threshold else 0.0


@primitive(laws=("monotone",), topics=("scores",), aka=("binarize", "threshold"))
def at_least(score: Score, /, *, threshold: OfScore) -> Score:
    """Return 1 for a score that reaches the threshold, else 0.

    Args:
        threshold: The smallest score that counts.

    Examples:
        >>> at_least(0.9, threshold=0.9), at_least(0.89, threshold=0.9)
        (1.0, 0.0)
    """
    return 1.0 if score >= threshold else 0.0


@primitive(laws=("antitone",), topics=("scores",), aka=("no more than", "up to"))
def at_most(score: Score, /, *, threshold: OfScore) -> Score:
    """Return 1 for a score that does not exceed the threshold, else 0; meant for errors and distances.

    Args:
        threshold: The largest score that counts.

    Examples:
        >>> at_most(0.05, threshold=0.05), at_most(0.06, threshold=0.05)
        (1.0, 0.0)
    """
    return 1.0 if score <= threshold else 0.0


@primitive(laws=("monotone",), topics=("scores",))
def more_than(score: Score, /, *, threshold: OfScore) -> Score:
    """Return 1 for a score strictly above the threshold, else 0.

    Args:
        threshold: The largest score that does not count.

    Examples:
        >>> more_than(0.8, threshold=0.8), more_than(0.81, threshold=0.8)
        (0.0, 1.0)
    """
    return 1.0 if score > threshold else 0.0


def _declare(plain: Callable[..., Any], holds: Callable[[Any, Any], Any], *, keeps: bool) -> None:
    """Register the batch form and the score range of a rescorer with a threshold.

    Args:
        plain: The rescorer.
        holds: The comparison of a score with the threshold.
        keeps: Whether a score for which the comparison holds is kept or becomes 1; any other score becomes 0.
    """

    @batch(plain)
    def _(scores: Any, *, threshold: float) -> Any:
        array = floats(scores)
        return np.where(holds(array, threshold), array if keeps else 1.0, 0.0)

    @bounds(plain)
    def _(score: ScoreRange, *, threshold: ScoreRange) -> ScoreRange:
        ends, limits = (score.low, score.high), (threshold.high, threshold.low)
        if holds is operator.le:
            ends, limits = ends[::-1], limits[::-1]
        always, ever = map(holds, ends, limits)
        if not keeps:
            return ScoreRange(float(always), float(ever))
        if always or not ever:
            return score if always else as_range(0.0)
        return ScoreRange(max(score.low, threshold.low), score.high).hull(0.0)


_declare(cutoff, operator.ge, keeps=True)
_declare(above, operator.gt, keeps=True)
_declare(at_least, operator.ge, keeps=False)
_declare(at_most, operator.le, keeps=False)
_declare(more_than, operator.gt, keeps=False)
