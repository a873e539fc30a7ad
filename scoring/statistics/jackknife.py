"""What the values with one unit left out tell of a function of sums: its error and skew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scoring.late import dataclass
from scoring.statistics.resampling import Draws
from scoring.statistics.shares import NORMAL
from scoring.statistics.statistic import SumStatistic


@dataclass(frozen=True, slots=True)
class Jackknife:
    """The influence of each kind of unit on a value.

    Args:
        value: The value over all units.
        total: How many units there are.
        error: The standard error of the value.
        skew: How the error grows with the value (the acceleration of BCa).
    """

    value: float
    total: int
    error: float
    skew: float

    @classmethod
    def of(cls, statistic: SumStatistic, plan: Draws) -> Jackknife | None:
        """The jackknife of a statistic; None where it is undefined without one of the units."""
        import numpy as np

        counts, total = plan.counts, plan.total
        left_out = cls.without(statistic, plan)
        if np.isnan(left_out).any():
            return None
        # Made like the draws, so that a draw of the same units equals it to the bit.
        value = float(np.asarray(plan.figure(counts[None].astype(np.float64)))[0])
        influence = (total - 1) * (float((left_out * counts).sum()) / total - left_out)
        squares = float((counts * influence**2).sum())
        if squares <= 0.0:
            return cls(value, total, 0.0, 0.0)
        skew = float((counts * influence**3).sum()) / (6.0 * squares**1.5)
        return cls(value, total, math.sqrt(squares) / total, skew)

    @staticmethod
    def without(statistic: SumStatistic, plan: Draws) -> Any:
        """The value without one unit of each kind, NaN where it is undefined."""
        import numpy as np

        sums = (plan.units * plan.counts[:, None]).sum(axis=0)
        return np.asarray(statistic.finish(*(sums - plan.units).T), dtype=np.float64)

    def limits(self, levels: Sequence[float]) -> list[float]:
        """The limits of the normal interval, which takes the unbiased form of the error."""
        error = self.error * math.sqrt(self.total / (self.total - 1))
        return [self.value + NORMAL.inv_cdf(level) * error for level in levels]

    def bca_levels(self, draws: Any, levels: Sequence[float]) -> list[float] | None:
        """The quantiles of some draws that correct for bias and skew; None where the correction is undefined.

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
