"""What tells how well a figure is known: sums of squares, or what it is without each of its units."""

from __future__ import annotations

from typing import Any

from scoring.statistics.jackknife import Jackknife
from scoring.statistics.moments import MomentStatistic
from scoring.statistics.ratios import Ratio
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import Statistic, SumStatistic, divide

MOST_KINDS = 400
"""Up to so many different units are left out one by one of a figure that is no function of sums."""


def plain_ratio(statistic: Statistic) -> Ratio | None:
    """A statistic that is a ratio of two sums over units of one weight; None where it is another, or weights differ."""
    if not isinstance(statistic, (SumStatistic, MomentStatistic)) or statistic.finish is not divide:
        return None
    known = statistic if isinstance(statistic, MomentStatistic) else MomentStatistic.of(statistic)
    found = known.as_ratio()
    return found if found.is_equal else None


def left_out(statistic: Statistic, plan: Draws) -> Any:
    """The figure without one unit of each kind; None where it is undefined, or tells nothing of the figure's spread."""
    import numpy as np

    if not statistic.is_smooth or plan.total < 2:
        return None
    if isinstance(statistic, SumStatistic):
        found = Jackknife.without(statistic, plan)
    elif len(plan.counts) <= MOST_KINDS:
        found = np.asarray(plan.figure(plan.counts - np.eye(len(plan.counts))), dtype=np.float64)
    else:
        return None
    return None if np.isnan(found).any() else found
