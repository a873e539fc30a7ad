"""Statistics, the results of data-set metrics: they can be merged, finished into one value, and resampled.

A metric sees the records of one part of the data and returns a ``Statistic``. Parts are merged in any order; the
value of the whole does not depend on how the data was split, bit for bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import add
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from scoring.statistics.exact import ExactSum, weighted_sums
from scoring.statistics.multiplicity import Times, counted, kinds_of, pack_units, rekeyed, spread, unpack_units
from scoring.statistics.resampling import Draws

K = TypeVar("K")
V = TypeVar("V")

Unit: TypeAlias = tuple[float, ...]
"""The contribution of one record, or of one group of records."""

State: TypeAlias = Literal["sums", "units"]
"""The state of a statistic: sums of constant size, or all its units."""

UnitBlock: TypeAlias = tuple[Sequence[Any], Any]
"""Units with their ids: a sequence, and an array of floats with one line for each."""

Finish: TypeAlias = Callable[..., Any]
"""The value from the sums; given arrays it must return an array. Undefined is NaN."""


class NotPortable(ValueError):
    """A statistic that can be merged, but not stored on the way."""


class Statistic(ABC):
    """The mergeable figures of one metric.

    ``keys`` and ``units`` name and hold what is drawn again by the bootstrap: usually one per record.
    """

    __scoring_type__: ClassVar[str] = "Statistic"

    state: ClassVar[State] = "units"
    """The kind of state that the value is computed from.

    With "sums" it needs sums of a constant size, however many records there are; the units are kept for intervals
    alone. With "units" it needs them all.
    """

    is_smooth: ClassVar[bool] = False
    """Whether one unit changes the value only a little, so that the jackknife gives its spread."""

    of_shares: ClassVar[bool] = False
    """Whether each unit of a figure is either right or wrong as a whole."""

    is_biased: ClassVar[bool] = False
    """Whether chance alone increases the figure, so that it is biased upwards."""

    is_open: ClassVar[bool] = False
    """Whether a figure with a range is made of unbounded numbers, one of which may outweigh all others."""

    is_proportion: bool = False
    """Whether the value is the proportion of right units, if the units themselves do not show it."""

    @property
    def is_share_of_some(self) -> bool:
        """Whether the value is the proportion of right units among those with a weight, all weights being equal."""
        return False

    @abstractmethod
    def merge(self, other: Any) -> Statistic:
        """Return the statistic of both parts of the data together; associative and commutative."""

    def value(self) -> float | None:
        """Return the metric, None where it is undefined (no record counts)."""
        if not self.count:
            return None
        units, counts = self.kinds()
        found = float(self.of_counts(units, counts[None].astype(float))[0])
        return None if math.isnan(found) else found

    @property
    @abstractmethod
    def keys(self) -> Sequence[Any]:
        """The ids of the units."""

    @property
    @abstractmethod
    def units(self) -> Any:
        """The contribution of each unit, in the order of ``keys``: one row of floats each, as an array or tuples."""

    @abstractmethod
    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the metric when each unit occurs `counts` times: one value for every row of ``counts``, NaN if
        undefined."""

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the weight of each kind of unit in the figure when it occurs `counts` times.

        Units that a figure does not look at weigh 0, such as answers that are not the label whose precision it is.
        So an interval knows how many trials the figure rests on. None where all count the same.
        """
        return None

    def unbiased(self, plan: Draws) -> float | None:
        """Return the approximate value of a biased figure without its bias; None if it is unbiased."""
        return None

    @property
    def remark(self) -> str | None:
        """Return why an interval may cover less than its level, if the units do not show it."""
        return None

    @property
    def keyed_by(self) -> str | None:
        """The column whose values are the keys; None where the keys are the ids of the records."""
        return None

    @property
    def resample_cost(self) -> int | None:
        """Return the cost of one resample in numbers; None if it is the number of different units.

        Resamples that cost much are drawn less often, and the interval says how often.
        """
        return None

    @property
    def centred(self) -> tuple[float, float] | None:
        """The figure's range, if drawing a unit twice biases the figure; None if it does not.

        An image that is drawn twice ties with itself, which lifts every average precision. Such draws say how far a
        figure spreads, but not around what: they are moved onto its value, and held within its range.
        """
        return None

    def resampled(self, generator: Any, lines: int) -> Any:
        """Return the metric of some resamples if they can be drawn without drawing each unit; else None."""
        return None

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.keys)

    @property
    def fewest(self) -> int:
        """With fewer units, resamples do not show the spread of the value."""
        return 10

    def finished(self) -> Statistic:
        """Return the statistic with its units settled, once everything is merged."""
        return self

    def kinds(self) -> tuple[Any, Any]:
        """Return the different units in order, and how often each occurs."""
        different, _, counts = kinds_of(np.asarray(self.units, dtype=np.float64))
        return different, counts

    def compact(self) -> Statistic:
        """Return the same figure and interval in as little memory as it can be; the ids of records may be lost."""
        return self

    def pack(self) -> Any:
        """Return the statistic as plain data, from which `unpack` restores it elsewhere.

        Raises:
            NotPortable: when this kind of statistic has no such form.
        """
        raise NotPortable(f"a {type(self).__name__} has no form in which it could be stored")

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from packed data; call this on the metric's statistic of no records.

        Raises:
            ValueError: when the data is of no such statistic.
        """
        raise NotPortable(f"a {type(self).__name__} has no form in which it could be stored")

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the keys and the contributions as plain data: `unpack` restores the latter, and `rekeyed` the keys.

        Raises:
            NotPortable: when this kind of statistic has no such form.
        """
        raise NotPortable(f"the units of a {type(self).__name__} have no form in which they could be stored")

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return an unpacked statistic under new keys, in the order of `apart`.

        Raises:
            ValueError: when they are not as many as the units.
        """
        raise NotPortable(f"the units of a {type(self).__name__} have no form in which they could be stored")

    def details(self) -> dict[str, Any]:
        """Return further figures that are shown with the value."""
        return {}

    @property
    def labels_in_no_image(self) -> int:
        """The number of labels that occur in no image; only figures over labels of images have any."""
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class BlockStatistic(Statistic):
    """A statistic that keeps its units in blocks, one from each part of the data; merging copies none of them.

    ``missing`` counts the records that do not count, by why, where the metric tells.
    """

    blocks: tuple[UnitBlock, ...]
    missing: Mapping[str, int] = field(default_factory=dict, kw_only=True)

    def merge(self, other: Any) -> Statistic:
        """Return the units of both parts."""
        return replace(self, blocks=self.blocks + other.blocks, missing=added(self.missing, other.missing))

    def details(self) -> dict[str, Any]:
        """Return how many records do not count, and why."""
        return told(self.missing)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records that count."""
        if len(self.blocks) == 1:
            return self.blocks[0][0]
        return list(chain.from_iterable(ids for ids, _ in self.blocks))

    def kinds(self) -> tuple[Any, Any]:
        """Return the different units in order, and how often each occurs."""
        return counted(self.blocks)

    def compact(self) -> Statistic:
        """Return the same with equal units counted."""
        if len(self.blocks) == 1 and isinstance(self.blocks[0][0], Times):
            return self
        units, counts = self.kinds()
        return replace(self, blocks=((Times(counts), units),))

    def pack(self) -> Any:
        """Return the counted units."""
        return self._packed(*self.kinds())

    def _packed(self, units: Any, counts: Any) -> Any:
        return {**pack_units(units, counts), **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic of counted units."""
        units, counts = unpack_units(data)
        return replace(self, blocks=((Times(counts), units),), missing=unpacked_counts(data))

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the ids of the records, and their units one by one."""
        units = np.asarray(self.units, dtype=np.float64)
        return self.keys, self._packed(units, np.ones(len(units)))

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return the units under these ids, in their order."""
        return replace(self, blocks=rekeyed(self.blocks, keys))

    @property
    def units(self) -> Any:
        """The contribution of each record: an array with one row each."""
        found = [spread(ids, units) for ids, units in self.blocks]
        return found[0] if len(found) == 1 else np.concatenate(found)

    @property
    def count(self) -> int:
        """The number of records that count."""
        return sum(len(ids) for ids, _ in self.blocks)


