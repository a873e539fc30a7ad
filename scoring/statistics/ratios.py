"""Ratios of two sums, such as means: what they are made of, and how well they are known."""

from __future__ import annotations

import math
from typing import Any

from scoring.late import dataclass
from scoring.statistics.exact import ExactSum
from scoring.statistics.plausible import Estimate


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two sums, such as a mean, by the sums of what its units add and of their squares.

    Args:
        above: The sum that is divided.
        below: The sum that divides: of weights, say.
        squares: The sums of the squares of the one, of the products, and of the squares of the other.
        count: How many units there are.
        units: The different units and how often each occurs, where their weights differ and they are kept.
    """

    above: float
    below: float
    squares: tuple[float, float, float]
    count: int
    units: Any = None

    @property
    def is_equal(self) -> bool:
        """Whether all units weigh the same."""
        return abs(self.count * self.squares[2] - self.below**2) <= 1e-9 * self.below**2

    def is_share(self, limits: tuple[float, float]) -> bool:
        """Whether every unit, all of one weight, lies at an end of the range."""
        low, high = limits
        if not (self.is_equal and math.isfinite(low) and math.isfinite(high)):
            return False
        above, both, below = self.squares
        # The sum of (value - low) (high - value): 0 where every value is one of the two, and exact for 0 and 1.
        between = (low + high) * both - above - low * high * below
        # Rounding may leave a rest; in a narrow range one value in the middle leaves no more, and is to be seen.
        rest = min(1e-12 * max(above, abs(both), below), 1e-3 * (high - low) ** 2)
        return self.is_within(limits) and abs(between) <= rest

    def is_within(self, limits: tuple[float, float]) -> bool:
        """Whether the range is finite and the ratio lies in it."""
        low, high = limits
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        held = math.isfinite(low) and math.isfinite(high) and low < high
        return held and low - slack <= self.above / self.below <= high + slack

    def successes(self, limits: tuple[float, float]) -> int:
        """How many units lie at the upper end of the range, if all lie at one of the two."""
        low, high = limits
        return round((self.above / self.below - low) / (high - low) * self.count)

    def estimate(self) -> Estimate:
        """The ratio with its variance, and how many units of equal weight would tell as much.

        Source:
            Kish: Survey Sampling (1965), for the number of units; Miller: The Jackknife, a Review (1974).
        """
        value, units = self.above / self.below, self.below**2 / self.squares[2]
        if self.units is None or self.is_equal:
            above, both, below = self.squares
            # Rounding alone must not make a spread where there is none.
            rest = max(above - 2.0 * value * both + value**2 * below, 0.0)
            rest = 0.0 if rest <= 1e-14 * above else rest
            return Estimate(value, rest / self.below**2 * units / max(units - 1.0, 0.5), units)
        return self._of_unequal(value, units)

    def _of_unequal(self, value: float, units: float) -> Estimate:
        """The same for units of different weights, each of which is left out once.

        The variance rests on few of them where some outweigh the others. So it is enlarged as Student's t is for the
        degrees of freedom that it has beyond those of as many equal ones.

        Source:
            Korn, Graubard: Confidence Intervals for Proportions with Small Expected Number of Positive Counts
            Estimated from Survey Data (1998); Satterthwaite: An Approximate Distribution of Estimates of Variance
            Components (1946).
        """
        kinds, counts = self.units
        above, below = kinds.T
        rest = self.below - below
        if (rest <= 0.0).any():  # one unit alone
            return Estimate(value, 0.0, units)
        moved = ((above - value * below) / rest) ** 2
        fourth = float(times(below**4, counts).value)
        variance = times(moved, counts).value * (self.count - 1) / self.count
        degrees = self.squares[2] ** 2 / fourth
        spare = (1.0 + 2.42 / max(degrees - 1.0, 0.7)) / (1.0 + 2.42 / max(units - 1.0, 0.7))
        return Estimate(value, variance * spare, units)


def ratio_of_units(units: Any, counts: Any) -> Ratio:
    """The ratio of what different units add, each so many times."""
    above, below = units.T
    sums = [times(column, counts).value for column in (above, below, above * above, above * below, below * below)]
    return Ratio(sums[0], sums[1], (sums[2], sums[3], sums[4]), int(counts.sum()), (units, counts))


def times(values: Any, counts: Any = None) -> ExactSum:
    """The exact sum of values that each occur so many times, or once: a power of two times a float is exact."""
    import numpy as np

    if counts is None:
        return ExactSum.of(np.ascontiguousarray(values))
    bits = range(int(counts.max(initial=0)).bit_length())
    return ExactSum.of(np.concatenate([np.zeros(0), *(values[(counts >> bit) & 1 == 1] * 2.0**bit for bit in bits)]))
