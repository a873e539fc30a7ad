"""The plausible values of a figure given the observed data: means under random weights, in closed form.

Random weights for all observed values (the Bayesian bootstrap) show how far a mean might be off, but don't account for
values that were not observed. So two values are added, one at either end of the possible range, or, if that is far
away, at a few times the distance of the observed values. The mean, spread and skew of means under such (Dirichlet)
weights have a closed form, from which the limits below are computed; nothing is drawn.

Source:
    Rubin: The Bayesian Bootstrap (1981). Learned-Miller, Thomas: A New Confidence Interval for the Mean of a Bounded
    Random Variable, arXiv:1905.06208, for the value at the end of the range, which they bring to an exact bound. With
    half a value at either end and scores of 0 and 1 this is Jeffreys' interval: Brown, Cai, DasGupta: Interval
    Estimation for a Binomial Proportion (2001).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from scoring.statistics.exact import ExactSum
from scoring.statistics.proportions import NORMAL, score_limits

FEWEST = 10
"""With fewer units, unobserved values may be at the very end of the range, however close together the units are."""

FEWEST_FREE = 12
"""With fewer units of a figure without a range, unobserved values are assumed to be further away."""


class MeanShape(NamedTuple):
    """The distribution of plausible values, given by its mean, standard deviation and skew."""

    mean: float
    spread: float
    skew: float

    def at(self, level: float) -> float:
        """Return the quantile of the plausible values at a level.

        Source:
            Wilson, Hilferty: The Distribution of Chi-Square (1931).
        """
        z, skew = NORMAL.inv_cdf(level), self.skew
        bent = z if abs(skew) < 1e-6 else 2.0 / skew * ((1.0 + skew * z / 6.0 - skew * skew / 36.0) ** 3 - 1.0)
        return self.mean + self.spread * bent

    def below(self, value: float) -> float:
        """Return the share of the plausible values below a value; the inverse of ``at``."""
        skew, off = self.skew, (value - self.mean) / self.spread
        if abs(skew) < 1e-6:
            return NORMAL.cdf(off)
        root = math.cbrt(1.0 + skew * off / 2.0)
        return NORMAL.cdf((root - 1.0 + skew * skew / 36.0) * 6.0 / skew)


class Estimate(NamedTuple):
    """A figure with its variance and the effective number of units of equal weight.

    ``is_mean`` states that it is the mean of these units, whose variance is then limited by that of units at the ends
    of the range. For any other figure, a variance above that limit means that it is based on fewer units than counted.
    """

    value: float
    variance: float
    units: float
    is_mean: bool = True


def plausible_interval(
    estimate: Estimate, limits: tuple[float, float], confidence: float = 0.95
) -> tuple[float, float, bool]:
    """Return the interval of a figure with a finite range, and whether it depends much on unobserved values.

    Half a value is assumed beyond the observed ones on either side. Its distance depends on the figure's distance from
    the ends: scores near an end come from a skewed distribution, whose long tail may not show in a few of them. The
    plausible means have the mean and variance under random weights, and the shape of a beta distribution. If almost all
    units are at the two ends, Wilson's interval, with the number of trials that fits the variance, may be wider, and is
    then used.

    Examples:
        >>> low, high, unseen = plausible_interval(Estimate(0.8, 0.001, 50.0), (0.0, 1.0))
        >>> round(low, 3), round(high, 3), unseen
        (0.727, 0.856, False)

    Source:
        Korn, Graubard: Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated
        from Survey Data (1998), for the number of trials.
    """
    below, above = limits
    width, z = above - below, NORMAL.inv_cdf(0.5 + confidence / 2.0)
    mean = min(max((estimate.value - below) / width, 0.0), 1.0)
    most = mean * (1.0 - mean)
    n = trials_of(estimate, limits)
    # Units between 0 and 1 have at most the variance of units that are 0 or 1.
    variance = min(estimate.variance / width**2 * n, most * n / max(n - 1.0, 0.5))
    ends = _ends(mean, variance, n, z)
    middle = (n * mean + 0.5 * sum(ends)) / (n + 1.0)
    unseen = 0.5 * sum((end - middle) ** 2 for end in ends)
    seen = max(n - 1.0, 0.0) * variance + n * (mean - middle) ** 2
    size = max(middle * (1.0 - middle) * (n + 1.0) * (n + 2.0) / (seen + unseen) - 1.0, 1e-3)
    tails = [_beta_quantile(middle * size, (1.0 - middle) * size, z * way) for way in (-1.0, 1.0)]
    trials = most / variance * n if variance > 1e-14 else n
    score = score_limits(mean, trials, z * (1.0 + 1.0 / n))
    low, high = min(tails[0], score[0]), max(tails[1], score[1])
    return below + low * width, below + high * width, unseen > 0.5 * seen or n < FEWEST


def trials_of(estimate: Estimate, limits: tuple[float, float]) -> float:
    """Return the number of trials behind a figure with a range: its units, or fewer if its variance is too great.

    Examples:
        >>> trials_of(Estimate(0.5, 0.05, 100.0), (0.0, 1.0)), trials_of(Estimate(0.5, 0.05, 100.0, False), (0.0, 1.0))
        (100.0, 6.0)
    """
    if estimate.is_mean or estimate.variance <= 0.0:
        return estimate.units
    below, above = limits
    most = max(estimate.value - below, 0.0) * max(above - estimate.value, 0.0)
    return min(estimate.units, 1.0 + most / estimate.variance)


def _ends(mean: float, variance: float, n: float, z: float) -> tuple[float, float]:
    """Return the assumed positions, from 0 to 1, of an unobserved value below and of one above the observed ones.

    ``mean``, ``variance`` and the number ``n`` are those of observed values; ``z`` is the level as a normal quantile.
    """
    spread = math.sqrt(variance)
    if spread < 1e-7 or n < FEWEST:
        return 0.0, 1.0
    # At this distance they widen the interval of a normal distribution as Student's t does, for any level.
    bend = (z * z + 1.0) / 2.0
    reach = spread * math.sqrt(4.0 + bend + 30.0 / n * (bend / 2.42) ** 2)
    up, down = (1.0 + 2.5 * variance / max(gap, 1e-12) ** 2 for gap in (mean, 1.0 - mean))
    return max(0.0, mean - reach * down), min(1.0, mean + reach * up)


def _beta_quantile(a: float, b: float, z: float) -> float:
    """Return the quantile of a beta distribution at the level of the normal quantile ``z``, approximately."""
    total = a + b
    skew = 2.0 * (b - a) * math.sqrt(total + 1.0) / ((total + 2.0) * math.sqrt(a * b))
    level = NORMAL.cdf(z)
    found = MeanShape(a / total, math.sqrt(a * b / (total + 1.0)) / total, skew).at(level)
    # Near an end, the distribution function is a power of the distance, and the cube-root approximation fails.
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(total)
    least, most = (
        math.exp(min((math.log(tail * own) + log_beta) / own, 0.0)) for tail, own in ((level, a), (1.0 - level, b))
    )
    return min(max(found, least), 1.0 - most)


def free(values: Any, mean: float, widest: float = math.inf, *, moved: int | None = None) -> MeanShape | None:
    """Return the distribution of plausible means of values without a range, or with a range symmetric around 0.

    Args:
        values: The (pseudo-)value of the mean for each unit.
        mean: The mean.
        widest: The greatest possible distance of a value from 0, infinite if unknown.
        moved: For values that are changes, the number of those that are not 0: only these are informative.

    Returns:
        The distribution; None if neither a range nor differences between values show how far off others may be.
    """
    n, offs = len(values), values - mean
    # Exact sums, rounded once, have the same bits for any order of the units.
    second, third = (ExactSum.of(powers).value for powers in (offs * offs, offs * offs * offs))
    low, high = -widest, widest
    varied = second > n * (min(1e-14 * n, 1e-7) * mean) ** 2  # by more than rounding, of n units
    if math.isinf(widest) and not varied:
        return None
    if varied and (n >= 6 or math.isinf(widest)):
        # Large values are often few: their distance, not that of most values, shows how far the next may be.
        squares = (offs if moved is None else values) ** 2
        large = math.sqrt(ExactSum.of(squares * squares).value / (3.0 * ExactSum.of(squares).value))
        reach = math.sqrt(3.2 + 20.0 / n) * max(math.sqrt(second / (n - 1)), large)
        size = n if moved is None else moved
        reach *= 1.0 + 2.0 * max(FEWEST_FREE - size, 0) / size
        lean = (0.5 + 2.5 / n) * third / n / (second / n) ** 1.5
        low = max(low, mean - reach * (1.0 + max(-lean, 0.0)))
        high = min(high, mean + reach * (1.0 + max(lean, 0.0)))
    total = n + 2
    middle = (n * mean + low + high) / total
    off = mean - middle
    squares = second + n * off**2 + sum((end - middle) ** 2 for end in (low, high))
    cubes = third + 3.0 * off * second + n * off**3 + sum((end - middle) ** 3 for end in (low, high))
    spread = math.sqrt(squares / (total * (total + 1)))
    return MeanShape(middle, spread, 2.0 * cubes / (total * (total + 1) * (total + 2)) / spread**3)
