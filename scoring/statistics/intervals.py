"""Confidence intervals of a statistic, by a method that is chosen according to the data.

Every interval depends only on the multiset of units and on the seed, not on the order of the records or the number of
processes. docs/intervals.md describes the choice of methods, and benchmarks/coverage.py measures their coverage.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec.structs import replace

from scoring.statistics.closed_intervals import (
    ALIKE,
    FEW,
    RARE,
    UNSEEN,
    Interval,
    IntervalWanted,
    closed_spread,
    of_estimate,
    of_ratio,
    of_share,
)
from scoring.statistics.clusters import cluster_draws, unit_draws
from scoring.statistics.jackknife import Jackknife, influences, left_out
from scoring.statistics.moments import MomentStatistic, Ratio, times
from scoring.statistics.plausible import FEWEST_FREE, Estimate, free, trials_of
from scoring.statistics.proportions import NORMAL
from scoring.statistics.quantiles import QuantileStatistic
from scoring.statistics.resampling import Draws, generator_for, quantiles, resample
from scoring.statistics.statistic import Statistic, SumStatistic, divide
from scoring.statistics.strata import Strata

WORK = 4_000_000
"""Limit on the numbers that "auto" draws for a figure that is not a function of sums; beyond it, fewer resamples are
drawn."""

LEAST = 200
"""Minimum number of resamples that "auto" draws."""

OF_VARIANCE = 500
"""Limit on the resamples of which "auto" takes the variance alone; more would move the width by 3% at most times."""

FEWEST_MOVED = 5
"""Minimum number of units for an interval of a figure without a finite range."""

FEWEST_NO_RANGE = 200
"""With fewer units without a range, rare outliers, which influence the figure most, may be missing from the data."""

FEWEST_EVEN = 15
"""If the effective number of units that influence a figure without a range is less, the next unit may change it as
much."""

NO_RANGE = f"fewer than {FEWEST_NO_RANGE} units without a range, so it may cover more or less"
OUTWEIGHED = "a few units outweigh all others, so it may cover less"
FEW_OF_STRATUM = f"a stratum of fewer than {FEWEST_FREE} units, so it may cover more or less"
LEVEL = "ties: the scores around it are equal"
TIED = "ties: every resample has the same value"


def interval(statistic: Statistic, **wanted: Any) -> Interval | None:
    """Return the confidence interval of a statistic, None if it has none; the arguments are those of `spread_of`.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> from scoring.statistics.rows import Rows
        >>> found = interval(mean_score(Rows.of_scores([1.0] * 4)))
        >>> found.method, round(found.low, 2), found.high
        ('wilson', 0.51, 1.0)
    """
    found = spread_of(statistic, **wanted)
    return found if isinstance(found, Interval) else None


def spread_of(statistic: Statistic, **settings: Any) -> Interval | str:
    """Return a merged statistic's confidence interval, or why it has none; ``settings`` are fields of `IntervalWanted`.

    Raises:
        ValueError: when the method is for shares of independent records, and the statistic is not such a share.
    """
    wanted, statistic = IntervalWanted(**settings), statistic.finished()
    if statistic.no_interval:
        return statistic.no_interval
    found = closed_spread(statistic, wanted)
    return unit_spread(statistic, wanted) if found is None else found


def unit_spread(statistic: Statistic, wanted: IntervalWanted) -> Interval | str:
    """Return a finished statistic's interval computed from its units, where `closed_spread` has none, or why not."""
    value = statistic.value()
    assert value is not None
    requested = None if wanted.method == "auto" else _as_requested(statistic, value, wanted)
    return _chosen(statistic, value, wanted) if requested is None else requested


def _plan(statistic: Statistic, wanted: IntervalWanted) -> Draws:
    """Return the input for resampling the statistic's units, or their clusters, within strata if there are any."""
    if wanted.strata is not None:
        return wanted.strata.plan(statistic)
    return unit_draws(statistic) if wanted.clusters is None else cluster_draws(statistic, wanted.clusters)


