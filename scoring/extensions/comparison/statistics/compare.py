"""Compare two runs on the same records: the difference of a figure, whether it may be chance, and the scores that
changed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from scoring.extensions.comparison.statistics.paired import paired
from scoring.statistics.breakdown import hashable
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.statistic import BlockStatistic, Statistic, SumStatistic, of_sums
from scoring.statistics.strata import NONE, DrawnUnit, owners_of_strata

Scores: TypeAlias = Mapping[Any, float | None]
"""The score of each record by its id; None if it has none."""


class Flip(NamedTuple):
    """A record whose score differs between two runs: its id, and the score in the first and second run, None if it has
    none."""

    id: Any
    before: float | None
    after: float | None

    @property
    def kind(self) -> Literal["better", "worse", "appeared", "vanished"]:
        """The direction of the change: ``better`` (higher) or ``worse``; ``appeared`` or ``vanished`` if one run has no
        score."""
        if self.before is None:
            return "appeared"
        if self.after is None:
            return "vanished"
        return "better" if self.after > self.before else "worse"


class Comparison(Struct, frozen=True):
    """The comparison of two runs' scores: their means over the records that both have scored, the difference (second
    minus first) with its test, and counts of changes."""

    records: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None
    effect: float | None
    better: int
    worse: int
    equal: int
    only_first: int
    only_second: int
    flips: tuple[Flip, ...]

    @property
    def is_significant(self) -> bool:
        """Whether the hypothesis of no difference is rejected, which is so if and only if the interval excludes 0."""
        level = 1.0 - (self.interval.confidence if self.interval else 0.95)
        return self.p_value is not None and self.p_value < level

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        data = {name: value for name, value in asdict(self).items() if name not in ("interval", "flips")}
        data["interval"] = self.interval.to_json() if self.interval else None
        data["flips"] = [{**flip._asdict(), "kind": flip.kind} for flip in self.flips]
        return data


def compare_paired_scores(
    first: Scores,
    second: Scores,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 10_000,
    clusters: Mapping[Any, Any] | None = None,
    strata: Mapping[Any, str | None] | None = None,
    widest: float = 1.0,
) -> Comparison:
    """Compare two runs on the records that both scored.

    Args:
        first: The scores of the first run.
        second: The scores of the second run.
        seed: The seed of the random draws.
        confidence: The level of the interval of the difference.
        resamples: Number of random sign changes.
        clusters: The cluster of each record by its id; the records of a cluster then change together. A record without
            a cluster is one by itself.
        strata: The stratum of each record by its id, within which it is resampled.
        widest: The largest possible difference between two scores: 1 for scores from 0 to 1, infinite if unknown.

    Raises:
        NotInStrata: when a cluster is in two strata, or a stratum has a single unit.

    Examples:
        >>> found = compare_paired_scores({"a": 0.0, "b": 1.0, "c": 0.5}, {"a": 1.0, "b": 1.0, "c": None})
        >>> found.difference, found.better, found.only_first, [flip.kind for flip in found.flips]
        (0.5, 1, 1, ['vanished', 'better'])
    """
    scored = [{key: score for key, score in side.items() if score is not None} for side in (first, second)]
    both = _sorted(scored[0].keys() & scored[1].keys())
    before, after = ([side[key] for key in both] for side in scored)
    changes = list(map(sub, after, before))
    owners = None if clusters is None else [clusters.get(key) for key in both]
    within = None if strata is None else [strata.get(key) for key in both]
    tested = paired(
        changes, *drawn_by(owners, within), confidence=confidence, widest=widest, seed=seed, resamples=resamples
    )
    return Comparison(
        records=len(both),
        first=mean_or_none(before),
        second=mean_or_none(after),
        difference=mean_or_none(changes),
        interval=tested.interval,
        p_value=tested.p_value,
        effect=_effect(changes),
        better=sum(change > 0 for change in changes),
        worse=sum(change < 0 for change in changes),
        equal=sum(change == 0 for change in changes),
        only_first=len(scored[0]) - len(both),
        only_second=len(scored[1]) - len(both),
        flips=flips(first, second),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Difference(BlockStatistic):
    """The difference of a figure between two runs, `second` minus `first`; each unit's row has its contributions to
    the first figure, which are `width` columns, followed by those to the second."""

    first: Statistic
    second: Statistic
    width: int

    def merge(self, other: Any) -> Statistic:
        """Return the difference over the units of this part of the data and of another one, `other`."""
        return difference(self.first.merge(other.first), self.second.merge(other.second))

    def value(self) -> float | None:
        """Return the difference over the units of both runs, None if either figure is undefined."""
        found = float(self.of_counts(self.units, np.ones((1, self.count)))[0]) if self.count else math.nan
        return None if math.isnan(found) else found

    @property
    def resample_cost(self) -> int | None:
        """The sum of the two figures' resample costs, None if neither has one."""
        costs = [one.resample_cost for one in (self.first, self.second) if one.resample_cost is not None]
        return sum(costs) if costs else None

    @property
    def centred(self) -> tuple[float, float] | None:
        """The lowest and highest possible difference, if intervals of the figures must be centred on their values (see
        `Statistic.centred`); else None."""
        range_ = self.first.centred
        return None if range_ is None else (range_[0] - range_[1], range_[1] - range_[0])

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the difference for each resample.

        Args:
            units: The contributions of the units to both figures, a row for each unit.
            counts: How often each unit occurs, with a row for each resample.
        """
        before, after = units[:, : self.width], units[:, self.width :]
        return self.second.of_counts(after, counts) - self.first.of_counts(before, counts)


def difference(first: Statistic, second: Statistic) -> Statistic:
    """Return the statistic of the second figure minus the first, over the units that both have, which are resampled
    together.

    So its interval is that of paired data, for any kind of figure: ``interval(difference(first, second), …)``. Units
    are paired by their keys.

    Returns:
        A statistic whose keys are those of both, in the order of the first.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> from scoring.statistics.rows import Rows
        >>> before, after = Rows.of_scores([0.0, 1.0, 0.5]), Rows.of_scores([1.0, 1.0], ids=[0, 1])
        >>> found = difference(mean_score(before), mean_score(after))
        >>> found.value(), list(found.keys)
        (0.5, [0, 1])
    """
    first, second = first.finished(), second.finished()
    positions = {key: position for position, key in enumerate(number_occurrences(second.keys))}
    both = [
        (position, positions[key]) for position, key in enumerate(number_occurrences(first.keys)) if key in positions
    ]
    at = np.array(both, dtype=np.intp).reshape(-1, 2)
    sides = [np.asarray(one.units, dtype=np.float64)[at[:, n]] for n, one in enumerate((first, second)) if both]
    units = np.hstack(sides) if both else np.zeros((0, 2))
    keys = [first.keys[position] for position, _ in both]
    width = units.shape[1] // 2
    if isinstance(first, SumStatistic) and isinstance(second, SumStatistic):
        before, after = first.finish, second.finish
        return of_sums(lambda *sums: after(*sums[width:]) - before(*sums[:width]), keys, units, width=2 * width)
    return Difference(((keys, units),), first, second, width)


def number_occurrences(keys: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return each key in a pair with the number of its earlier occurrences, so that records that share an id have
    different pairs.

    Examples:
        >>> number_occurrences(["a", "b", "a"])
        [('a', 0), ('b', 0), ('a', 1)]
    """
    seen: Counter[Any] = Counter()
    found = []
    for key in map(hashable, keys):
        found.append((key, seen[key]))
        seen[key] += 1
    return found


