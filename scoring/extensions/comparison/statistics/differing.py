"""Test whether a figure of two runs differs by more than chance, with the method that fits the kind of figure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.comparison.statistics.compare import drawn_by, mean_or_none, number_occurrences
from scoring.extensions.comparison.statistics.paired import PairedTest, Within, exchanged, paired, paired_parts
from scoring.extensions.comparison.statistics.ranks import drawn_numbers, figure_draws, mean_draws
from scoring.extensions.comparison.statistics.within_strata import influences_within, others_within
from scoring.statistics.breakdown import hashable
from scoring.statistics.clusters import in_clusters
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.multiplicity import sums_by
from scoring.statistics.plausible import FEWEST_FREE as FEWEST
from scoring.statistics.resampling import CELLS, generator_for
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, SumStatistic, of_sums
from scoring.statistics.strata import DrawnUnit, Strata, in_strata, label_units

WORK = 2_000_000_000
"""Limit on the numbers that the exchanges of one test read and write."""

LEAST = 200
"""Minimum number of exchanges, whatever they cost."""

FEW_WHOLE = {
    "group": f"fewer than {FEWEST} groups, each drawn as a whole; of groups that are fixed, `strata` draws the records",
    "task": f"fewer than {FEWEST} tasks, each drawn as a whole; runs of one task are compared by its records",
}
"""The note on an interval over few units that contain several records, by the units' name."""

RowMetric = Callable[[Rows], Statistic]
"""A metric over records, with its arguments bound."""


class Chances(NamedTuple):
    """The settings for random draws: the level of intervals, the seed, the number of draws, and the greatest possible
    difference between the figures of two runs."""

    confidence: float = 0.95
    seed: int = 0
    resamples: int = 10_000
    widest: float = math.inf


class RunSide(Struct, frozen=True):
    """One run's side of a test: its figure, and the units (records or groups of records) that are resampled.

    Args:
        metric: The metric.
        rows: The run's records, with the same ids in all runs.
        statistic: The figure as a statistic of the units, which can be resampled.
        is_grouped: Whether the units are groups of records.
        owners: The cluster of each unit by its key; None if units are not clustered.
        strata: The stratum of each unit by its key; None if there are no strata.
        labelled: The statistic with each record labelled by its stratum, if records are resampled within fixed groups;
            else None.
    """

    metric: RowMetric
    rows: Rows
    statistic: Statistic
    is_grouped: bool = False
    owners: Mapping[Any, Any] | None = None
    strata: Mapping[Any, str] | None = None
    labelled: GroupStatistic | None = None

    @classmethod
    def of(
        cls,
        metric: RowMetric,
        rows: Rows,
        clusters: Sequence[Any] | None = None,
        strata: Sequence[str | None] | None = None,
    ) -> RunSide:
        """Return the side of a run, computed from its records.

        Args:
            metric: The metric.
            rows: The records.
            clusters: The cluster of each record, in order; None if records are not clustered.
            strata: The stratum of each record, in order; None if there are no strata.

        Raises:
            NotInStrata: when the figure can't be resampled within the strata.
        """
        found = metric(rows)
        grouped = isinstance(found, GroupStatistic)
        if clusters is None and strata is None:
            return cls(metric, rows, found.finished(), grouped)
        labelled = label_units(metric, rows, found, clusters, strata)
        if strata is None:
            statistic, owners = in_clusters(labelled)
            return cls(metric, rows, statistic, grouped, owners)
        statistic, within = in_strata(labelled)
        if within.left is not None and isinstance(labelled, GroupStatistic):
            return cls(metric, rows, statistic, grouped, labelled=labelled)
        owners, names = {}, {}
        for key, (name, owner) in zip(statistic.keys, within.owners, strict=True):
            # Records may share an id, and each one without a cluster is drawn separately.
            owners[key] = owner if grouped or owner[0] == "cluster" else None
            names[key] = name
        return cls(metric, rows, statistic, grouped, owners, names)

    def within(self, groups: Collection[Any]) -> tuple[Statistic, Strata, Mapping[Any, Any]]:
        """Return the figure over the fixed groups with the given keys, the strata of the units, and the state of each
        unit in each of these groups.

        Raises:
            NotInStrata: when these groups can't be resampled within the strata.
        """
        if self.labelled is None:
            raise TypeError("the groups of this figure are drawn, and not fixed")
        states = {key: values for key, values in self.labelled.groups.items() if hashable(key.key) in groups}
        found, strata = in_strata(dataclasses.replace(self.labelled, groups=states))
        return found, strata, {(key.key, DrawnUnit.of(key.cluster)): values for key, values in states.items()}


