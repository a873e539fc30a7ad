"""Whether a figure of two runs differs by more than chance: the test that fits what the figure is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scoring.late import dataclass, np
from scoring.statistics.clusters import clustered_statistic, in_clusters
from scoring.statistics.compare import mean_of, numbered
from scoring.statistics.exact import sums_by
from scoring.statistics.paired import PairedTest, exchanged, paired, paired_parts
from scoring.statistics.ranks import cluster_numbers, figure_draws, mean_draws
from scoring.statistics.resampling import CELLS, generator_for
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, SumStatistic

WORK = 2_000_000_000
"""How many numbers the exchanges of one test may read and write."""

LEAST = 200
"""So many exchanges are drawn whatever they cost."""

RowMetric = Callable[[Rows], Statistic]
"""A metric over records, with its arguments bound."""


class Chances(NamedTuple):
    """How chance is drawn: the level of intervals, a seed, how often, and how far apart two figures can lie."""

    confidence: float = 0.95
    seed: int = 0
    resamples: int = 10_000
    widest: float = math.inf


@dataclass(frozen=True, slots=True)
class RunSide:
    """A figure of one run.

    Args:
        metric: The metric.
        rows: Its records; those of all runs have the same ids.
        clusters: The cluster of each, in the order of the records; None where each stands alone.
        statistic: The finished statistic.
        owners: The cluster of each unit by its key.
    """

    metric: RowMetric
    rows: Rows
    clusters: Sequence[Any] | None
    statistic: Statistic
    owners: Mapping[Any, Any]

    @classmethod
    def of(cls, metric: RowMetric, rows: Rows, clusters: Sequence[Any] | None = None) -> RunSide:
        """The figure of some records."""
        found = metric(rows)
        if clusters is None:
            return cls(metric, rows, None, found.finished(), {})
        held = clustered_statistic(metric, rows, clusters, keyed_by=found.keyed_by)
        return cls(metric, rows, clusters, *in_clusters(held))


@dataclass(frozen=True, slots=True)
class InCommon:
    """A figure of several runs over the units that count in all of them.

    Args:
        entrants: The figure of each run.
        places: Where each common unit stands in each run, a column for each.
        owners: The cluster of each common unit, None where each stands alone.
    """

    entrants: Sequence[RunSide]
    places: Any
    owners: Sequence[Any] | None

    @classmethod
    def of(cls, entrants: Sequence[RunSide]) -> InCommon:
        """The units that all have, in the order of the first run."""
        known = [{key: place for place, key in enumerate(numbered(one.statistic.keys))} for one in entrants]
        common = [key for key in known[0] if all(key in held for held in known[1:])]
        places = np.array([[held[key] for held in known] for key in common], dtype=np.intp)
        first = entrants[0]
        keys = list(first.statistic.keys)
        owners = None if first.clusters is None else [first.owners.get(keys[known[0][key]]) for key in common]
        return cls(entrants, places.reshape(len(common), len(entrants)), owners)

    def __len__(self) -> int:
        return len(self.places)

    def units(self, run: int) -> Any:
        """What the common units add in one run."""
        held = np.asarray(self.entrants[run].statistic.units, dtype=np.float64)
        return held[self.places[:, run]] if len(self) else np.zeros((0, 1))

    def value(self, run: int) -> float | None:
        """The figure of one run over them."""
        if not len(self):
            return None
        units = self.units(run)
        if self.is_mean(units):
            return mean_of(units[:, 0].tolist())
        found = float(self.entrants[run].statistic.of_counts(units, np.ones((1, len(self))))[0])
        return None if math.isnan(found) else found

    def is_mean(self, units: Any) -> bool:
        """Whether the figure is the plain mean of a number of each unit."""
        statistic = self.entrants[0].statistic
        if not isinstance(statistic, SumStatistic) or units.shape[1] != 2 or not (units[:, 1] == 1.0).all():
            return False
        return float(statistic.finish(6.0, 4.0)) == 1.5 and float(statistic.finish(5.0, 8.0)) == 0.625

    def difference(self, one: int, two: int) -> float | None:
        """The figure of the second of two runs less that of the first; of means it is the mean of the changes."""
        first, second = self.value(one), self.value(two)
        if first is None or second is None:
            return None
        sides = self.units(one), self.units(two)
        return mean_of((sides[1][:, 0] - sides[0][:, 0]).tolist()) if all(map(self.is_mean, sides)) else second - first

    def test(self, one: int, two: int, chances: Chances) -> PairedTest:
        """Whether the figure of a run differs from that of another one.

        Means are tested by their changes, and so are other functions of sums, by what each unit adds to the
        difference. Of all else the runs exchange their answers.
        """
        first, second = self.value(one), self.value(two)
        if first is None or second is None:
            return PairedTest(None, None)
        sides = self.units(one), self.units(two)
        how: dict[str, Any] = chances._asdict()
        if all(map(self.is_mean, sides)):
            return paired((sides[1][:, 0] - sides[0][:, 0]).tolist(), self.owners, **how)
        if all(isinstance(self.entrants[run].statistic, SumStatistic) for run in (one, two)):
            parts = self._parts(one, two, second - first)
            if parts is not None:
                return paired_parts(parts, second - first, **how)
        return self._exchanged(one, two, second - first, chances)

    def _parts(self, one: int, two: int, difference: float) -> Any:
        """What each unit says of the difference, as a jackknife tells; None where it is undefined without one."""
        units = np.hstack((self.units(one), self.units(two)))
        if self.owners is not None:
            numbers = cluster_numbers(self.owners)
            units = sums_by(units, numbers, int(numbers.max()) + 1)
        n, width = len(units), units.shape[1] // 2
        left = np.array([math.fsum(column) for column in units.T.tolist()]) - units
        finish: list[Any] = [getattr(self.entrants[run].statistic, "finish", None) for run in (one, two)]
        before, after = finish[0](*left[:, :width].T), finish[1](*left[:, width:].T)
        found = n * difference - (n - 1) * (after - before)
        if n < 2 or not np.isfinite(found).all():
            return None
        return found + (difference - math.fsum(found.tolist()) / n)

    def _exchanged(self, one: int, two: int, seen: float, chances: Chances) -> PairedTest:
        """What the difference is when each unit of the two runs is given to the one or to the other by chance."""
        sides = [self._tagged(run) for run in (one, two)]
        both = sides[0].merge(sides[1]).finished()
        places = {key: place for place, key in enumerate(numbered(both.keys))}
        keys = [numbered(self._tagged(run).finished().keys) for run in (one, two)]
        at = [np.array([places[keys[n][place]] for place in self.places[:, run]]) for n, run in enumerate((one, two))]
        units = np.asarray(both.units, dtype=np.float64)
        owners = np.arange(len(self)) if self.owners is None else cluster_numbers(self.owners)
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
        """The statistic of a run whose units are called otherwise than those of any other."""
        entrant = self.entrants[run]
        return entrant.metric(entrant.rows.keyed([f"{run}:{key!r}" for key in entrant.rows.ids]))

    def draws(self, chances: Chances) -> Any:
        """The figures over resamples of the common units, a column for each run."""
        size = len(self.entrants)
        if not len(self):
            return np.zeros((0, size))
        units = [self.units(run) for run in range(size)]
        if all(map(self.is_mean, units)):
            columns = [one[:, 0].tolist() for one in units]
            return mean_draws(columns, self.owners, seed=chances.seed, resamples=chances.resamples)
        statistics = [one.statistic for one in self.entrants]

        def figures(drawn: Any) -> Any:
            return np.column_stack([one.of_counts(held, drawn) for one, held in zip(statistics, units, strict=True)])

        cost = sum(one.resample_cost or len(self) for one in statistics)
        lines = min(chances.resamples, max(LEAST, WORK // max(cost, 1)))
        return figure_draws(figures, len(self), self.owners, seed=chances.seed, resamples=lines)
