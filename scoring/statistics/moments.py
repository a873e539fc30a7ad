"""Ratios of two sums, such as means, with their uncertainty; and functions of sums as statistics of constant size.

Once there are many distinct units, only their sums and products are kept instead of the units.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
from msgspec import Struct

from scoring.statistics.exact import ExactSum
from scoring.statistics.plausible import Estimate
from scoring.statistics.statistic import (
    Finish,
    Statistic,
    SumStatistic,
    added,
    divide,
    missing_details,
    packed,
    unpacked_counts,
)


class Ratio(Struct, frozen=True):
    """A ratio of two sums over units, such as a mean, given by these sums and the sums of squares.

    Args:
        above: The numerator.
        below: The denominator, for example a sum of weights.
        squares: The sums of the units' squared numerators, of products, and of squared denominators.
        count: Number of units.
        units: The distinct units and how often each occurs; None if they are not kept.
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
        """Return whether all units have the same weight and are at one of the two ends of the range."""
        low, high = limits
        if not (self.is_equal and math.isfinite(low) and math.isfinite(high)):
            return False
        above, both, below = self.squares
        # The sum of (value - low) (high - value): 0 if every value is at an end, and exact for 0 and 1.
        between = (low + high) * both - above - low * high * below
        # Rounding may leave a remainder; in a narrow range, even one value in the middle must be detected.
        rest = min(1e-12 * max(above, abs(both), below), 1e-3 * (high - low) ** 2)
        return self.is_within(limits) and abs(between) <= rest

    def is_within(self, limits: tuple[float, float]) -> bool:
        """Return whether the range is finite and contains the ratio."""
        low, high = limits
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        is_bounded = math.isfinite(low) and math.isfinite(high) and low < high
        return is_bounded and low - slack <= self.above / self.below <= high + slack

    def successes(self, limits: tuple[float, float]) -> int:
        """Return the number of units at the upper end of the range, assuming that all are at one of the two ends."""
        low, high = limits
        return round((self.above / self.below - low) / (high - low) * self.count)

    def estimate(self) -> Estimate:
        """Return the ratio with its variance, and the effective number of units of equal weight.

        Source:
            Kish: Survey Sampling (1965), for the number of units; Miller: The Jackknife, a Review (1974).
        """
        value, units = self.above / self.below, self.below**2 / self.squares[2]
        if self.units is None or self.is_equal:
            above, both, below = self.squares
            # Rounding alone must not give a nonzero variance.
            rest = max(above - 2.0 * value * both + value**2 * below, 0.0)
            rest = 0.0 if rest <= 1e-14 * above else rest
            return Estimate(value, rest / self.below**2 * units / max(units - 1.0, 0.5), units)
        return self._of_unequal(value, units)

    def _of_unequal(self, value: float, units: float) -> Estimate:
        """Return the estimate for units of different weights, by the jackknife; ``units`` is their effective number.

        The variance is enlarged as in Student's t if some units outweigh the others, since it then has fewer degrees of
        freedom than the same effective number of equal units.

        Source:
            Korn, Graubard: Confidence Intervals for Proportions with Small Expected Number of Positive Counts
            Estimated from Survey Data (1998); Satterthwaite: An Approximate Distribution of Estimates of Variance
            Components (1946).
        """
        kinds, counts = self.units
        above, below = kinds.T
        rest = self.below - below
        if (rest <= 0.0).any():  # one unit has all the weight
            return Estimate(value, 0.0, units)
        moved = ((above - value * below) / rest) ** 2
        fourth = float(times(below**4, counts).value)
        variance = times(moved, counts).value * (self.count - 1) / self.count
        degrees = self.squares[2] ** 2 / fourth
        spare = (1.0 + 2.42 / max(degrees - 1.0, 0.7)) / (1.0 + 2.42 / max(units - 1.0, 0.7))
        return Estimate(value, variance * spare, units)


def times(values: Any, counts: Any = None) -> ExactSum:
    """Return the exact sum of values, each multiplied by a whole count (1 by default).

    Counts are split into powers of two, since multiplying floats by these is exact.
    """
    if counts is None:
        return ExactSum.of(np.ascontiguousarray(values))
    bits = range(int(counts.max(initial=0)).bit_length())
    return ExactSum.of(np.concatenate([np.zeros(0), *(values[(counts >> bit) & 1 == 1] * 2.0**bit for bit in bits)]))


KINDS = 1_000
"""Maximum number of distinct units that are counted; with more, intervals are computed from sums of squares."""