def _as_requested(statistic: Statistic, value: float, wanted: IntervalWanted) -> Interval | None:
    """Return the interval by the method that the spec names; None if it is undefined or would have no width."""
    if isinstance(statistic, MomentStatistic):  # sums can't be resampled
        error = statistic.error() if wanted.method == "normal" else None
        if not error:
            return None
        low, high = (value + NORMAL.inv_cdf(level) * error for level in wanted.levels)
        return Interval(low, high, wanted.confidence, "normal", statistic.count)
    if wanted.strata is not None and wanted.strata.left is not None:
        return None  # records in fixed groups are left out one by one, not resampled
    plan = _plan(statistic, wanted)
    if plan.total < 2:
        return None
    smooth = Jackknife.of(statistic, plan) if isinstance(statistic, SumStatistic) else None
    if smooth is not None and wanted.method == "normal":
        low, high = smooth.limits(wanted.levels)
        return Interval(low, high, wanted.confidence, "normal", plan.total) if low < high else None
    if wanted.method == "normal" and plan.influence is not None:
        error = math.sqrt(float((plan.counts * plan.influence**2).sum()) * plan.total / (plan.total - 1))
        low, high = (value + NORMAL.inv_cdf(level) * error for level in wanted.levels)
        return Interval(low, high, wanted.confidence, "normal", plan.total) if low < high else None
    draws = _draws(statistic, plan, wanted, wanted.resamples, directly=smooth is None and wanted.is_plain)
    if not len(draws):
        return None
    shifted = smooth.bca_levels(draws, wanted.levels) if wanted.method == "bca" and smooth is not None else None
    low, high = quantiles(draws, wanted.levels if shifted is None else shifted)
    used = "percentile" if shifted is None else "bca"
    return Interval(low, high, wanted.confidence, used, plan.total, wanted.resamples) if low < high else None


def _chosen(statistic: Statistic, value: float, wanted: IntervalWanted) -> Interval | str:
    """Return the interval by the method that fits the data, or the reason why there is none."""
    if isinstance(statistic, QuantileStatistic):
        return _of_quantile(statistic, value, wanted)
    if wanted.strata is not None:
        return _within_strata(statistic, value, wanted.strata, wanted)
    if isinstance(statistic, (SumStatistic, MomentStatistic)) and statistic.finish is divide:
        return _of_ratio(statistic, value, wanted)
    if isinstance(statistic, MomentStatistic):
        error = statistic.error()
        if error is None:
            return "its error is undefined"
        estimate = Estimate(value, error**2, float(statistic.count), is_mean=False)
        return _remarked(of_estimate(estimate, statistic.count, wanted), statistic)
    if statistic.is_proportion and wanted.clusters is None:
        return of_share(_share(value, statistic.count), wanted)
    plan = _plan(statistic, wanted)
    if not plan.trials:
        return "none of the records is of the kind that it looks at"
    if statistic.is_share_of_some and wanted.clusters is None:
        share = of_share(_share(value, round(plan.trials)), wanted)
        return replace(share, note=FEW) if share.units < min(FEWEST_FREE, plan.total) else share
    if plan.influence is not None:
        return _of_each(statistic, value, plan.total * plan.influence, plan, wanted)
    others = left_out(statistic, plan)
    if others is None and statistic.is_smooth and plan.total < 2:
        return "it needs at least 2 units"
    if others is None:
        return _of_draws(statistic, value, plan, wanted)
    if np.isnan(others).any():
        return "it is undefined without one of the units"
    return _of_each(statistic, value, (plan.total - 1) * (value - others), plan, wanted)