def flips(first: Scores, second: Scores) -> tuple[Flip, ...]:
    """Return the records whose scores differ between two runs: first those that have a score in only one of them, then
    by decreasing change."""
    keys = _sorted({**first, **second})
    found = [Flip(key, first.get(key), second.get(key)) for key in keys if first.get(key) != second.get(key)]

    def size(flip: Flip) -> float:
        return math.inf if flip.before is None or flip.after is None else abs(flip.after - flip.before)

    return tuple(sorted(found, key=size, reverse=True))


def _effect(changes: Sequence[float]) -> float | None:
    """Return the mean change in units of the changes' standard deviation (Cohen's d for pairs); None if there are fewer
    than two, or all are equal."""
    n = len(changes)
    if n < 2:
        return None
    mean = math.fsum(changes) / n
    spread = math.sqrt(math.fsum((change - mean) ** 2 for change in changes) / (n - 1))
    return mean / spread if spread > 0 else None


def mean_or_none(values: Sequence[float]) -> float | None:
    """Return the mean of some scores, None if there are none."""
    return math.fsum(values) / len(values) if values else None


def _sorted(keys: Any) -> list[Any]:
    return sorted(keys, key=lambda key: (type(key).__name__, key if isinstance(key, str) else str(key)))


def drawn_by(
    clusters: Sequence[Any] | None, strata: Sequence[str | None] | None
) -> tuple[Sequence[Any] | None, Sequence[str] | None]:
    """Return the clusters unchanged, and each record's stratum, `NONE` if it has none; None if no strata are given.

    Raises:
        NotInStrata: when a cluster is in two strata, or a stratum has a single unit.
    """
    if strata is None:
        return clusters, None
    pairs = zip(strata, clusters or [None] * len(strata), strict=True)
    labels = [DrawnUnit(stratum or NONE, None if one is None else str(one), None) for stratum, one in pairs]
    return clusters, [stratum for stratum, _ in owners_of_strata(labels)]
