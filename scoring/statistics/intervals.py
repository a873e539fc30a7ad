"""Confidence intervals of a statistic, and the bounds of a headline when unscored records counted 0 or 1.

Every interval depends on the units as a multiset, the seed and the name only: not on the order of the records, nor
on how many processes scored them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scoring.statistics.clusters import Draws, cluster_draws, unit_draws
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, SumStatistic

Method: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal"]

MANY = 50_000
"""From so many units on "auto" takes the normal approximation: the bootstrap's intervals are equal to it there."""

CELLS = 2_000_000
"""How many numbers one chunk of resamples may hold."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, and how it was made."""

    low: float
    high: float
    confidence: float
    method: str
    units: int
    resamples: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The interval as plain data."""
        return {
            "low": self.low, "high": self.high, "confidence": self.confidence, "method": self.method,
            "units": self.units, "resamples": self.resamples,
        }  # fmt: skip


def interval(
    statistic: Statistic,
    *,
    name: str,
    seed: int = 0,
    method: Method = "auto",
    confidence: float = 0.95,
    resamples: int = 2000,
    clusters: Mapping[Any, Any] | None = None,
) -> Interval | None:
    """The confidence interval of a statistic, None where it has no value or fewer than two units.

    Args:
        statistic: The merged statistic of the whole data set.
        name: Names the figure; each figure gets its own stream of random numbers.
        seed: The seed of the run.
        method: "auto" takes Wilson's interval for a share of records, else BCa where it is defined, and the
            normal approximation (by the jackknife) for very many records.
        confidence: The share of intervals that would cover the true value.
        resamples: How many times the bootstrap draws.
        clusters: The cluster of each unit by its key (its document, say); whole clusters are then drawn, and a
            unit without one is drawn for itself.

    Examples:
        >>> from scoring.metrics.summary import accuracy
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
    plan = unit_draws(statistic, statistic.units) if clusters is None else cluster_draws(statistic, clusters)
    counts, total = plan.counts, int(plan.counts.sum())
    if total < 2:
        return None
    left_out = _left_out(statistic, plan)
    if left_out is not None and (method == "normal" or (method == "auto" and total >= MANY)):
        return _normal(value, left_out, counts, confidence)
    draws = _resample(plan, generator_for(seed, name), resamples)
    draws = draws[draws == draws]  # resamples in which the figure is undefined are NaN
    if not len(draws):
        return None
    levels = [0.5 - confidence / 2.0, 0.5 + confidence / 2.0]
    shifted = None
    if left_out is not None and method != "percentile":
        shifted = _bca_levels(left_out, counts, draws, value, levels)
    import numpy as np

    low, high = np.quantile(draws, levels if shifted is None else shifted)
    used = "percentile" if shifted is None else "bca"
    return Interval(float(low), float(high), confidence, used, total, resamples)


def bounds(metric: Callable[[Rows], Statistic], rows: Rows) -> tuple[float, float] | None:
    """The metric if every record without a score had 0, and if it had 1; None where it has no value.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> bounds(mean_score, Rows.of_scores([1.0, 0.5, None]))
        (0.5, 0.8333333333333334)
    """
    values = [metric(rows.with_unscored_as(value)).value() for value in (0.0, 1.0)]
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None


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
    from statistics import NormalDist

    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
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


def generator_for(seed: int, name: str) -> Any:
    """The random numbers of one figure."""
    import numpy as np

    digest = hashlib.sha256(name.encode()).digest()
    return np.random.Generator(np.random.PCG64([seed, int.from_bytes(digest[:8], "big")]))


def _resample(plan: Draws, generator: Any, resamples: int) -> Any:
    """The statistic of so many resamples, each as large as the data."""
    import numpy as np

    counts, total, size = plan.counts, int(plan.counts.sum()), len(plan.counts)
    # What is drawn and what is counted may differ in width; both must fit.
    step = max(1, CELLS // max(size, plan.units.shape[-1] if plan.units.ndim > 1 else 1, 1))
    found = []
    for start in range(0, resamples, step):
        lines = min(step, resamples - start)
        if size * 4 < total:
            drawn = generator.multinomial(total, counts / total, size=lines)
        else:
            drawn = _draw(generator, counts, lines)
        found.append(plan.figure(drawn.astype(float)))
    return np.concatenate(found)


def _draw(generator: Any, counts: Any, lines: int) -> Any:
    """The same as a multinomial draw, faster where most units differ."""
    import numpy as np

    size, total = len(counts), int(counts.sum())
    owner = np.repeat(np.arange(size), counts)
    drawn = np.empty((lines, size), dtype=np.int64)
    step = max(1, CELLS // total)
    for start in range(0, lines, step):
        some = min(step, lines - start)
        picks = owner[generator.integers(0, total, size=(some, total))] + size * np.arange(some)[:, None]
        drawn[start : start + some] = np.bincount(picks.ravel(), minlength=some * size).reshape(some, size)
    return drawn


def _left_out(statistic: Statistic, plan: Draws) -> Any:
    """The values with one unit left out; None where that is undefined."""
    import numpy as np

    if not isinstance(statistic, SumStatistic):
        return None
    units, counts = plan.units, plan.counts
    sums = (units * counts[:, None]).sum(axis=0)
    values = np.asarray(statistic.finish(*(sums - units).T), dtype=float)
    return None if np.isnan(values).any() else values


def _normal(value: float, left_out: Any, counts: Any, confidence: float) -> Interval:
    from statistics import NormalDist

    total = int(counts.sum())
    off = left_out - (left_out * counts).sum() / total
    error = math.sqrt((total - 1) / total * float((counts * off**2).sum()))
    half = NormalDist().inv_cdf(0.5 + confidence / 2.0) * error
    return Interval(value - half, value + half, confidence, "normal", total)


def _bca_levels(left_out: Any, counts: Any, draws: Any, value: float, levels: list[float]) -> list[float] | None:
    """The quantiles that correct for bias and skew; None where the correction is undefined."""
    from statistics import NormalDist

    normal = NormalDist()
    below = float((draws < value).mean() + (draws == value).mean() / 2)
    off = (left_out * counts).sum() / counts.sum() - left_out
    squares = float((counts * off**2).sum())
    if not 0.0 < below < 1.0 or squares <= 0.0:
        return None
    skew, bias = float((counts * off**3).sum() / (6.0 * squares**1.5)), normal.inv_cdf(below)
    shifted = []
    for level in levels:
        z = bias + normal.inv_cdf(level)
        divisor = 1.0 - skew * z
        if divisor <= 0.0:
            return None
        shifted.append(normal.cdf(bias + z / divisor))
    return shifted