def _of_quantile(statistic: QuantileStatistic, value: float, wanted: IntervalWanted) -> Interval | str:
    """Return the interval of a quantile: two scores that enclose it, chosen by rank."""
    trials, units = float(statistic.count), statistic.count
    if not wanted.is_plain:
        share = statistic.share_upto(value)
        plan = _plan(share, wanted)
        units = plan.total
        others = left_out(share, plan)
        if others is None or np.isnan(others).any():
            return "it is undefined without one of the units"
        influence = influences(others, plan)
        variance = float((plan.counts * influence**2).sum()) / (units * max(units - 1, 1))
        trials = trials_of(Estimate(statistic.q, variance, trials, is_mean=False), (0.0, 1.0))
    if units < statistic.fewest:
        return f"it needs at least {statistic.fewest} units"
    found = statistic.between(trials, wanted.confidence)
    low, high = (end if limit is None else limit for limit, end in zip(found, wanted.limits, strict=True))
    if not (math.isfinite(low) and math.isfinite(high)):
        return "no score bounds it"
    note = UNSEEN if None in found else LEVEL if low == high else None
    return Interval(low, high, wanted.confidence, "ranks", units, note=note)


def _within_strata(statistic: Statistic, value: float, strata: Strata, wanted: IntervalWanted) -> Interval | str:
    """Return the interval of a figure whose units are resampled within strata."""
    plan = strata.plan(statistic)
    if not plan.trials:
        return "none of the records is of the kind that it looks at"
    others = left_out(statistic, plan) if strata.left is None else plan.units[:, 0]
    if others is None:
        return _of_draws(statistic, value, plan, wanted)
    if np.isnan(others).any():
        return "it is undefined without one of the units"
    found = _of_each(statistic, value, influences(others, plan), plan, wanted)
    least = min(int(plan.counts[part].sum()) for part in plan.parts)
    if isinstance(found, Interval) and found.note is None and least < FEWEST_FREE:
        return replace(found, note=FEW_OF_STRATUM)
    return found


def _of_each(statistic: Statistic, value: float, influence: Any, plan: Draws, wanted: IntervalWanted) -> Interval | str:
    """Return the interval of a figure with the given value, from the influence of each distinct unit.

    It is extended downwards if chance alone makes the figure greater, and gets a note, see `_remarked`.
    """
    found = _of_influence(value, influence, plan, wanted, of_shares=statistic.of_shares)
    least = statistic.unbiased(plan)
    if least is not None and isinstance(found, Interval):
        below = _of_influence(least, influence, plan, wanted)
        found = replace(found, low=min(found.low, below.low)) if isinstance(below, Interval) else found
    return _remarked(found, statistic, _evenly(influence, plan))


def _remarked(found: Interval | str, statistic: Statistic, even: float = math.inf) -> Interval | str:
    """Return an interval with a note on why it may cover too little, unless it has a more important note.

    ``even`` is the result of `_evenly`. A string, the reason why there is no interval, is returned unchanged.
    """
    if isinstance(found, str) or found.note not in (None, ALIKE, RARE):
        return found
    uneven = OUTWEIGHED if even < FEWEST_EVEN else None
    open_ended = NO_RANGE if statistic.count < FEWEST_NO_RANGE else uneven
    return replace(found, note=statistic.remark or found.note or (open_ended if statistic.is_open else None))


def _evenly(influence: Any, plan: Draws) -> float:
    """Return Kish's effective number of units, where the weight of each is the square of its influence."""
    squares = influence**2
    both = float((plan.counts * squares**2).sum())
    return float((plan.counts * squares).sum()) ** 2 / both if both else math.inf


def _share(value: float, count: int) -> Ratio:
    """Return the share ``value`` of ``count`` trials as a `Ratio`."""
    return Ratio(value * count, float(count), (0.0, 0.0, 0.0), count)


def _of_ratio(statistic: SumStatistic | MomentStatistic, value: float, wanted: IntervalWanted) -> Interval | str:
    """Return the interval of a ratio of two sums with weights, in clusters, or beyond its range."""
    if isinstance(statistic, MomentStatistic):
        return of_estimate(statistic.as_ratio().estimate(), statistic.count, wanted)
    plan = _plan(statistic, wanted)
    ratio = ratio_of_units(plan.units, plan.counts)
    found = of_ratio(ratio, wanted)
    if found is not None:
        return found
    above, below = plan.units.T
    rest = ratio.below - below
    if (rest <= 0.0).any():
        return "it is undefined without one of the units"
    return _of_influence(value, (ratio.count - 1) * (above - value * below) / rest, plan, wanted)


