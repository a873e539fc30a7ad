"""What a data-set metric returns: figures that can be merged, finished into one value, and resampled.

A metric sees the records of one part of the data and returns a ``Statistic``. Parts are merged in any order; the
value of the whole does not depend on how the data was split, bit for bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from scoring.statistics.exact import ExactSum
from scoring.statistics.rows import Rows

__all__ = ["GroupStatistic", "Rows", "Statistic", "SumStatistic", "Unit", "divide", "of_sums"]

Unit: TypeAlias = tuple[float, ...]
"""What one record (or one group of records) adds to a statistic."""

Finish: TypeAlias = Callable[..., Any]
"""The value from the sums; given arrays it must return an array. Undefined is NaN."""


class Statistic(ABC):
    """The mergeable figures of one metric.

    ``keys`` and ``units`` name and hold what is drawn again by the bootstrap: usually one per record.
    """

    __scoring_type__: ClassVar[str] = "Statistic"

    @abstractmethod
    def merge(self, other: Any) -> Statistic:
        """The statistic of both parts of the data together; associative and commutative."""

    @abstractmethod
    def value(self) -> float | None:
        """The metric, None where it is undefined (no record counts)."""

    @property
    @abstractmethod
    def keys(self) -> Sequence[Any]:
        """The ids of the units."""

    @property
    @abstractmethod
    def units(self) -> Sequence[Unit]:
        """What each unit adds, in the order of ``keys``."""

    @abstractmethod
    def of_counts(self, units: Any, counts: Any) -> Any:
        """The metric when each unit occurs so many times: one value for every row of ``counts``, NaN if undefined."""

    @property
    def keyed_by(self) -> str | None:
        """The column whose values are the keys; None where the keys are the ids of the records."""
        return None

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self.keys)

    @property
    def is_proportion(self) -> bool:
        """Whether the value is the share of units that are 1 among units that are 0 or 1."""
        return False

    def finished(self) -> Statistic:
        """The statistic with its units settled, once everything is merged."""
        return self

    def details(self) -> dict[str, Any]:
        """Further figures worth showing beside the value."""
        return {}


@dataclass(frozen=True, slots=True)
class SumStatistic(Statistic):
    """A metric that is a function of sums over the records: means, ratios, F1, and the like."""

    finish: Finish
    sums: tuple[ExactSum, ...]
    ids: tuple[Any, ...]
    contributions: tuple[Unit, ...]
    proportion: bool = False

    def merge(self, other: SumStatistic) -> SumStatistic:
        """The sums of both parts."""
        sums = tuple(a.merge(b) for a, b in zip(self.sums, other.sums, strict=True))
        ids, units = self.ids + other.ids, self.contributions + other.contributions
        return SumStatistic(self.finish, sums, ids, units, self.proportion)

    def value(self) -> float | None:
        """The function of the sums."""
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records that count."""
        return self.ids

    @property
    def units(self) -> Sequence[Unit]:
        """What each record adds to the sums."""
        return self.contributions

    @property
    def is_proportion(self) -> bool:
        """Whether the value is a share of records."""
        return self.proportion

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The function of the weighted sums."""
        sums = [(counts * units[:, column]).sum(axis=-1) for column in range(units.shape[1])]
        return self.finish(*sums)


def of_sums(
    finish: Finish, ids: Sequence[Any], contributions: Sequence[Unit], *, width: int, proportion: bool = False
) -> SumStatistic:
    """A statistic from what each record adds; ``width`` is the number of sums.

    Examples:
        >>> of_sums(divide, ["a", "b"], [(1.0, 1.0), (0.5, 1.0)], width=2).value()
        0.75
    """
    columns = list(zip(*contributions, strict=True)) or [()] * width
    sums = tuple(ExactSum.of(column) for column in columns)
    return SumStatistic(finish, sums, tuple(ids), tuple(contributions), proportion)


@dataclass(frozen=True, slots=True)
class GroupStatistic(Statistic):
    """A metric over groups of records (the samples of one question): each group becomes one unit when all is merged.

    ``held`` keeps for every group the values of its records; ``unit`` turns a group's sorted values into what it
    adds to the sums, or None to leave it out; ``column`` names the column of the groups' keys, if not the ids.
    """

    finish: Finish
    unit: Callable[..., Unit | None]
    options: Mapping[str, Any]
    width: int
    held: Mapping[Any, tuple[float, ...]] = field(default_factory=dict)
    column: str | None = None

    def merge(self, other: GroupStatistic) -> GroupStatistic:
        """The groups of both parts; a group that is in both gets the values of both."""
        held = dict(self.held)
        for key, values in other.held.items():
            held[key] = tuple(sorted(held.get(key, ()) + values))
        return GroupStatistic(self.finish, self.unit, self.options, self.width, held, self.column)

    def value(self) -> float | None:
        """The function of the sums over the groups."""
        return self.finished().value()

    def finished(self) -> SumStatistic:
        """The sums over the groups."""
        units = {key: self.unit(values, **self.options) for key, values in self.held.items()}
        kept = {key: unit for key, unit in units.items() if unit is not None}
        return of_sums(self.finish, list(kept), list(kept.values()), width=self.width)

    @property
    def keyed_by(self) -> str | None:
        """The column whose values name the groups."""
        return self.column

    @property
    def keys(self) -> Sequence[Any]:
        """The groups that count."""
        return self.finished().keys

    @property
    def units(self) -> Sequence[Unit]:
        """What each group adds."""
        return self.finished().units

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The function of the weighted sums."""
        return self.finished().of_counts(units, counts)

    def details(self) -> dict[str, Any]:
        """How many groups there are, and how many had too few records."""
        used = self.count
        return {"groups": len(self.held), "left_out": len(self.held) - used}


def divide(above: Any, below: Any, empty: float = math.nan) -> Any:
    """A ratio of sums, ``empty`` where the lower one is 0; takes numbers and arrays.

    Examples:
        >>> divide(1.0, 2.0), divide(0.0, 0.0, empty=0.0)
        (0.5, 0.0)
    """
    if isinstance(below, float):
        return above / below if below else empty
    import numpy as np

    zero = below == 0
    return np.where(zero, empty, above / np.where(zero, 1.0, below))