class FixedGroups(NamedTuple):
    """The figures of several runs over fixed groups, computed without each of the units in turn (leave-one-out values),
    which show how much each unit matters.

    Args:
        others: The leave-one-out values, with a row for each unit and a column for each run.
        states: The state of each unit in each run; None if it does not count there.
        strata: The stratum of each unit.
    """

    others: Any
    states: Sequence[Sequence[Any]]
    strata: Sequence[str]

    @classmethod
    def of(cls, entrants: Sequence[RunSide], groups: Collection[Any]) -> FixedGroups:
        """Return the leave-one-out values of the figures of some runs, for the units in the groups with the given
        keys."""
        found = [one.within(groups) for one in entrants]
        known = sorted(
            {unit for _, strata, _ in found for unit in strata.drawn}, key=lambda unit: (unit[1].stratum, repr(unit))
        )
        others = []
        for statistic, strata, _ in found:
            left = {unit: other for unit, (_, other, _) in zip(strata.drawn, strata.left or (), strict=True)}
            others.append([left.get(unit, statistic.value()) for unit in known])
        states = [[state.get(unit) for unit in known] for _, _, state in found]
        return cls(np.array(others, dtype=np.float64).T, states, [label.stratum for _, label in known])

    def influences(self, others: Any) -> Any:
        """Return how much each unit changes a figure, computed from the figure's leave-one-out values, `others`; None
        if one of these is undefined."""
        return None if np.isnan(others).any() else influences_within(others, self.numbers)

    def changed(self, one: int, two: int) -> int:
        """Return the number of units whose state differs between the runs with the indices `one` and `two`."""
        return sum(first != second for first, second in zip(self.states[one], self.states[two], strict=True))

    def draws(self, values: Sequence[float | None], chances: Chances) -> Any:
        """Return the figures over resamples of the units, computed from the units' influences; an array without rows
        if these are unknown.

        Args:
            values: The figure's value for each run.
            chances: The settings of the draws.
        """
        moved = [self.influences(others) for others in self.others.T]
        if any(value is None or one is None for value, one in zip(values, moved, strict=True)):
            return np.zeros((0, len(moved)))
        columns = [(value + one).tolist() for value, one in zip(values, moved, strict=True)]
        return mean_draws(columns, None, self.strata, seed=chances.seed, resamples=chances.resamples)

    @property
    def numbers(self) -> Any:
        """The index of the stratum of each unit, as an array."""
        return drawn_numbers(len(self.strata), None, self.strata)[1]