def _of_influence(
    value: float, influence: Any, plan: Draws, wanted: IntervalWanted, *, of_shares: bool = False
) -> Interval | str:
    """Return the interval of a figure from its units' influence; if ``of_shares``, at least as wide as for a share."""
    n, counts = plan.total, plan.counts
    if all(map(math.isfinite, wanted.limits)) and wanted.limits[0] <= value <= wanted.limits[1]:
        variance = float((counts * influence**2).sum()) / (n * max(n - 1, 1))
        if of_shares:  # if few are of one kind, they may all be right by chance
            variance = max(variance, value * (1.0 - value) / max(plan.trials, 1.0))
        return of_estimate(Estimate(value, variance, plan.trials, is_mean=False), n, wanted)
    if n < FEWEST_MOVED:
        return f"it needs at least {FEWEST_MOVED} {'units' if wanted.clusters is None else 'clusters'}"
    shape = free(value + np.repeat(influence, counts), value)
    if shape is None:
        return "all are alike but for rounding, and it has no range"
    low, high = map(shape.at, wanted.levels)
    # A range with one end, as of a word error rate, limits the interval, but the value itself stays inside.
    low, high = max(low, min(wanted.limits[0], value)), min(high, max(wanted.limits[1], value))
    note = NO_RANGE if n < FEWEST_NO_RANGE else None
    return Interval(low, high, wanted.confidence, "unbounded", n, note=note)


def _of_draws(statistic: Statistic, value: float, plan: Draws, wanted: IntervalWanted) -> Interval | str:
    """Return the interval of a figure by bootstrap resampling."""
    if plan.total < statistic.fewest:
        return f"it needs at least {statistic.fewest} units"
    lines = min(wanted.resamples, max(LEAST, WORK // (statistic.resample_cost or plan.cost)))
    lines = lines if statistic.centred is None else min(lines, OF_VARIANCE)
    draws = _draws(statistic, plan, wanted, lines, directly=wanted.is_plain)
    if not len(draws):
        return "no resample has a value"
    if statistic.centred is not None:
        # An image drawn twice ties with itself, so draws show the spread of a figure, but not its centre.
        estimate, within = (
            Estimate(value, float(draws.var()), plan.trials, False),
            replace(wanted, limits=statistic.centred),
        )
        found, least = of_estimate(estimate, plan.total, within, lines), statistic.unbiased(plan)
        if least is not None and isinstance(found, Interval):
            below = of_estimate(estimate._replace(value=least), plan.total, within, lines)
            found = replace(found, low=min(found.low, below.low)) if isinstance(below, Interval) else found
        return _remarked(found, statistic)
    low, high = quantiles(draws, wanted.levels)
    tied = TIED if low == high else None
    return _remarked(Interval(low, high, wanted.confidence, "percentile", plan.total, lines, tied), statistic)


def _draws(statistic: Statistic, plan: Draws, wanted: IntervalWanted, lines: int, *, directly: bool) -> Any:
    """Return the figure of each of ``lines`` resamples where it is defined; ``directly`` tries `resampled` first."""
    found = statistic.resampled(generator_for(wanted.seed, wanted.name), lines) if directly else None
    if found is None:
        found = resample(plan, wanted.seed, wanted.name, lines)
    return found[found == found]


def ratio_of_units(units: Any, counts: Any) -> Ratio:
    """Return the ratio of two sums over units, given the distinct pairs (numerator, denominator) and their counts."""
    above, below = units.T
    sums = [times(column, counts).value for column in (above, below, above * above, above * below, below * below)]
    return Ratio(sums[0], sums[1], (sums[2], sums[3], sums[4]), int(counts.sum()), (units, counts))
