"""The jackknife: a figure without each of its units, for its spread in simple and in stratified samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.statistics.proportions import NORMAL
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import Statistic, SumStatistic

MOST_KINDS = 400
"""Maximum number of distinct units that are left out one by one of a figure that is not a function of sums."""


class Jackknife(Struct, frozen=True):
    """The jackknife estimate of a figure's standard error and skew.

    Args:
        value: The value over all units.
        total: Number of units.
        error: The standard error of the value.
        skew: The rate at which the error grows with the value (the acceleration of BCa).
    """

    value: float
    total: int
    error: float
    skew: float

    @classmethod
    def of(cls, statistic: SumStatistic, plan: Draws) -> Jackknife | None:
        """Return the estimate for a statistic with the units of ``plan``; None if undefined without one of them."""
        counts, total = plan.counts, plan.total
        others = cls.without(statistic, plan)
        if np.isnan(others).any():
            return None
        # Computed like the draws, so that a draw of the same units equals it to the bit.
        value = float(np.asarray(plan.figure(counts[None].astype(np.float64)))[0])
        influence = influences(others, plan)
        squares = float((counts * influence**2).sum())
        if squares <= 0.0:
            return cls(value, total, 0.0, 0.0)
        skew = float((counts * influence**3).sum()) / (6.0 * squares**1.5)
        return cls(value, total, math.sqrt(squares) / total, skew)

    @staticmethod
    def without(statistic: SumStatistic, plan: Draws) -> Any:
        """Return, for each distinct unit, the value without one occurrence of the unit, NaN if undefined.

        Within strata, the remaining units of the stratum get more weight.
        """
        sums = (plan.units * plan.counts[:, None]).sum(axis=0)
        rest = sums - plan.units
        for part in plan.parts if plan.strata is not None else ():
            units, counts = plan.units[part], plan.counts[part]
            own, size = (units * counts[:, None]).sum(axis=0), counts.sum()
            rest[part] = sums + (own - size * units) / (size - 1)
        return np.asarray(statistic.finish(*rest.T), dtype=np.float64)

    def limits(self, levels: Sequence[float]) -> list[float]:
        """Return the quantiles, at some levels, of a normal distribution around the value, with the unbiased error."""
        error = self.error * math.sqrt(self.total / (self.total - 1))
        return [self.value + NORMAL.inv_cdf(level) * error for level in levels]

    def bca_levels(self, draws: Any, levels: Sequence[float]) -> list[float] | None:
        """Return the levels, corrected for bias and skew, of the quantiles of some draws; None if undefined.

        Source:
            Efron: Better Bootstrap Confidence Intervals (1987).
        """
        below = float((draws < self.value).mean() + (draws == self.value).mean() / 2)
        if not 0.0 < below < 1.0 or self.error <= 0.0:
            return None
        bias, shifted = NORMAL.inv_cdf(below), []
        for level in levels:
            z = bias + NORMAL.inv_cdf(level)
            divisor = 1.0 - self.skew * z
            if divisor <= 0.0:
                return None
            shifted.append(NORMAL.cdf(bias + z / divisor))
        return shifted


def left_out(statistic: Statistic, plan: Draws) -> Any:
    """Return, for each distinct unit, the figure without one occurrence of the unit, NaN if undefined.

    It is None if the jackknife is not valid for the figure, or too costly.
    """
    if not statistic.is_smooth or plan.total < 2:
        return None
    if isinstance(statistic, SumStatistic):
        return Jackknife.without(statistic, plan)
    if len(plan.counts) > MOST_KINDS:
        return None
    others = np.asarray(plan.figure(plan.counts - np.eye(len(plan.counts))), dtype=np.float64)
    for part in plan.parts if plan.strata is not None else ():
        # Other figures may require whole counts, so the greater weight of the stratum's other units is corrected here.
        size, own = plan.counts[part].sum(), others[part]
        mean = (plan.counts[part] * own).sum() / size
        others[part] = mean + (own - mean) * size * (plan.total - 1) / ((size - 1) * plan.total)
    return others


def influences(others: Any, plan: Draws) -> Any:
    """Return how much one unit of each kind changes a figure (its influence), given the figure without that unit.

    Within strata, influences are scaled so that their squares give the variance by the same formula as without strata:
    it is the sum of the strata's variances, enlarged as in Student's t if it is based on few units.

    Source:
        Shao, Tu: The Jackknife and Bootstrap (1995), for strata; Satterthwaite: An Approximate Distribution of
        Estimates of Variance Components (1946), for the units that it rests on.
    """
    total, counts = plan.total, plan.counts
    if plan.strata is None:
        return (total - 1) * (float((others * counts).sum()) / total - others)
    found, variances, spares = np.zeros(len(counts)), [], []
    for part in plan.parts:
        own, size = counts[part], int(counts[part].sum())
        mean = float((others[part] * own).sum()) / size
        found[part] = math.sqrt(total * (total - 1) * (size - 1) / size) * (mean - others[part])
        variances.append(float((own * found[part] ** 2).sum()))
        spares.append(variances[-1] ** 2 / (size - 1))
    degrees = sum(variances) ** 2 / sum(spares) if sum(spares) else total - 1.0
    return found * math.sqrt((1.0 + 2.42 / max(degrees, 0.7)) / (1.0 + 2.42 / (total - 1.0)))
