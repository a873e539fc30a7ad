"""Statistics whose units are only known after merging: groups of records, such as the samples of one question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.statistics.statistic import (
    BlockStatistic,
    Finish,
    Statistic,
    Unit,
    added,
    merged,
    missing_details,
    of_sums,
    packed,
    unpacked_counts,
)


@dataclass(frozen=True, slots=True, eq=False)
class SettledStatistic(Statistic):
    """A statistic whose units and value are only known once all parts are merged, when `settled` computes them."""

    known: BlockStatistic | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def settled(self) -> BlockStatistic:
        """Return a statistic with the final units and their contributions, once all parts are merged."""

    def finished(self) -> BlockStatistic:
        """Return the result of `settled`, which is cached."""
        found = self.known or self.settled()
        object.__setattr__(self, "known", found)  # used by all methods below
        return found

    def value(self) -> float | None:
        """Return the value of the figure over the units that count, None if it is undefined."""
        return self.finished().value()

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the units that count."""
        return self.finished().keys

    @property
    def units(self) -> Any:
        """The contribution of each unit."""
        return self.finished().units

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the value of the figure for each line of counts, which state how often each unit occurs."""
        return self.finished().of_counts(units, counts)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the weight of each unit in the figure."""
        return self.finished().weights(units, counts)


@dataclass(frozen=True, slots=True, eq=False)
class GroupStatistic(SettledStatistic):
    """A metric over groups of records (the samples of one question), each of which becomes one unit after merging.

    ``groups`` has the state of every group by its key: its records' values (or another state in subclasses, see
    `joined`). ``unit`` converts a group's sorted values, with ``options`` as further arguments, to its contribution to
    the sums: ``width`` numbers, or None to leave it out. ``finish`` computes the value from the sums.
    ``column`` is the column with the groups' keys, None for the ids. ``lacking`` counts the records without a key,
    which are in no group; ``missing`` those that don't count for another reason, by reason.
    """

    finish: Finish
    unit: Callable[..., Unit | None]
    options: Mapping[str, Any]
    width: int
    groups: Mapping[Any, Any] = field(default_factory=dict)
    column: str | None = None
    lacking: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_smooth_within(self) -> bool:
        """Whether one record has little influence on its group, so that the jackknife within groups is valid."""
        return True

    def merge(self, other: GroupStatistic) -> GroupStatistic:
        """Return the statistic of both parts; a group that is in both has the values of both."""
        groups, missing = merged(self.groups, other.groups, self.joined), added(self.missing, other.missing)
        return replace(self, groups=groups, lacking=self.lacking + other.lacking, missing=missing)

    def joined(self, one: Any, other: Any) -> Any:
        """Return the state of one group over two parts of the data, given its state in each."""
        return tuple(sorted(one + other))

    def packed(self, values: Any) -> Any:
        """Return the state of one group, ``values``, as plain data."""
        return list(values)

    def unpacked(self, data: Any) -> Any:
        """Return the state of one group from the plain data that `packed` returns.

        Raises:
            ValueError: when the data does not have that form.
        """
        return tuple(map(float, data))

    def size(self, values: Any) -> int:
        """Return the number of records of one group, given its state, ``values``."""
        return len(values)

    def pack(self) -> Any:
        """Return the state of every group with its key, and the number of records in no group, as plain data."""
        groups = [[key, self.packed(values)] for key, values in self.groups.items()]
        return {"groups": groups, "lacking": self.lacking, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the plain data that `pack` returns."""
        groups = {key: self.unpacked(values) for key, values in data["groups"]}
        return replace(self, groups=groups, lacking=int(data["lacking"]), missing=unpacked_counts(data))

    def settled(self) -> BlockStatistic:
        """Return the statistic of the groups that count."""
        units = {key: self.unit(values, **self.options) for key, values in self.groups.items()}
        kept = {key: unit for key, unit in units.items() if unit is not None}
        return self.of_units(list(kept), list(kept.values()))

    def of_units(self, keys: Sequence[Any], units: Sequence[Unit]) -> BlockStatistic:
        """Return the statistic of the whole figure, given the key and the contribution of each group."""
        return of_sums(self.finish, keys, units, width=self.width)

    @property
    def keyed_by(self) -> str | None:
        """The column with the keys of the groups, None for the ids."""
        return self.column

    def details(self) -> dict[str, Any]:
        """Return the counts that the value is based on: groups, groups with too few records, records of the other
        groups, and records that are in no group or don't count."""
        used = self.keys
        samples = sum(self.size(self.groups[key]) for key in used)
        found = {"groups": len(self.groups), "left_out": len(self.groups) - len(used), "samples": samples}
        return {**found, **({"without_group": self.lacking} if self.lacking else {}), **missing_details(self.missing)}
