"""Statistics, the results of data-set metrics: they can be merged, finished into one value, and resampled.

A metric takes the records of one part of the data and returns a ``Statistic``. Parts are merged in any order; the value
of the whole does not depend on how the data was split, bit for bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from scoring.statistics.exact import ExactSum

if TYPE_CHECKING:
    from scoring.statistics.resampling import Draws

K = TypeVar("K")
V = TypeVar("V")

Unit: TypeAlias = tuple[float, ...]
"""The contribution of one record (or one group of records) to a statistic."""

State: TypeAlias = Literal["sums", "units"]
"""The state from which the value of a statistic is computed: sums of constant size, or all its units."""

UnitBlock: TypeAlias = tuple[Sequence[Any], Any]
"""Units with their ids: a sequence, and an array of floats with one line for each."""

Finish: TypeAlias = Callable[..., Any]
"""Computes the value from the sums; given arrays it must return an array. An undefined value is NaN."""


EXTREME = "an extreme has none"


class NotPortable(ValueError):
    """The exception for a statistic that can be merged, but can't be stored as plain data."""


class Statistic(ABC):
    """The mergeable state of one metric's figure, from which its value and its interval are computed.

    ``units``, named by ``keys``, are the contributions that the bootstrap resamples: usually one per record. The class
    attributes describe how the figure depends on its units, which decides on the method of its interval.
    """

    __scoring_type__: ClassVar[str] = "Statistic"

    state: ClassVar[State] = "units"
    """The state from which the value is computed.

    With "sums" it requires only sums of constant size, however many records there are, and units are kept only for
    intervals. With "units" it requires all units.
    """

    is_smooth: ClassVar[bool] = False
    """Whether one unit has little influence on the value, so that the jackknife is valid."""

    of_shares: ClassVar[bool] = False
    """Whether each unit that the figure is based on is either right or wrong, whatever its contribution to the
    figure."""

    is_biased: ClassVar[bool] = False
    """Whether chance alone makes the figure greater, so that it is above the true value."""

    is_open: ClassVar[bool] = False
    """Whether a figure with a finite range is computed from numbers without one, so that one may outweigh all
    others."""

    is_proportion: bool = False
    """Whether the value is the share of units that are right, if that can't be seen from the units themselves."""

    @property
    def is_share_of_some(self) -> bool:
        """Whether the value is the share of correct units among those of nonzero weight, which have equal weight."""
        return False

    @abstractmethod
    def merge(self, other: Any) -> Statistic:
        """Return the statistic of both parts of the data together; associative and commutative."""

    def value(self) -> float | None:
        """Return the metric's value, None if it is undefined (no record counts)."""
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
        """The contribution of each unit, in the order of ``keys``: one line of floats each, as an array or tuples."""

    @abstractmethod
    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the value for each line of ``counts``, which states how often each unit occurs; NaN if undefined."""

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the weight of each distinct unit in the figure, given how often each occurs; None if all are equal.

        Units that a figure ignores have weight 0, such as answers other than the label whose precision it is. From the
        weights an interval derives the number of trials that the figure is based on.
        """
        return None

    def influence(self, units: Any) -> Any:
        """Return the derivative of the value by the weight of each unit, where all have the weight 1.

        None where it has no closed form, or is no good approximation of what a unit more or less would change.
        """
        return None

    def unbiased(self, plan: Draws) -> float | None:
        """Return the approximate value of a biased figure without the contribution of chance; None if unbiased.

        ``plan`` is the input for resampling its units.
        """
        return None

    @property
    def remark(self) -> str | None:
        """The reason why an interval may cover less than its level, if that can't be seen from the units."""
        return None

    @property
    def keyed_by(self) -> str | None:
        """The column whose values are the keys; None if the keys are the ids of the records."""
        return None

    @property
    def resample_cost(self) -> int | None:
        """The cost of one resample, in numbers processed; None if it is that of drawing the units.

        If resamples are expensive, fewer are drawn, and the interval states the number.
        """
        return None

    @property
    def centred(self) -> tuple[float, float] | None:
        """The figure's range, if drawing a unit twice shifts the figure by itself; None if it does not.

        An image that is drawn twice ties with itself, which raises every average precision. Such draws show the spread
        of a figure, but not its centre, so the interval is centred on the figure's value and limited to its range.
        """
        return None

    def resampled(self, generator: Any, lines: int) -> Any:
        """Return the value of each of ``lines`` resamples if it can be drawn without drawing units, None otherwise."""
        return None

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.keys)

    @property
    def fewest(self) -> int:
        """The minimum number of units for resamples to show the spread of the value."""
        return 10

    @property
    def no_interval(self) -> str:
        """The reason why it has no interval, whatever the data; "" if resamples can show its spread."""
        return ""

    def finished(self) -> Statistic:
        """Return the statistic with its final units, after all parts are merged."""
        return self

    def kinds(self) -> tuple[Any, Any]:
        """Return the distinct units in order, and how often each occurs."""
        from scoring.statistics.multiplicity import kinds_of

        different, _, counts = kinds_of(np.asarray(self.units, dtype=np.float64))
        return different, counts

    def compact(self) -> Statistic:
        """Return an equivalent statistic that uses as little memory as possible; the ids of records may be lost."""
        return self

    def pack(self) -> Any:
        """Return the statistic as plain data, from which `unpack` restores it elsewhere.

        Raises:
            NotPortable: when this kind of statistic can't be packed.
        """
        raise NotPortable(f"a {type(self).__name__} can't be stored")

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the data of `pack`; called on the same metric's statistic of no records.

        Raises:
            ValueError: when the data does not belong to such a statistic.
        """
        raise NotPortable(f"a {type(self).__name__} can't be stored")

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the keys, and separately the units one by one as plain data, to be restored by `unpack` and `rekeyed`.

        Raises:
            NotPortable: when this kind of statistic can't be packed.
        """
        raise NotPortable(f"the units of a {type(self).__name__} can't be stored")

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return the statistic with the keys from `apart`, in order; called on the unpacked statistic.

        Raises:
            ValueError: when the number of keys is not that of the units.
        """
        raise NotPortable(f"the units of a {type(self).__name__} can't be stored")

    def details(self) -> dict[str, Any]:
        """Return further figures to show in addition to the value."""
        return {}

    @property
    def labels_in_no_image(self) -> int:
        """The number of labels that count but occur in no image; nonzero only for figures over labels of images."""
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class BlockStatistic(Statistic):
    """A statistic that keeps its units in blocks, one from each part of the data; merging does not copy them.

    ``missing`` has the number of records that don't count, by reason, if the metric provides it.
    """

    blocks: tuple[UnitBlock, ...]
    missing: Mapping[str, int] = field(default_factory=dict, kw_only=True)

    def merge(self, other: Any) -> Statistic:
        """Return the statistic with the units of both parts."""
        return replace(self, blocks=self.blocks + other.blocks, missing=added(self.missing, other.missing))

    def details(self) -> dict[str, Any]:
        """Return the number of records that don't count, by reason."""
        return missing_details(self.missing)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records that count."""
        if len(self.blocks) == 1:
            return self.blocks[0][0]
        return list(chain.from_iterable(ids for ids, _ in self.blocks))

    def kinds(self) -> tuple[Any, Any]:
        """Return the distinct units in order, and how often each occurs."""
        from scoring.statistics.multiplicity import count_distinct_units

        return count_distinct_units(self.blocks)

    def compact(self) -> Statistic:
        """Return the statistic with equal units counted, without ids."""
        from scoring.statistics.multiplicity import Times

        if len(self.blocks) == 1 and isinstance(self.blocks[0][0], Times):
            return self
        units, counts = self.kinds()
        return replace(self, blocks=((Times(counts), units),))

    def pack(self) -> Any:
        """Return the counted units as plain data."""
        return self._packed(*self.kinds())

    def _packed(self, units: Any, counts: Any) -> Any:
        from scoring.statistics.multiplicity import pack_units

        return {**pack_units(units, counts), **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the plain data that `pack` returns."""
        from scoring.statistics.multiplicity import Times, unpack_units

        units, counts = unpack_units(data)
        return replace(self, blocks=((Times(counts), units),), missing=unpacked_counts(data))

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the ids of the records, and their units one by one as plain data."""
        units = np.asarray(self.units, dtype=np.float64)
        return self.keys, self._packed(units, np.ones(len(units)))

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return the statistic with these ids for its units, in order."""
        from scoring.statistics.multiplicity import rekeyed

        return replace(self, blocks=rekeyed(self.blocks, keys))

    @property
    def units(self) -> Any:
        """The contribution of each record: an array with one line for each."""
        from scoring.statistics.multiplicity import spread

        found = [spread(ids, units) for ids, units in self.blocks]
        return found[0] if len(found) == 1 else np.concatenate(found)

    @property
    def count(self) -> int:
        """The number of records that count."""
        return sum(len(ids) for ids, _ in self.blocks)