_STEP = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class MomentStatistic(Statistic):
    """A statistic of constant size: a function of sums that keeps the sums of units and of products, but no units.

    Args:
        finish: Computes the value from the sums.
        sums: The sums.
        products: The sums of products of each two numbers of a unit: the upper triangle, row by row.
        size: Number of units.
        missing: The number of records that don't count, by reason.
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
        """Return a statistic reduced to its sums and sums of products."""
        width = len(statistic.sums)
        products = [ExactSum()] * (width * (width + 1) // 2)
        for ids, units in statistic.blocks:
            counts = getattr(ids, "counts", None)  # `Times` alone has them
            pairs = ((one, two) for one in range(width) for two in range(one, width))
            products = [
                known.merge(times(units[:, one] * units[:, two], counts))
                for known, (one, two) in zip(products, pairs, strict=True)
            ]
        missing, biased = statistic.missing, statistic.is_biased
        return cls(statistic.finish, statistic.sums, tuple(products), statistic.count, missing, biased)

    def merge(self, other: Any) -> Statistic:
        """Return the statistic of both parts; the other one may still have units."""
        found = other if isinstance(other, MomentStatistic) else MomentStatistic.of(other)
        sums, products = (
            tuple(one.merge(two) for one, two in zip(mine, theirs, strict=True))
            for mine, theirs in ((self.sums, found.sums), (self.products, found.products))
        )
        missing = added(self.missing, found.missing)
        return replace(self, sums=sums, products=products, size=self.size + found.size, missing=missing)

    def value(self) -> float | None:
        """Return the value of the function of the sums, None if it is undefined."""
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

    @property
    def remark(self) -> str | None:
        """A remark if the figure is biased by chance, which can only be corrected with the units."""
        return "chance alone raises it, so it may cover less" if self.biased else None

    @property
    def keys(self) -> NoReturn:
        """Not available: reading it raises an error, since no ids are kept."""
        raise LookupError("only sums are kept")

    @property
    def units(self) -> NoReturn:
        """Not available: reading it raises an error, since no units are kept."""
        raise LookupError("only sums are kept")

    def of_counts(self, units: Any, counts: Any) -> NoReturn:
        """Raise an error, since resampling requires units."""
        raise LookupError("only sums are kept")

    @property
    def count(self) -> int:
        """The number of units."""
        return self.size

    def as_ratio(self) -> Ratio:
        """Return the statistic as a `Ratio`, for intervals; only for ratios of two sums."""
        above, below = (part.value for part in self.sums)
        one, both, two = (part.value for part in self.products)
        return Ratio(above, below, (one, both, two), self.size)

    def error(self) -> float | None:
        """Return the standard error of the value by the delta method, None if it is undefined.

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
        moments = [[list(one.parts) for one in exact_sums] for exact_sums in (self.sums, self.products)]
        return {"moments": moments, "size": self.size, **packed(self.missing)}

    def details(self) -> dict[str, Any]:
        """Return the number of records that don't count, by reason."""
        return missing_details(self.missing)


def reduced(statistic: Statistic) -> Statistic:
    """Return the statistic in constant size: without its units if more than `KINDS` are distinct.

    Reducing parts before merging gives the same sums as reducing the whole.
    """
    if not isinstance(statistic, SumStatistic):
        return statistic
    found = statistic.compact()
    return MomentStatistic.of(statistic) if len(found.kinds()[1]) > KINDS else found


def statistic_from_data(empty: Statistic, data: Any) -> Statistic:
    """Return the statistic from packed data, whether it was reduced or not.

    ``empty`` is the metric's statistic of no records; the data is not trusted.

    Raises:
        ValueError: when the data belong to another statistic.
    """
    if not isinstance(empty, SumStatistic) or "moments" not in data:
        return empty.unpack(data)
    width = len(empty.sums)
    sums, products = (tuple(ExactSum.of(list(map(float, parts))) for parts in rows) for rows in data["moments"])
    if len(sums) != width or len(products) != width * (width + 1) // 2:
        raise ValueError(f"{len(sums)} sums in place of {width}")
    missing, biased = unpacked_counts(data), empty.is_biased
    return MomentStatistic(empty.finish, sums, products, int(data["size"]), missing, biased)


def plain_ratio(statistic: Statistic) -> Ratio | None:
    """Return a statistic as a `Ratio`; None if it is not a ratio of two sums, or the units' weights differ."""
    if not isinstance(statistic, (SumStatistic, MomentStatistic)) or statistic.finish is not divide:
        return None
    known = statistic if isinstance(statistic, MomentStatistic) else MomentStatistic.of(statistic)
    found = known.as_ratio()
    return found if found.is_equal else None