@dataclass(frozen=True, slots=True, eq=False)
class SumStatistic(BlockStatistic):
    """A metric that is a function of sums over the records: means, ratios, F1, and the like."""

    finish: Finish
    sums: tuple[ExactSum, ...]
    weigh: Finish | None = field(default=None, kw_only=True)
    state = "sums"
    is_smooth = True  # sums move little

    def merge(self, other: Any) -> Statistic:
        """Return the sums of both parts."""
        if not isinstance(other, SumStatistic):  # one that keeps no units any more
            return other.merge(self)  # type: ignore[no-any-return]
        sums = tuple(a.merge(b) for a, b in zip(self.sums, other.sums, strict=True))
        missing = added(self.missing, other.missing)
        return replace(self, blocks=self.blocks + other.blocks, sums=sums, missing=missing)

    def _packed(self, units: Any, counts: Any) -> Any:
        sums = [list(part.parts) for part in self.sums]
        return {**pack_units(units, counts), "sums": sums, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic of such units and sums."""
        units, counts = unpack_units(data)
        sums = tuple(ExactSum.of([float(part) for part in parts]) for parts in data["sums"])
        if len(sums) != len(self.sums):
            raise ValueError(f"{len(sums)} sums in place of {len(self.sums)}")
        return replace(self, blocks=((Times(counts), units),), sums=sums, missing=unpacked_counts(data))

    def value(self) -> float | None:
        """Return the function of the sums; None if no record counts."""
        if not self.count:
            return None
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the function of the weighted sums."""
        return self.finish(*weighted_sums(units, counts).T)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the contribution of a unit to the divisor, if the metric defines it."""
        return units[:, 1] if self.finish is divide else None if self.weigh is None else self.weigh(*units.T)


def merged(one: Mapping[K, V], other: Mapping[K, V], join: Callable[[V, V], V]) -> dict[K, V]:
    """Return two mappings as one; the values of common keys are joined."""
    return {**one, **{name: join(one[name], held) if name in one else held for name, held in other.items()}}


def added(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    """Counts by name of two parts together."""
    return merged(one, other, add)


def told(missing: Mapping[str, int]) -> dict[str, Any]:
    """Return how many records do not count, and why, as details of a figure."""
    return {"not_counted": sum(missing.values()), "why_not": dict(sorted(missing.items()))} if missing else {}


def packed(missing: Mapping[str, int]) -> dict[str, Any]:
    """Return the same as plain data, of which `unpacked_counts` makes it again."""
    return {"missing": dict(missing)} if missing else {}


def unpacked_counts(data: Mapping[str, Any]) -> dict[str, int]:
    """Return how many records do not count, of plain data from anywhere."""
    return {str(why): int(count) for why, count in data.get("missing", {}).items()}


def of_sums(
    finish: Finish,
    ids: Sequence[Any],
    contributions: Any,
    *,
    width: int,
    missing: Mapping[str, int] | None = None,
    weigh: Finish | None = None,
    kind: type[SumStatistic] = SumStatistic,
) -> SumStatistic:
    """Return a statistic from the contributions of the records.

    Args:
        finish: The value from the sums, one argument each; given arrays it returns an array. Undefined is NaN.
        ids: The id of each record that counts.
        contributions: What each adds: an array with one line for each, or a sequence of tuples.
        width: The number of sums.
        missing: How many records do not count, by why.
        kind: The class of the statistic.
        weigh: How much a unit counts in the figure, from what it adds; for what is no ratio of two sums.

    Raises:
        ValueError: when a contribution is infinite or not a number.

    Examples:
        >>> of_sums(divide, ["a", "b"], [(1.0, 1.0), (0.5, 1.0)], width=2).value()
        0.75
    """
    units = np.asarray(contributions, dtype=np.float64).reshape(len(ids), width)
    sums = tuple(ExactSum.of(np.ascontiguousarray(column)) for column in units.T)
    return kind(((ids, units),), finish, sums, missing=missing or {}, weigh=weigh)


def divide(above: Any, below: Any, empty: float = math.nan) -> Any:
    """Return a ratio of sums, ``empty`` where the lower one is 0; takes numbers and arrays.

    Examples:
        >>> divide(1.0, 2.0), divide(0.0, 0.0, empty=0.0)
        (0.5, 0.0)
    """
    if isinstance(below, float):
        return above / below if below else empty
    zero = below == 0
    return np.where(zero, empty, above / np.where(zero, 1.0, below))
