"""Rescorers that compare a score with a threshold, or transform its scale."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from scoring.ranges import ScoreRange, as_range
from scoring.registry import OfScore, batch, bounds, primitive
from scoring.registry.pairs import floats
from scoring.values import Score

_Relation: TypeAlias = Callable[[Any, Any], Any]


@primitive(laws=("monotone",), topics=("scores",), aka=("cutoff", "clip below", "hard threshold"))
def zero_below(score: Score, /, *, threshold: OfScore, strict: bool = False) -> Score:
    """Return a score that reaches the threshold unchanged, and 0 for any other.

    Args:
        threshold: The smallest score that is kept; lower ones become 0.
        strict: Whether a score of exactly the threshold becomes 0, too.

    Examples:
        >>> zero_below(0.4, threshold=0.5), zero_below(0.5, threshold=0.5), zero_below(0.5, threshold=0.5, strict=True)
        (0.0, 0.5, 0.0)

    Source:
        As used in ANLS*, which keeps a similarity of exactly its threshold, and MEGA-Bench metrics
        README, near_str_match.
    """
    return score if (score > threshold if strict else score >= threshold) else 0.0


@primitive(laws=("monotone",), topics=("scores",), aka=("binarize", "threshold", "above", "more than"))
def at_least(score: Score, /, *, threshold: OfScore, strict: bool = False) -> Score:
    """Return 1 for a score that reaches the threshold, else 0.

    Args:
        threshold: The smallest score that counts.
        strict: Whether a score of exactly the threshold does not count.

    Examples:
        >>> at_least(0.9, threshold=0.9), at_least(0.89, threshold=0.9), at_least(0.9, threshold=0.9, strict=True)
        (1.0, 0.0, 0.0)
    """
    return float(score > threshold if strict else score >= threshold)


@primitive(laws=("antitone",), topics=("scores",), aka=("no more than", "up to", "below", "less than"))
def at_most(score: Score, /, *, threshold: OfScore, strict: bool = False) -> Score:
    """Return 1 for a score that does not exceed the threshold, else 0; meant for errors and distances.

    Args:
        threshold: The largest score that counts.
        strict: Whether a score of exactly the threshold does not count.

    Examples:
        >>> at_most(0.05, threshold=0.05), at_most(0.06, threshold=0.05), at_most(0.05, threshold=0.05, strict=True)
        (1.0, 0.0, 0.0)
    """
    return float(score < threshold if strict else score <= threshold)


def _declare(plain: Callable[..., Any], loose: _Relation, tight: _Relation, *, keeps: bool) -> None:
    """Register the batch form and the score range of a rescorer with a threshold.

    Args:
        plain: The rescorer.
        loose: The comparison of a score with the threshold.
        tight: The same where `strict` is true.
        keeps: Whether a score for which the comparison holds is kept or becomes 1; any other score becomes 0.
    """

    @batch(plain)
    def _(scores: Any, *, threshold: float, strict: bool = False) -> Any:
        import numpy as np

        array = floats(scores)
        return np.where((tight if strict else loose)(array, threshold), array if keeps else 1.0, 0.0)

    @bounds(plain)
    def _(score: ScoreRange, *, threshold: ScoreRange, strict: bool | None = None) -> ScoreRange:
        ends, limits = (score.low, score.high), (threshold.high, threshold.low)
        if loose is operator.le:
            ends, limits = ends[::-1], limits[::-1]
        # A `strict` that only a record gives may be either.
        always = (loose if strict is False else tight)(ends[0], limits[0])
        ever = (tight if strict else loose)(ends[1], limits[1])
        if not keeps:
            return ScoreRange(float(always), float(ever))
        if always or not ever:
            return score if always else as_range(0.0)
        return ScoreRange(max(score.low, threshold.low), score.high).hull(0.0)


_declare(zero_below, operator.ge, operator.gt, keeps=True)
_declare(at_least, operator.ge, operator.gt, keeps=False)
_declare(at_most, operator.le, operator.lt, keeps=False)
