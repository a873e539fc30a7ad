"""Statistics whose units are known when all is merged: groups of records, such as the samples of one question."""

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
    of_sums,
    packed,
    told,
    unpacked_counts,
)


@dataclass(frozen=True, slots=True, eq=False)
class SettledStatistic(Statistic):
    """A statistic whose units are known only after merging: `settled` computes them, and the value."""

    known: BlockStatistic | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def settled(self) -> BlockStatistic:
        """Return the contribution of each unit."""

    def finished(self) -> BlockStatistic:
        """Return the cached result of `settled`."""
        found = self.known or self.settled()
        object.__setattr__(self, "known", found)  # every figure below asks for it again
        return found

    def value(self) -> float | None:
        """Return the value over the units that count."""
        return self.finished().value()

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the units, those alone that count."""
        return self.finished().keys

    @property
    def units(self) -> Any:
        """The contribution of each unit."""
        return self.finished().units

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the value when each unit occurs `counts` times."""
        return self.finished().of_counts(units, counts)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return how much each unit counts."""
        return self.finished().weights(units, counts)


@dataclass(frozen=True, slots=True, eq=False)
class GroupStatistic(SettledStatistic):
    """A metric over groups of records (the samples of one question): each group becomes one unit when all is merged.

    ``held`` keeps for every group the values of its records (or what else a subclass makes of them, see `joined`);
    ``unit`` turns a group's sorted values into what it adds to the sums, or None to leave it out; ``column`` names the
    column of the groups' keys, if not the ids; ``lacking`` counts the records that have no key, and so are in no group;
    ``missing`` those that do not count for another reason, by why.
    """

    finish: Finish
    unit: Callable[..., Unit | None]
    options: Mapping[str, Any]
    width: int
    held: Mapping[Any, Any] = field(default_factory=dict)
    column: str | None = None
    lacking: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_smooth_within(self) -> bool:
        """Whether one record changes its group only a little, so that the jackknife over records gives the spread."""
        return True

    def merge(self, other: GroupStatistic) -> GroupStatistic:
        """Return the groups of both parts; a group that is in both gets the values of both."""
        held, missing = merged(self.held, other.held, self.joined), added(self.missing, other.missing)
        return replace(self, held=held, lacking=self.lacking + other.lacking, missing=missing)

    def joined(self, one: Any, other: Any) -> Any:
        """Return the merged state of one group."""
        return tuple(sorted(one + other))

    def packed(self, values: Any) -> Any:
        """Return the state of one group as plain data."""
        return list(values)

    def unpacked(self, data: Any) -> Any:
        """Return the state of one group from the plain data of `packed`.

        Raises:
            ValueError: when it is no such data.
        """
        return tuple(map(float, data))

    def size(self, values: Any) -> int:
        """Return how many records one group has."""
        return len(values)

    def pack(self) -> Any:
        """Return the state of every group by its key, and the number of records in none."""
        groups = [[key, self.packed(values)] for key, values in self.held.items()]
        return {"groups": groups, "lacking": self.lacking, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic of the groups that `pack` returned."""
        held = {key: self.unpacked(values) for key, values in data["groups"]}
        return replace(self, held=held, lacking=int(data["lacking"]), missing=unpacked_counts(data))

    def settled(self) -> BlockStatistic:
        """Return the sums over the groups that count."""
        units = {key: self.unit(values, **self.options) for key, values in self.held.items()}
        kept = {key: unit for key, unit in units.items() if unit is not None}
        return self.of_units(list(kept), list(kept.values()))

    def of_units(self, keys: Sequence[Any], units: Sequence[Unit]) -> BlockStatistic:
        """Return the statistic of the groups' contributions."""
        return of_sums(self.finish, keys, units, width=self.width)

    @property
    def keyed_by(self) -> str | None:
        """The column whose values name the groups."""
        return self.column

    def details(self) -> dict[str, Any]:
        """Return the numbers of groups, of groups with too few records, and of records in groups and in none."""
        used = self.keys
        samples = sum(self.size(self.held[key]) for key in used)
        found = {"groups": len(self.held), "left_out": len(self.held) - len(used), "samples": samples}
        return {**found, **({"without_group": self.lacking} if self.lacking else {}), **told(self.missing)}