@dataclass(frozen=True, slots=True, eq=False)
class SumStatistic(BlockStatistic):
    """A metric that is a function of sums over the records: means, ratios, F1, and the like.

    ``finish`` computes the value from the ``sums``, ``weigh`` the weights of units from their contributions.
    """

    finish: Finish
    sums: tuple[ExactSum, ...]
    weigh: Finish | None = field(default=None, kw_only=True)
    state = "sums"
    is_smooth = True  # one unit changes sums little

    def merge(self, other: Any) -> Statistic:
        """Return the statistic of both parts of the data; the other one may have been reduced to sums."""
        if not isinstance(other, SumStatistic):  # a `MomentStatistic`, which has no units
            return other.merge(self)  # type: ignore[no-any-return]
        sums = tuple(a.merge(b) for a, b in zip(self.sums, other.sums, strict=True))
        missing = added(self.missing, other.missing)
        return replace(self, blocks=self.blocks + other.blocks, sums=sums, missing=missing)

    def _packed(self, units: Any, counts: Any) -> Any:
        from scoring.statistics.multiplicity import pack_units

        sums = [list(part.parts) for part in self.sums]
        return {**pack_units(units, counts), "sums": sums, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the plain data that `pack` returns, which includes sums."""
        from scoring.statistics.multiplicity import Times, unpack_units

        units, counts = unpack_units(data)
        sums = tuple(ExactSum.of([float(part) for part in parts]) for parts in data["sums"])
        if len(sums) != len(self.sums):
            raise ValueError(f"{len(sums)} sums in place of {len(self.sums)}")
        return replace(self, blocks=((Times(counts), units),), sums=sums, missing=unpacked_counts(data))

    def value(self) -> float | None:
        """Return the value computed from the sums; None if no record counts, even if empty sums have a value."""
        if not self.count:
            return None
        found = float(self.finish(*(part.value for part in self.sums)))
        return None if math.isnan(found) else found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the value computed from the weighted sums of units, for each line of counts."""
        from scoring.statistics.multiplicity import weighted_sums

        return self.finish(*weighted_sums(units, counts).T)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return each unit's contribution to the denominator of a ratio, else the metric's own weights, else None."""
        return units[:, 1] if self.finish is divide else None if self.weigh is None else self.weigh(*units.T)


def merged(one: Mapping[K, V], other: Mapping[K, V], join: Callable[[V, V], V]) -> dict[K, V]:
    """Return the union of two mappings, in which values of common keys are joined by a function."""
    return {**one, **{name: join(one[name], value) if name in one else value for name, value in other.items()}}


def added(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    """Return the sums of two mappings of counts, by key."""
    return merged(one, other, add)


def missing_details(missing: Mapping[str, int]) -> dict[str, Any]:
    """Return entries for `details`: how many records don't count, and how many by reason; empty if all count."""
    return {"not_counted": sum(missing.values()), "why_not": dict(sorted(missing.items()))} if missing else {}


def packed(missing: Mapping[str, int]) -> dict[str, Any]:
    """Return the number of records that don't count, by reason, as plain data for `unpacked_counts`."""
    return {"missing": dict(missing)} if missing else {}


def unpacked_counts(data: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of records that don't count, by reason, from plain data, which is not trusted."""
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
    """Return a statistic from the contribution of each record.

    Args:
        finish: Computes the value from the sums, given as separate arguments; returns an array for arrays, NaN if
            undefined.
        ids: The id of each record that counts.
        contributions: The contribution of each record: an array with one line for each, or a sequence of tuples.
        width: The number of sums.
        missing: The number of records that don't count, by reason.
        weigh: Computes the weight of units in the figure from their contributions; for other than ratios of two sums.
        kind: The class of the statistic.

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
    """Return a ratio of two numbers or arrays, with ``empty`` where the denominator is 0.

    Examples:
        >>> divide(1.0, 2.0), divide(0.0, 0.0, empty=0.0)
        (0.5, 0.0)
    """
    if isinstance(below, float):
        return above / below if below else empty
    zero = below == 0
    return np.where(zero, empty, above / np.where(zero, 1.0, below))