class InCommon(Struct, frozen=True):
    """A figure of several runs over the units (records or groups of records) that count in all of them.

    Args:
        entrants: The figure of each run.
        positions: The index of each common unit in each run, with a column for each run.
        unit: The word for a unit, such as ``record``.
        owners: The cluster of each common unit, None if units are not clustered.
        strata: The stratum of each common unit, None if there are no strata.
        fixed: For figures over fixed groups, their leave-one-out values.
    """

    entrants: Sequence[RunSide]
    positions: Any
    unit: str = "record"
    owners: Sequence[Any] | None = None
    strata: Sequence[str] | None = None
    fixed: FixedGroups | None = None

    @classmethod
    def of(cls, entrants: Sequence[RunSide], unit: str = "record") -> InCommon:
        """Return the figure over the units that all runs have, in the order of the first run; ``unit`` is the word for
        a unit that is not a group of records."""
        known = [
            {key: position for position, key in enumerate(number_occurrences(one.statistic.keys))} for one in entrants
        ]
        common = [key for key in known[0] if all(key in indexes for indexes in known[1:])]
        positions = np.array([[indexes[key] for indexes in known] for key in common], dtype=np.intp)
        first = entrants[0]
        keys = [first.statistic.keys[known[0][key]] for key in common]
        owners = None if first.owners is None else [first.owners.get(key) for key in keys]
        strata = None if first.strata is None else [first.strata[key] for key in keys]
        groups = {key for key, _ in common}
        fixed = None if first.labelled is None or not common else FixedGroups.of(entrants, groups)
        called = "group" if any(one.is_grouped for one in entrants) else unit
        return cls(entrants, positions.reshape(len(common), len(entrants)), called, *drawn_by(owners, strata), fixed)

    def __len__(self) -> int:
        return len(self.positions)

    def units(self, run: int) -> Any:
        """Return the contributions of the common units to the figure of the run with the index `run`."""
        units = np.asarray(self.entrants[run].statistic.units, dtype=np.float64)
        return units[self.positions[:, run]] if len(self) else np.zeros((0, 1))

    def value(self, run: int) -> float | None:
        """Return the figure of the run with the index `run` over the common units; None if it is undefined."""
        if not len(self):
            return None
        units = self.units(run)
        if not units.shape[1]:  # no contributions are known, so no record can be left out
            return self.entrants[run].statistic.value()
        if self._is_mean(run, units):
            return mean_or_none(units[:, 0].tolist())
        found = float(self.entrants[run].statistic.of_counts(units, np.ones((1, len(self))))[0])
        return None if math.isnan(found) else found

    def _are_means(self, runs: Iterable[int], sides: Iterable[Any]) -> bool:
        """Return True if the figure of each run is a plain mean of its units' contributions.

        Args:
            runs: The indices of the runs.
            sides: The contributions of the units in each of these runs.
        """
        return all(map(self._is_mean, runs, sides))

    def _is_mean(self, run: int, units: Any) -> bool:
        """Return True if the figure of a run, which its spec may define in any way, is the plain mean of one number per
        unit.

        Args:
            run: The index of the run.
            units: The contributions of the units.
        """
        statistic = self.entrants[run].statistic
        if not isinstance(statistic, SumStatistic) or units.shape[1] != 2 or not (units[:, 1] == 1.0).all():
            return False
        return float(statistic.finish(6.0, 4.0)) == 1.5 and float(statistic.finish(5.0, 8.0)) == 0.625

    def difference(self, one: int, two: int) -> float | None:
        """Return the figure of the run with the index `two` minus that of the run with the index `one`; for means, the
        mean of the changes. None if either is undefined."""
        first, second = self.value(one), self.value(two)
        if first is None or second is None:
            return None
        sides = self.units(one), self.units(two)
        is_mean = self._are_means((one, two), sides)
        return mean_or_none((sides[1][:, 0] - sides[0][:, 0]).tolist()) if is_mean else second - first

    def test(self, one: int, two: int, chances: Chances) -> PairedTest:
        """Return the test of whether the figures of the runs with the indices `one` and `two` differ.

        Means are tested by the units' changes, other functions of sums by each unit's contribution to the difference.
        All other figures are tested by exchanging the answers of the two runs at random.
        """
        found = self._test(one, two, chances)
        note = None if self.fixed is not None or len(self) >= FEWEST else FEW_WHOLE.get(self.unit)
        return (
            found
            if found.interval is None or note is None
            else found._replace(interval=replace(found.interval, note=note))
        )

    def _test(self, one: int, two: int, chances: Chances) -> PairedTest:
        first, second = self.value(one), self.value(two)
        if first is None or second is None:
            return PairedTest(None, None)
        sides = self.units(one), self.units(two)
        if not all(side.shape[1] for side in sides):
            return PairedTest(None, None)
        how: dict[str, Any] = chances._asdict()
        if self.fixed is not None:
            moved = self.fixed.influences(self.fixed.others[:, two] - self.fixed.others[:, one])
            if moved is None:
                return PairedTest(None, None)
            within = Within(self.fixed.numbers, self.fixed.changed(one, two))
            return paired_parts(second - first + moved, second - first, within, **how)
        if self._are_means((one, two), sides):
            return paired((sides[1][:, 0] - sides[0][:, 0]).tolist(), self.owners, self.strata, **how)
        if all(isinstance(self.entrants[run].statistic, SumStatistic) for run in (one, two)):
            parts, of_strata = self._parts(one, two, second - first)
            if parts is not None:
                return paired_parts(parts, second - first, of_strata, **how)
        return self._exchanged(one, two, second - first, chances)

    def _parts(self, one: int, two: int, difference: float) -> tuple[Any, Within | None]:
        """Return the jackknife pseudo-value of the difference for each unit, None if the difference is undefined
        without one of the units; and information about strata, None if units are not drawn within strata.

        Args:
            one: The index of the first run.
            two: The index of the second run.
            difference: The difference of their figures.
        """
        numbers, within = drawn_numbers(len(self), self.owners, self.strata)
        units = sums_by(np.hstack((self.units(one), self.units(two))), numbers, len(within))
        n, width = len(units), units.shape[1] // 2
        finish: list[Any] = [getattr(self.entrants[run].statistic, "finish", None) for run in (one, two)]

        def between(*sums: Any) -> Any:
            return finish[1](*sums[width:]) - finish[0](*sums[:width])

        if self.strata is not None:
            others = others_within(of_sums(between, range(n), units, width=2 * width), units, within)
            changed = int((units[:, :width] != units[:, width:]).any(axis=1).sum())
            parts = difference + influences_within(others, within) if np.isfinite(others).all() else None
            return parts, Within(within, changed)
        left = np.array([math.fsum(column) for column in units.T.tolist()]) - units
        found = n * difference - (n - 1) * between(*left.T)
        if n < 2 or not np.isfinite(found).all():
            return None, None
        return found + (difference - math.fsum(found.tolist()) / n), None

    def _exchanged(self, one: int, two: int, seen: float, chances: Chances) -> PairedTest:
        """Return the test of a difference by comparing it with those after exchanging units between the two runs at
        random.

        Args:
            one: The index of the first run.
            two: The index of the second run.
            seen: The difference of their figures.
            chances: The settings of the random draws.
        """
        sides = [self._tagged(run) for run in (one, two)]
        both = sides[0].merge(sides[1]).finished()
        merged = {key: position for position, key in enumerate(number_occurrences(both.keys))}
        keys = [number_occurrences(self._tagged(run).finished().keys) for run in (one, two)]
        at = [
            np.array([merged[keys[n][position]] for position in self.positions[:, run]])
            for n, run in enumerate((one, two))
        ]
        units = np.asarray(both.units, dtype=np.float64)
        owners, _ = drawn_numbers(len(self), self.owners)
        lines = min(chances.resamples, max(LEAST, WORK // max(2 * (both.resample_cost or len(units)), 1)))
        generator, step, found = generator_for(chances.seed, "exchange"), max(1, CELLS // max(len(units), 1)), []
        for start in range(0, lines, step):
            drawn = generator.integers(0, 2, size=(min(step, lines - start), int(owners.max()) + 1))[:, owners]
            counts = [np.zeros((len(drawn), len(units))) for _ in sides]
            for side, chosen in enumerate((1 - drawn, drawn)):
                counts[side][:, at[0]], counts[side][:, at[1]] = chosen, 1 - chosen
            found.append(both.of_counts(units, counts[1]) - both.of_counts(units, counts[0]))
        differences = np.concatenate(found)
        known = differences[~np.isnan(differences)]
        things = int(owners.max()) + 1
        return exchanged(seen, known, things, confidence=chances.confidence, widest=chances.widest)

    def _tagged(self, run: int) -> Statistic:
        """Return the statistic of a run, computed after its index was added to the ids of its records, so that
        statistics of two runs can be merged."""
        entrant = self.entrants[run]
        return entrant.metric(entrant.rows.keyed([f"{run}:{key!r}" for key in entrant.rows.ids]))

    def draws(self, chances: Chances) -> Any:
        """Return the figures of all runs over resamples of the common units: a row for each resample, a column for
        each run."""
        size = len(self.entrants)
        if not len(self):
            return np.zeros((0, size))
        if self.fixed is not None:
            return self.fixed.draws([self.value(run) for run in range(size)], chances)
        units = [self.units(run) for run in range(size)]
        if self._are_means(range(size), units):
            columns = [one[:, 0].tolist() for one in units]
            return mean_draws(columns, self.owners, self.strata, seed=chances.seed, resamples=chances.resamples)
        statistics = [one.statistic for one in self.entrants]

        def figures(drawn: Any) -> Any:
            return np.column_stack(
                [one.of_counts(values, drawn) for one, values in zip(statistics, units, strict=True)]
            )

        cost = sum(one.resample_cost or len(self) for one in statistics)
        lines = min(chances.resamples, max(LEAST, WORK // max(cost, 1)))
        return figure_draws(figures, len(self), self.owners, self.strata, seed=chances.seed, resamples=lines)
