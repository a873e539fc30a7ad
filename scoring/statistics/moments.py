"""Functions of sums in constant size: once there are many different units, their sums and products stay, they go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, NoReturn

from scoring.late import dataclass
from scoring.statistics.exact import ExactSum
from scoring.statistics.kinds import Times
from scoring.statistics.ratios import Ratio, times
from scoring.statistics.statistic import Finish, State, Statistic, SumStatistic, added, packed, told, unpacked_counts

KINDS = 1_000
"""Up to so many different units are counted; beyond, intervals come from the sums of their squares."""

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
    """

    finish: Finish
    sums: tuple[ExactSum, ...]
    products: tuple[ExactSum, ...]
    size: int
    missing: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, statistic: SumStatistic) -> MomentStatistic:
        """What is left of a statistic without its units."""
        width = len(statistic.sums)
        products = [ExactSum()] * (width * (width + 1) // 2)
        for ids, units in statistic.blocks:
            counts = ids.counts if isinstance(ids, Times) else None
            pairs = ((one, two) for one in range(width) for two in range(one, width))
            products = [
                known.merge(times(units[:, one] * units[:, two], counts))
                for known, (one, two) in zip(products, pairs, strict=True)
            ]
        return cls(statistic.finish, statistic.sums, tuple(products), statistic.count, statistic.missing)

    def merge(self, other: Any) -> Statistic:
        """The sums of both parts."""
        found = other if isinstance(other, MomentStatistic) else MomentStatistic.of(other)
        sums, products = (
            tuple(one.merge(two) for one, two in zip(mine, theirs, strict=True))
            for mine, theirs in ((self.sums, found.sums), (self.products, found.products))
        )
        missing = added(self.missing, found.missing)
        return replace(self, sums=sums, products=products, size=self.size + found.size, missing=missing)

    def value(self) -> float | None:
        """The function of the sums."""
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

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
    def state(self) -> State:
        """Sums alone."""
        return "sums"

    @property
    def count(self) -> int:
        """How many units there were."""
        return self.size

    def as_ratio(self) -> Ratio:
        """Of a ratio of two sums what its interval needs."""
        above, below = (part.value for part in self.sums)
        one, both, two = (part.value for part in self.products)
        return Ratio(above, below, (one, both, two), self.size)

    def error(self) -> float | None:
        """The standard error of the value by the delta method, None where it is undefined.

        Source:
            Oehlert: A Note on the Delta Method (1992).
        """
        import numpy as np

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
        """The sums as plain data."""
        moments = [[list(one.parts) for one in held] for held in (self.sums, self.products)]
        return {"moments": moments, "size": self.size, **packed(self.missing)}

    def details(self) -> dict[str, Any]:
        """How many records do not count, and why."""
        return told(self.missing)


def reduced(statistic: Statistic) -> Statistic:
    """The statistic in constant size: without its units where too many are different.

    Whether they are depends on all units together, so parts that are reduced on the way give the same sums.
    """
    if not isinstance(statistic, SumStatistic):
        return statistic
    found = statistic.compact()
    return MomentStatistic.of(statistic) if len(found.kinds()[1]) > KINDS else found


def unpacked(empty: Statistic, data: Any) -> Statistic:
    """The statistic that was packed, reduced or not.

    Args:
        empty: The one that the metric gives for no records.
        data: What `pack` gave, from wherever it comes.

    Raises:
        ValueError: when it is of another statistic.
    """
    if not isinstance(empty, SumStatistic) or "moments" not in data:
        return empty.unpack(data)
    width = len(empty.sums)
    sums, products = (tuple(ExactSum.of(list(map(float, parts))) for parts in held) for held in data["moments"])
    if len(sums) != width or len(products) != width * (width + 1) // 2:
        raise ValueError(f"{len(sums)} sums in place of {width}")
    return MomentStatistic(empty.finish, sums, products, int(data["size"]), unpacked_counts(data))
