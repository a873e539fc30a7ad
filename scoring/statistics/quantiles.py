"""Quantiles of scores, with intervals by rank."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from scoring.statistics.statistic import EXTREME, BlockStatistic, Statistic, divide, of_sums


@dataclass(frozen=True, slots=True, eq=False)
class QuantileStatistic(BlockStatistic):
    """The statistic of a quantile of scores, at the fraction ``q`` (0.5: the median); its units are the scores."""

    q: float

    @property
    def fewest(self) -> int:
        """The minimum number of units for an interval, so that five scores are on either side of the quantile."""
        return max(math.ceil(5.0 / max(min(self.q, 1.0 - self.q), 1e-9) - 1e-9), 10)

    @property
    def no_interval(self) -> str:
        """The reason why the least and the greatest score have no interval; "" for quantiles between them."""
        return EXTREME if self.q in (0.0, 1.0) else ""

    def value(self) -> float | None:
        """Return the quantile of the sorted scores, None if there are none."""
        ordered = np.sort(self.units[:, 0])
        if not len(ordered):
            return None
        place = self.q * (len(ordered) - 1)
        below, above = (float(ordered[min(math.floor(place) + more, len(ordered) - 1)]) for more in (0, 1))
        return below + (place - math.floor(place)) * (above - below)

    def share_upto(self, value: float) -> Statistic:
        """Return the statistic of the share of scores that are at most a value, over the same units."""
        indicators = [(ids, (units[:, 0] <= value).astype(np.float64)) for ids, units in self.blocks]
        shares: list[Statistic] = [
            of_sums(divide, ids, np.stack([inside, np.ones(len(inside))]).T, width=2) for ids, inside in indicators
        ]
        return reduce(lambda one, other: one.merge(other), shares)

    def between(self, trials: float, confidence: float) -> tuple[float | None, float | None]:
        """Return the two scores between which the quantile is, by their ranks alone; None if no score limits that side.

        For any distribution of scores, the number of scores below the quantile has a binomial distribution.

        Args:
            trials: The effective number of independent scores; at most the actual number.
            confidence: The minimum probability that the quantile is between the two scores.

        Examples:
            >>> import numpy as np
            >>> QuantileStatistic(((range(10), np.arange(10.0)[:, None]),), 0.5).between(10.0, 0.95)
            (1.0, 8.0)

        Source:
            David, Nagaraja: Order Statistics (2003), section 7.1; Woodruff: Confidence Intervals for Medians and Other
            Position Measures (1952), for scores that are not drawn one by one.
        """
        ordered, n = np.sort(self.units[:, 0]), self.count
        whole = max(int(trials + 1e-9), 1)
        low, high = middle_ranks(whole, self.q, confidence)
        least = ordered[low * n // whole] if low is not None else None
        greatest = ordered[-((high + 1) * n // -whole) - 1] if high is not None else None
        return tuple(None if found is None else float(found) for found in (least, greatest))  # type: ignore[return-value]

    def resampled(self, generator: Any, lines: int) -> Any:
        """Return the quantiles of as many resamples as ``lines`` states, drawn directly by ``generator``: the r-th
        smallest of n uniform numbers has a beta distribution, and so has the distance to the next."""
        ordered, n = np.sort(self.units[:, 0]), self.count
        place = self.q * (n - 1)
        low = math.floor(place)
        below = generator.beta(low + 1, n - low, size=lines)
        above = below + (1.0 - below) * generator.beta(1, n - low - 1, size=lines) if low + 1 < n else below
        first, second = (ordered[np.minimum((at * n).astype(np.intp), n - 1)] for at in (below, above))
        return first + (place - low) * (second - first)

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the quantile of ``units`` (scores) for each line of ``counts``, which states how often each occurs."""
        order = np.argsort(units[:, 0], kind="stable")
        scores, upto = units[order, 0], np.cumsum(counts[..., order], axis=-1)
        place = self.q * (upto[..., -1] - 1)
        low = np.floor(place)
        parts = [
            scores[np.minimum((upto <= rank[..., None]).sum(axis=-1), len(scores) - 1)]
            for rank in (low, np.minimum(low + 1, upto[..., -1] - 1))
        ]
        return parts[0] + (place - low) * (parts[1] - parts[0])


def middle_ranks(n: int, q: float, confidence: float) -> tuple[int | None, int | None]:
    """Return the ranks, from 0, of two of n sorted draws that enclose the quantile ``q`` of their distribution with
    this confidence; None for a side on which no draw is far enough out.

    Examples:
        >>> middle_ranks(10, 0.5, 0.95), middle_ranks(20, 0.9, 0.95), middle_ranks(5, 0.5, 0.95)
        ((1, 8), (14, None), (None, None))
    """
    from scipy.special import bdtr, bdtrc

    tail = (1.0 - confidence) / 2.0
    low = bisect_left(range(n + 1), True, key=lambda below: bool(bdtr(below, n, q) > tail)) - 1
    high = bisect_left(range(n + 1), True, key=lambda below: bool(bdtrc(below, n, q) <= tail))
    return low if low >= 0 else None, high if high < n else None
