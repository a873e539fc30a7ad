"""What the values with one unit left out tell of a function of sums: its error, bias and skew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from scoring.late import dataclass
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import SumStatistic

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Jackknife:
    """The influence of each kind of unit on a value.

    Args:
        statistic: The function of sums.
        value: Its value over all units.
        total: How many units there are.
        error: The standard error of the value.
        bias: How far values of samples lie above the true one on average.
        skew: How the error grows with the value (the acceleration of BCa).
        sums: The sums over all units.
        ahead: What to add to the sums to move the value up by one error, along its steepest way.
    """

    statistic: SumStatistic
    value: float
    total: int
    error: float
    bias: float
    skew: float
    sums: Any
    ahead: Any

    @classmethod
    def of(cls, statistic: SumStatistic, plan: Draws) -> Jackknife | None:
        """The jackknife of a statistic; None where it is undefined without one of the units."""
        import numpy as np

        units, counts, total = plan.units, plan.counts, plan.total
        sums = (units * counts[:, None]).sum(axis=0)
        left_out = np.asarray(statistic.finish(*(sums - units).T), dtype=np.float64)
        if np.isnan(left_out).any():
            return None
        # Made like the draws, so that a draw of the same units equals it to the bit.
        value = float(np.asarray(plan.figure(counts[None].astype(np.float64)))[0])
        mean = float((left_out * counts).sum()) / total
        influence = (total - 1) * (mean - left_out)
        squares = float((counts * influence**2).sum())
        if squares <= 0.0:
            return cls(statistic, value, total, 0.0, 0.0, 0.0, sums, 0.0 * sums)
        error = math.sqrt(squares) / total
        skew = float((counts * influence**3).sum()) / (6.0 * squares**1.5)
        ahead = ((counts * influence)[:, None] * units).sum(axis=0) / (total * error)
        return cls(statistic, value, total, error, (total - 1) * (mean - value), skew, sums, ahead)

    def limits(self, levels: Sequence[float], *, analytic: bool) -> tuple[str, Any]:
        """The method and the limits of an interval that needs no draws.

        Args:
            levels: The two quantiles.
            analytic: Whether bias and skew are corrected for (ABC), where that is defined; else, and where it is
                not, the interval is the normal one.

        Source:
            DiCiccio, Efron: More Accurate Confidence Intervals in Exponential Families (1992).
        """
        found = self._corrected(levels) if analytic and self.error else None
        if found is not None:
            return "abc", found
        # The normal interval takes the unbiased form of the jackknife's error.
        error = self.error * math.sqrt(self.total / (self.total - 1))
        return "normal", [self.value + _NORMAL.inv_cdf(level) * error for level in levels]

    def _corrected(self, levels: Sequence[float]) -> list[float] | None:
        """The limits corrected for bias, skew and curvature; None where one of them is undefined."""
        import numpy as np

        behind, ahead = self._at([-1.0, 1.0])
        curvature = (behind - 2.0 * self.value + ahead) / (2.0 * self.error)
        lean = 2.0 * _NORMAL.cdf(self.skew) * _NORMAL.cdf(curvature - self.bias / self.error)
        if not 0.0 < lean < 1.0:
            return None
        shifted = [_NORMAL.inv_cdf(lean) + _NORMAL.inv_cdf(level) for level in levels]
        if any(1.0 - self.skew * z <= 0.0 for z in shifted):
            return None
        found = self._at([z / (1.0 - self.skew * z) ** 2 for z in shifted])
        return found.tolist() if np.isfinite(found).all() else None

    def _at(self, steps: Sequence[float]) -> Any:
        """The value so many errors ahead."""
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):  # a step may leave what the figure is defined for
            return np.asarray(self.statistic.finish(*(self.sums + np.outer(steps, self.ahead)).T), dtype=np.float64)

    def bca_levels(self, draws: Any, levels: Sequence[float]) -> list[float] | None:
        """The quantiles of some draws that correct for bias and skew; None where the correction is undefined.

        Source:
            Efron: Better Bootstrap Confidence Intervals (1987).
        """
        below = float((draws < self.value).mean() + (draws == self.value).mean() / 2)
        if not 0.0 < below < 1.0 or self.error <= 0.0:
            return None
        bias, shifted = _NORMAL.inv_cdf(below), []
        for level in levels:
            z = bias + _NORMAL.inv_cdf(level)
            divisor = 1.0 - self.skew * z
            if divisor <= 0.0:
                return None
            shifted.append(_NORMAL.cdf(bias + z / divisor))
        return shifted
