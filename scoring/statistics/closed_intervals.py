"""Confidence intervals in closed form, from sums over all units: of shares, means, and ratios within their range.

Any other interval is computed from the units themselves, see `scoring.statistics.intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from scoring.statistics.moments import Ratio, plain_ratio
from scoring.statistics.plausible import FEWEST_FREE, Estimate, plausible_interval, trials_of
from scoring.statistics.proportions import NORMAL, clopper_pearson, guarded, wilson
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.statistics.strata import Strata

Method: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal"]
Ends: TypeAlias = tuple[float, float]

UNIT: Ends = (0.0, 1.0)

SCARCE = 5
"""With at most this many of one kind, steps between counts are too large for any interval to keep its level exactly."""

RARE = "few of one kind, so it may cover more"
UNSEEN = "few units, so it may cover more or less"
FEW = "few of the kind it rests on, so it may cover more or less"
CLOSE = "one score far off would lie beyond it, so it may cover less"
ALIKE = "all alike, so it may cover more"


class Interval(Struct, frozen=True):
    """A confidence interval, and the method by which it was computed.

    Args:
        low: The lower limit.
        high: The upper limit.
        confidence: The share of such intervals that would cover the true value.
        method: The method by which it was computed.
        units: Number of records, groups or clusters that it is based on.
        resamples: Number of resamples, None if none were drawn.
        note: A reason why its coverage may differ from ``confidence``, such as too little data; None if there is none.
    """

    low: float
    high: float
    confidence: float
    method: str
    units: int
    resamples: int | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the interval as plain data."""
        return asdict(self)


class IntervalWanted(Struct, frozen=True):
    """The requested properties of an interval.

    Args:
        name: The name of the stream of random numbers; figures of one stream with equally many units share draws.
        seed: The seed of the run.
        method: "auto" chooses by the data: Wilson's interval for a share of records, the "bounded" one for other
            figures with a finite range, the "unbounded" one for those without, ranks for quantiles, and resamples for
            figures on which single units have no smooth influence. If a method named here gives no interval, or one
            without width, as resamples of equal units do, the method is chosen as for "auto".
        confidence: The share of intervals that would cover the true value.
        resamples: Number of bootstrap resamples; with "auto" it is a maximum, and the interval states the number.
        clusters: The cluster of each unit by its key (for example, its document); a unit without one is one by itself.
        strata: The strata within which units are resampled, as returned by `in_strata` together with the statistic.
        limits: The range of possible values of the figure; an end may be infinite.
    """

    name: str = ""
    seed: int = 0
    method: Method = "auto"
    confidence: float = 0.95
    resamples: int = 2000
    clusters: Mapping[Any, Any] | None = None
    strata: Strata | None = None
    limits: Ends = UNIT

    @property
    def levels(self) -> list[float]:
        """The levels of the two quantiles that are the limits of the interval, such as 0.025 and 0.975."""
        return [0.5 - self.confidence / 2.0, 0.5 + self.confidence / 2.0]

    @property
    def is_plain(self) -> bool:
        """Whether units are resampled separately, without clusters or strata."""
        return self.clusters is None and self.strata is None


def closed_spread(statistic: Statistic, wanted: IntervalWanted) -> Interval | str | None:
    """Return a finished statistic's confidence interval, or why it has none; None if it takes the units themselves.

    Raises:
        ValueError: when the method is for shares of independent records, and the statistic is not such a share.
    """
    if statistic.value() is None:
        return "it has no value"
    if wanted.limits[0] == wanted.limits[1]:
        return "it can have no other value"
    is_closed = wanted.method in ("auto", "wilson", "clopper_pearson")
    ratio = plain_ratio(statistic) if wanted.is_plain and is_closed else None
    if not is_closed or wanted.method == "auto":
        return None if ratio is None else of_ratio(ratio, wanted)
    if ratio is None or not ratio.is_share(UNIT):
        raise ValueError(f"{wanted.method} intervals are for shares of independent records")
    limits = wilson if wanted.method == "wilson" else clopper_pearson
    low, high = limits(ratio.successes(UNIT), ratio.count, wanted.confidence)
    return Interval(low, high, wanted.confidence, wanted.method, ratio.count)


def is_share(statistic: Statistic) -> bool:
    """Return whether a figure is the mean of independent records that are all 0 or 1.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> from scoring.statistics.rows import Rows
        >>> is_share(mean_score(Rows.of_scores([1.0, 0.0]))), is_share(mean_score(Rows.of_scores([1.0, 0.5])))
        (True, False)
    """
    ratio = plain_ratio(statistic.finished())
    return ratio is not None and ratio.is_share(UNIT)


def of_ratio(ratio: Ratio, wanted: IntervalWanted) -> Interval | None:
    """Return the interval of a ratio of two sums, such as a mean or a share; None if it may be outside its range."""
    if ratio.is_equal and ratio.is_share(wanted.limits):
        return of_share(ratio, wanted)
    return of_estimate(ratio.estimate(), ratio.count, wanted) if ratio.is_within(wanted.limits) else None


def of_share(ratio: Ratio, wanted: IntervalWanted) -> Interval:
    """Return the interval of a share: Wilson's, widened if an exact test does not reject values outside it."""
    n, successes = ratio.count, ratio.successes(wanted.limits)
    low, high = guarded(successes, n, wanted.confidence)
    method = "wilson" if (low, high) == wilson(successes, n, wanted.confidence) else "score"
    start, width = wanted.limits[0], wanted.limits[1] - wanted.limits[0]
    rarer = min(successes, n - successes)
    note = None if rarer > SCARCE else RARE if rarer else ALIKE
    return Interval(start + low * width, start + high * width, wanted.confidence, method, n, note=note)


def of_estimate(estimate: Estimate, count: int, wanted: IntervalWanted, resamples: int | None = None) -> Interval:
    """Return the interval of a figure with an estimated variance; the interval states ``count`` and ``resamples``."""
    if not all(map(math.isfinite, wanted.limits)):
        half = NORMAL.inv_cdf(wanted.levels[1]) * math.sqrt(estimate.variance)
        low, high = max(estimate.value - half, wanted.limits[0]), min(estimate.value + half, wanted.limits[1])
        return Interval(low, high, wanted.confidence, "normal", count, resamples)
    low, high, unseen = plausible_interval(estimate, wanted.limits, wanted.confidence)
    alike = estimate.variance * estimate.units <= 1e-14 * (wanted.limits[1] - wanted.limits[0]) ** 2
    trials = trials_of(estimate, wanted.limits)
    few = not estimate.is_mean and trials < FEWEST_FREE
    # If all scores are close together, the data do not show the effect of one score at the far end of the range.
    far = max(estimate.value - wanted.limits[0], wanted.limits[1] - estimate.value) / (estimate.units + 1.0)
    close = estimate.is_mean and far > (high - low) / 2.0
    note = FEW if few and trials < count else ALIKE if alike else UNSEEN if few or unseen else CLOSE if close else None
    return Interval(low, high, wanted.confidence, "bounded", count, resamples, note)
