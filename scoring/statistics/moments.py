"""Statistics of sums: ratios such as means with their variance; functions of sums in constant memory.

Once there are many different units, their sums and products stay, and the units go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from scoring.statistics.exact import ExactSum
from scoring.statistics.multiplicity import Times
from scoring.statistics.plausible import Estimate
from scoring.statistics.statistic import Finish, Statistic, SumStatistic, added, divide, packed, told, unpacked_counts


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two sums, such as a mean, with the sums of squares of the units' contributions.

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
        """Whether all units have the same weight."""
        return abs(self.count * self.squares[2] - self.below**2) <= 1e-9 * self.below**2

    def is_share(self, limits: tuple[float, float]) -> bool:
        """Tell whether every unit is at an end of the range, with equal weights."""
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
        """Tell whether the range is finite and contains the ratio."""
        low, high = limits
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        held = math.isfinite(low) and math.isfinite(high) and low < high
        return held and low - slack <= self.above / self.below <= high + slack

    def successes(self, limits: tuple[float, float]) -> int:
        """Return the number of units at the upper end of the range, if all are at one of the ends."""
        low, high = limits
        return round((self.above / self.below - low) / (high - low) * self.count)

    def estimate(self) -> Estimate:
        """Return the ratio with its variance and the effective number of units.

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
        """Return the same for units of different weights, each of which is left out once.

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
    """Return the ratio of sums over distinct units, each occurring `counts` times."""
    above, below = units.T
    sums = [times(column, counts).value for column in (above, below, above * above, above * below, below * below)]
    return Ratio(sums[0], sums[1], (sums[2], sums[3], sums[4]), int(counts.sum()), (units, counts))


def times(values: Any, counts: Any = None) -> ExactSum:
    """Return the exact sum of values that each occur `counts` times, or once."""
    if counts is None:
        return ExactSum.of(np.ascontiguousarray(values))
    bits = range(int(counts.max(initial=0)).bit_length())
    return ExactSum.of(np.concatenate([np.zeros(0), *(values[(counts >> bit) & 1 == 1] * 2.0**bit for bit in bits)]))


KINDS = 1_000
"""The most distinct units that are counted; beyond, intervals come from sums of squares."""

_STEP = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class MomentStatistic(Statistic):
    """A function of sums that knows the sums of its units and of their products, and no unit.

    Args:
        finish: The value from the sums.
        sums: The sums.
        products: The sums of the products of each two numbers of a unit, line by line of the upper triangle.
        size: How many units there were.
        missing: How many records do not count, by why.
        biased: Whether chance alone makes the figure greater.
    """

    finish: Finish
    sums: tuple[ExactSum, ...]
    products: tuple[ExactSum, ...]
    size: int
    missing: Mapping[str, int] = field(default_factory=dict)
    biased: bool = False
    state = "sums"

    @classmethod
    def of(cls, statistic: SumStatistic) -> MomentStatistic:
        """Return a statistic reduced to its sums."""
        width = len(statistic.sums)
        products = [ExactSum()] * (width * (width + 1) // 2)
        for ids, units in statistic.blocks:
            counts = ids.counts if isinstance(ids, Times) else None
            pairs = ((one, two) for one in range(width) for two in range(one, width))
            products = [
                known.merge(times(units[:, one] * units[:, two], counts))
                for known, (one, two) in zip(products, pairs, strict=True)
            ]
        missing, biased = statistic.missing, statistic.is_biased
        return cls(statistic.finish, statistic.sums, tuple(products), statistic.count, missing, biased)

    def merge(self, other: Any) -> Statistic:
        """Return the sums of both parts."""
        found = other if isinstance(other, MomentStatistic) else MomentStatistic.of(other)
        sums, products = (
            tuple(one.merge(two) for one, two in zip(mine, theirs, strict=True))
            for mine, theirs in ((self.sums, found.sums), (self.products, found.products))
        )
        missing = added(self.missing, found.missing)
        return replace(self, sums=sums, products=products, size=self.size + found.size, missing=missing)

    def value(self) -> float | None:
        """Return the function of the sums."""
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

    @property
    def remark(self) -> str | None:
        """Whether the value includes the bias by chance, which can be removed only from units."""
        return "chance alone raises it, so it may cover less" if self.biased else None

    @property
    def keys(self) -> NoReturn:
        """No ids are kept."""
        raise LookupError("only sums are kept")

    @property
    def units(self) -> NoReturn:
        """No units are kept."""
        raise LookupError("only sums are kept")

    def of_counts(self, units: Any, counts: Any) -> NoReturn:
        """Nothing can be drawn again."""
        raise LookupError("only sums are kept")

    @property
    def count(self) -> int:
        """The number of units."""
        return self.size

    def as_ratio(self) -> Ratio:
        """Return what the interval of a ratio of two sums needs."""
        above, below = (part.value for part in self.sums)
        one, both, two = (part.value for part in self.products)
        return Ratio(above, below, (one, both, two), self.size)

    def error(self) -> float | None:
        """Return the standard error of the value by the delta method, None where it is undefined.

        Source:
            Oehlert: A Note on the Delta Method (1992).
        """
        sums = np.array([part.value for part in self.sums])
        width = len(sums)
        steps = np.diag(_STEP * np.maximum(np.abs(sums), 1.0))
        ahead, behind = (np.asarray(self.finish(*(sums + way * steps).T), dtype=np.float64) for way in (1.0, -1.0))
        slope = (ahead - behind) / (2.0 * steps.diagonal())
        table = np.zeros((width, width))
        table[np.triu_indices(width)] = [part.value for part in self.products]
        table = table + np.triu(table, 1).T - np.outer(sums, sums) / self.size
        found = float(slope @ table @ slope) * self.size / max(self.size - 1, 1)
        return math.sqrt(max(found, 0.0)) if math.isfinite(found) else None

    def pack(self) -> Any:
        """Return the sums as plain data."""
        moments = [[list(one.parts) for one in held] for held in (self.sums, self.products)]
        return {"moments": moments, "size": self.size, **packed(self.missing)}

    def details(self) -> dict[str, Any]:
        """Return how many records do not count, and why."""
        return told(self.missing)


def reduced(statistic: Statistic) -> Statistic:
    """Return the statistic in constant size: without its units where too many are different.

    Whether they are depends on all units together, so parts that are reduced on the way give the same sums.
    """
    if not isinstance(statistic, SumStatistic):
        return statistic
    found = statistic.compact()
    return MomentStatistic.of(statistic) if len(found.kinds()[1]) > KINDS else found


def unpacked(empty: Statistic, data: Any) -> Statistic:
    """Return the statistic that was packed, reduced or not.

    ``empty`` is the one that the metric gives for no records; the data comes from wherever.

    Raises:
        ValueError: when it is of another statistic.
    """
    if not isinstance(empty, SumStatistic) or "moments" not in data:
        return empty.unpack(data)
    width = len(empty.sums)
    sums, products = (tuple(ExactSum.of(list(map(float, parts))) for parts in held) for held in data["moments"])
    if len(sums) != width or len(products) != width * (width + 1) // 2:
        raise ValueError(f"{len(sums)} sums in place of {width}")
    missing, biased = unpacked_counts(data), empty.is_biased
    return MomentStatistic(empty.finish, sums, products, int(data["size"]), missing, biased)


def plain_ratio(statistic: Statistic) -> Ratio | None:
    """Return a statistic that is a ratio of two sums over units of one weight; None where it is another, or weights
    differ."""
    if not isinstance(statistic, (SumStatistic, MomentStatistic)) or statistic.finish is not divide:
        return None
    known = statistic if isinstance(statistic, MomentStatistic) else MomentStatistic.of(statistic)
    found = known.as_ratio()
    return found if found.is_equal else None
