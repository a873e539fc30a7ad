"""Intervals of shares: of how many of some records something is true."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

NORMAL = NormalDist()

RARE = 20
"""Up to this count of the rarer kind, an exact test checks whether Wilson's interval is wide enough; beyond, it is."""

LEEWAY = 1.4
"""The factor by which the error rate of an interval may exceed its nominal one: 7 % in place of 5 %."""


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Examples:
        >>> [round(limit, 4) for limit in wilson(8, 10)]
        [0.4902, 0.9433]

    Source:
        Wilson: Probable Inference, the Law of Succession, and Statistical Inference (1927).
    """
    low, high = score_limits(successes / n, n, NORMAL.inv_cdf(0.5 + confidence / 2.0))
    return low if successes else 0.0, high if successes < n else 1.0


def score_limits(p: float, n: float, z: float) -> tuple[float, float]:
    """Return the score interval: the proportions from which the observed one is at most z standard errors away; n may
    be fractional.

    Examples:
        >>> [round(limit, 4) for limit in score_limits(0.8, 10.0, 1.96)]
        [0.4902, 0.9433]
    """
    scale = 1.0 + z * z / n
    middle = (p + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # A share of none or of all lies at the very end, however the limit was rounded.
    return max(0.0, middle - half) if p > 0.0 else 0.0, min(1.0, middle + half) if p < 1.0 else 1.0


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share, which never covers less than it says.

    Examples:
        >>> [round(limit, 4) for limit in clopper_pearson(8, 10)]
        [0.4439, 0.9748]

    Source:
        Clopper, Pearson: The Use of Confidence or Fiducial Limits (1934).
    """
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1.0 - tail)) if successes < n else 1.0
    return low, high


def guarded(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval, and all that an exact test at a somewhat lower level keeps: it never covers much less.

    Wilson's alone covers as little as 83 % where one kind is rare. From 5 records on, an interval of 95 % with this
    guard covers at least 93 %, whatever the share. It covers more than 98 % only where fewer than 5 of one kind are to
    be expected: counts jump from one number to the next, and between two jumps no interval lies.

    Examples:
        >>> [round(limit, 4) for limit in guarded(4, 4)], [round(limit, 4) for limit in guarded(2, 5)]
        ([0.5101, 1.0], [0.0919, 0.7851])

    Source:
        Blaker: Confidence Curves and Improved Exact Confidence Intervals (2000), for the test; Brown, Cai, DasGupta:
        Interval Estimation for a Binomial Proportion (2001), for where Wilson's interval fails.
    """
    low, high = wilson(successes, n, confidence)
    level = LEEWAY * (1.0 - confidence)
    if n < 5 and successes in (0, n):  # there is no share left to guard but those near a half
        return low, high
    if 0 < successes <= RARE:
        low = min(low, _least_kept(successes, n, level))
    if 0 < n - successes <= RARE:
        high = max(high, 1.0 - _least_kept(n - successes, n, level))
    return low, high


def _least_kept(successes: int, n: int, level: float) -> float:
    """Return the least share that Blaker's test keeps: few successes have a chance above the level, the two tails
    together.

    The tail of as many successes or more grows with the share. The other tail holds the counts that are no likelier
    than it as a whole; with every count that enters, the chance jumps beyond the level, and between two jumps it falls
    at first and then rises. So the least share lies where it first rises to the level, or where the next count enters.
    """

    def upper(p: float) -> float:
        return 1.0 - _at_most(successes - 1, n, p)

    start = _first(lambda p: upper(p) > level / 2, 0.0, successes / n)
    end = _first(lambda p: upper(p) > level, 0.0, successes / n)
    count = -1
    while _at_most(count + 1, n, start) <= level / 2:
        count += 1
    rises = _first(lambda p: upper(p) + _at_most(count, n, p) > level, start, end)
    return min(rises, _first(lambda p: _at_most(count + 1, n, p) <= upper(p), start, end))


def _at_most(count: int, n: int, p: float) -> float:
    """Return the probability of at most `count` successes."""
    if count < 0:
        return 0.0
    term = total = math.exp(n * math.log1p(-p))
    for number in range(count):
        term *= (n - number) / (number + 1) * p / (1.0 - p)
        total += term
    return total


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return where something begins to hold that holds at the upper end."""
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
