"""Confidence intervals of a statistic, and the bounds of a headline when unscored records counted 0 or 1.

Every interval depends on the units as a multiset and on the seed: not on the order of the records, nor on how many
processes scored them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

from scoring.late import dataclass
from scoring.statistics.clusters import cluster_draws, unit_draws
from scoring.statistics.jackknife import Jackknife
from scoring.statistics.moments import MomentStatistic
from scoring.statistics.resampling import Draws, generator_for, resample
from scoring.statistics.statistic import Statistic, SumStatistic

NORMAL = NormalDist()

Method: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal"]

MANY = 100
"""Where a resample of a function of sums takes more numbers than this, "auto" takes the analytic form of BCa, which is
nearer to the interval of endless draws there than 2000 draws are: tests/unit/statistics/test_jackknife.py."""

WORK = 4_000_000
"""How many numbers "auto" draws for a figure that is no function of sums, before it draws fewer resamples."""

LEAST = 200
"""But so many it draws at least."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, and how it was made.

    Args:
        low: The lower limit.
        high: The upper limit.
        confidence: The share of such intervals that would cover the true value.
        method: How it was made.
        units: How many records, groups or clusters it rests on.
        resamples: How many resamples were drawn, where any were.
        note: Why it may cover more than it says, where the data are too few to tell; None where they are not.
    """

    low: float
    high: float
    confidence: float
    method: str
    units: int
    resamples: int | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The interval as plain data."""
        return {
            "low": self.low, "high": self.high, "confidence": self.confidence, "method": self.method,
            "units": self.units, "resamples": self.resamples, "note": self.note,
        }  # fmt: skip


def interval(
    statistic: Statistic,
    *,
    name: str = "",
    seed: int = 0,
    method: Method = "auto",
    confidence: float = 0.95,
    resamples: int = 2000,
    clusters: Mapping[Any, Any] | None = None,
) -> Interval | None:
    """The confidence interval of a statistic, None where it has no value or fewer than two units.

    Args:
        statistic: The merged statistic of the whole data set.
        name: Names the stream of random numbers; figures of one stream that have equally many units share draws.
        seed: The seed of the run.
        method: "auto" takes Wilson's interval for a share of records; for what is a function of sums BCa where it is
            defined, in its analytic form ("abc") for many different units; else percentiles, moved onto the value
            ("centred") where drawing a unit twice moves the figure by itself.
        confidence: The share of intervals that would cover the true value.
        resamples: How many times the bootstrap draws; with "auto" at most, and the interval says how many it drew.
        clusters: The cluster of each unit by its key (its document, say); whole clusters are then drawn, and a
            unit without one is drawn for itself.

    Raises:
        ValueError: when the method is for shares of independent records, and the statistic is none.

    Examples:
        >>> from scoring.metrics.summary import accuracy
        >>> from scoring.statistics.rows import Rows
        >>> found = interval(accuracy(Rows.of_scores([1.0] * 8 + [0.0] * 2)), name="accuracy")
        >>> found.method, round(found.low, 3), round(found.high, 3)
        ('wilson', 0.49, 0.943)
    """
    statistic = statistic.finished()
    value = statistic.value()
    if value is None:
        return None
    share = statistic.is_proportion and clusters is None
    if method in ("wilson", "clopper_pearson") and not share:
        raise ValueError(f"{method} intervals are for shares of independent records")
    if share and method in ("auto", "wilson", "clopper_pearson"):
        return _of_share(statistic, value, "wilson" if method == "auto" else method, confidence)
    if isinstance(statistic, MomentStatistic):
        return _of_moments(statistic, value, confidence)
    plan = unit_draws(statistic) if clusters is None else cluster_draws(statistic, clusters)
    if plan.total < 2:
        return None
    levels = [0.5 - confidence / 2.0, 0.5 + confidence / 2.0]
    smooth = Jackknife.of(statistic, plan) if isinstance(statistic, SumStatistic) else None
    if smooth is not None and (method == "normal" or (method == "auto" and plan.cost > MANY)):
        used, (low, high) = smooth.limits(levels, analytic=method == "auto")
        return Interval(low, high, confidence, used, plan.total)
    lines = _affordable(statistic, plan, resamples) if method == "auto" and smooth is None else resamples
    draws = _draws(statistic, plan, seed, name, lines, directly=clusters is None and smooth is None)
    if not len(draws):
        return None
    used, low, high = _of_draws(statistic, value, draws, levels, None if method == "percentile" else smooth)
    return Interval(low, high, confidence, used, plan.total, lines)


def _of_draws(
    statistic: Statistic, value: float, draws: Any, levels: list[float], smooth: Jackknife | None
) -> tuple[str, float, float]:
    """The limits that draws give, and how: corrected for bias where a jackknife can tell, or moved onto the value."""
    import numpy as np

    used = "percentile"
    if smooth is not None:
        shifted = smooth.bca_levels(draws, levels)
        used, levels = ("percentile", levels) if shifted is None else ("bca", shifted)
    if statistic.centred is not None:
        used, draws = "centred", np.clip(draws + (value - draws.mean()), *statistic.centred)
    low, high = quantiles(draws, levels)
    return used, low, high


def quantiles(values: Any, levels: Iterable[float]) -> list[float]:
    """What shares of some values lie below, to the bit as `np.quantile` has it, which waits for masked arrays first.

    Examples:
        >>> import numpy as np
        >>> quantiles(np.array([3.0, 1.0, 2.0]), [0.25, 0.5])
        [1.5, 2.0]
    """
    import numpy as np

    ranked = np.sort(values)
    found = []
    for level in levels:
        place = (len(ranked) - 1) * float(level)
        first = int(place)
        low, high, part = float(ranked[first]), float(ranked[min(first + 1, len(ranked) - 1)]), place - first
        # From the nearer end, so that the limits themselves come out exactly.
        found.append(high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part)
    return found


def _affordable(statistic: Statistic, plan: Draws, resamples: int) -> int:
    """How many resamples a figure is worth that has no analytic interval."""
    cost = statistic.resample_cost or plan.cost
    return min(resamples, max(LEAST, WORK // cost))


def _draws(statistic: Statistic, plan: Draws, seed: int, name: str, lines: int, *, directly: bool) -> Any:
    """The figure of some resamples, without those in which it is undefined."""
    found = statistic.resampled(generator_for(seed, name), lines) if directly else None
    if found is None:
        found = resample(plan, seed, name, lines)
    return found[found == found]


def _of_moments(statistic: MomentStatistic, value: float, confidence: float) -> Interval | None:
    """The normal interval, which needs sums alone."""
    error = statistic.error()
    if error is None or statistic.count < 2:
        return None
    half = NORMAL.inv_cdf(0.5 + confidence / 2.0) * error
    return Interval(value - half, value + half, confidence, "normal", statistic.count)


def _of_share(statistic: Statistic, value: float, method: str, confidence: float) -> Interval | None:
    n = statistic.count
    if not n:
        return None
    limits = wilson if method == "wilson" else clopper_pearson
    low, high = limits(round(value * n), n, confidence)
    return Interval(low, high, confidence, method, n)


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Examples:
        >>> [round(limit, 4) for limit in wilson(8, 10)]
        [0.4902, 0.9433]

    Source:
        Wilson: Probable Inference, the Law of Succession, and Statistical Inference (1927).
    """
    z = NORMAL.inv_cdf(0.5 + confidence / 2.0)
    p, scale = successes / n, 1.0 + z * z / n
    middle = (p + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half) if successes else 0.0, min(1.0, middle + half) if successes < n else 1.0


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share, which never covers less than it says.

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
