"""Sums of numbers and of their products that stay accurate where the numbers lie far from 0, such as years."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from scoring.statistics.exact import ExactSum
from scoring.statistics.moments import times
from scoring.statistics.statistic import SumStatistic

_FAR = 0.99
"""The share of the mean square that the squared mean makes up, from which numbers are far from 0."""
_RESOLVED = 1e-10
"""The least share of the mean square that a variance computed from sums may be: less is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class CentredStatistic(SumStatistic):
    """A statistic of sums whose numbers are taken relative to their mean if they are far from 0.

    The first number of a unit is 1. ``products`` has the places of two numbers and that of their product.
    """

    products: ClassVar[tuple[tuple[int, int, int], ...]]

    def finished(self) -> CentredStatistic:
        """Return the statistic of the numbers relative to their means, itself if they are not far from 0."""
        sums = [part.value for part in self.sums]
        means = {one: sums[one] / sums[0] for one, two, at in self.products if one == two and _is_far(sums, one, at)}
        if not means or not all((units[:, 0] == 1.0).all() for _, units in self.blocks):  # units may be joined already
            return self
        blocks = tuple((ids, self._relative(units, means)) for ids, units in self.blocks)
        totals = [ExactSum()] * len(sums)
        for ids, units in blocks:
            added = (times(column, getattr(ids, "counts", None)) for column in units.T)
            totals = [one.merge(two) for one, two in zip(totals, added, strict=True)]
        return replace(self, blocks=blocks, sums=tuple(totals))

    def value(self) -> float | None:
        """Return the value computed from the sums of the numbers relative to their means."""
        return SumStatistic.value(self.finished())

    def _relative(self, units: Any, means: dict[int, float]) -> Any:
        units = np.array(units, dtype=np.float64)
        for column, mean in means.items():
            units[:, column] -= mean
        for one, two, at in self.products:
            units[:, at] = units[:, one] * units[:, two]
        return units


def _is_far(sums: list[float], number: int, square: int) -> bool:
    return sums[number] ** 2 > _FAR * sums[0] * sums[square]


def resolved_spread(count: Any, total: Any, squares: Any) -> Any:
    """Return ``count`` squared times the variance of numbers, given their sums; 0 if it can't be told from rounding.

    Examples:
        >>> float(resolved_spread(2.0, 3.0, 5.0)), float(resolved_spread(3.0, 3e9, 3e18))
        (1.0, 0.0)
    """
    spread = np.asarray(count * squares - total * total, dtype=np.float64)
    return np.where(spread > _RESOLVED * count * squares, spread, 0.0)
