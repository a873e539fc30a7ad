"""The figures of a table: each metric with its interval and bounds, over all of it and over every group of it.

Nothing here knows what the table holds: records, tasks of a suite and images take the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from scoring.data.rows.report import InputReport
from scoring.data.strict_json import canonical
from scoring.engine.road.protocol import CompiledMetric
from scoring.format.model import Intervals
from scoring.statistics.breakdown import attributes_of, parts_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from scoring.statistics.table import Table

if TYPE_CHECKING:
    from scoring.statistics.intervals import Interval

AttributeOf: TypeAlias = Callable[[str], Sequence[Any]]
"""An attribute of everything in a table, by its name."""
Describe: TypeAlias = Callable[[Sequence[int]], Mapping[str, Any]]
"""What a summary says of the things at some places beside their metrics: counts, coverage."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How the figures of a table are made.

    Args:
        metrics: The data-set metrics, the headline first.
        intervals: How confidence intervals are made.
        seed: The seed of everything that draws random numbers.
        unlisted: Whether what has an empty list as its value is in no group at all, rather than in the group of those
            that have no value.
    """

    metrics: Sequence[CompiledMetric]
    intervals: Intervals
    seed: int
    unlisted: bool = False

    def of(self, table: Table) -> list[dict[str, Any]]:
        """Each metric with its value, interval and bounds; all figures share one stream of random numbers."""
        clusters = self._clusters(table)
        return [self._figure(metric, table, clusters) for metric in self.metrics]

    def by(self, table: Table, name: str, describe: Describe) -> list[dict[str, Any]]:
        """The metrics of each group; what has a list as its value counts in each of its groups.

        Args:
            table: What is broken down.
            name: An attribute, or several crossed by " x ".
            describe: What else is said of the members of a group.
        """
        crossed = attributes_of(name)
        columns = [list(map(self._group, table.column(attribute))) for attribute in crossed]
        found = []
        for part in parts_of(columns):
            values = {"values": dict(zip(crossed, part.group, strict=True))} if len(crossed) > 1 else {}
            group = part.group[0] if len(crossed) == 1 else part.label
            figures = self.of(table.select(part.places))
            found.append({"group": group, **values, **describe(part.places), "metrics": figures})
        return found

    def _group(self, value: Any) -> Any:
        found = group_value(value)
        return None if found == [] and not self.unlisted else found

    def _figure(self, metric: CompiledMetric, table: Table, clusters: list[str | None] | None) -> dict[str, Any]:
        statistic = metric(table)
        spread = self._interval(metric, table, statistic, clusters)
        limits = _bounds(metric, table)
        return {
            "metric": metric.text,
            "value": statistic.value(),
            "interval": [spread.low, spread.high] if spread else None,
            "level": spread.confidence if spread else None,
            "method": spread.method if spread else None,
            "units": statistic.count,
            "bounds": list(limits) if limits else None,
            **({"resamples": spread.resamples} if spread and self._drew_less(spread) else {}),
            **({"details": details} if (details := statistic.details()) else {}),
        }

    def _drew_less(self, spread: Interval) -> bool:
        """Whether an interval rests on fewer resamples than the spec asks for."""
        return spread.resamples is not None and spread.resamples < self.intervals.resamples

    def _clusters(self, table: Table) -> list[str | None] | None:
        """The cluster of each, None where the spec names no attribute; a list makes one cluster as a whole."""
        name = self.intervals.cluster
        if name is None:
            return None
        return [None if value is None else canonical(value) for value in table.column(name)]

    def _interval(
        self, metric: CompiledMetric, table: Table, statistic: Statistic, column: list[str | None] | None
    ) -> Interval | None:
        """A figure's interval as the spec wants it; what is no share of records takes "auto" for a share's interval."""
        from scoring.statistics.clusters import clustered_statistic, clusters_of
        from scoring.statistics.intervals import interval

        wanted, clusters = self.intervals, None
        method = wanted.method
        if column is not None:
            statistic = clustered_statistic(metric, table, column, keyed_by=statistic.keyed_by).finished()
            clusters = clusters_of(statistic)
        elif method in ("wilson", "clopper_pearson") and not statistic.finished().is_proportion:
            method = "auto"
        return interval(
            statistic,
            seed=self.seed,
            method=method,
            confidence=wanted.confidence,
            resamples=wanted.resamples,
            clusters=clusters,
        )


def _bounds(metric: CompiledMetric, table: Table) -> tuple[float, float] | None:
    """What the metric would be if what has no score had 0, or 1; only records and tasks can lack a score."""
    if not isinstance(table, Rows) or not table.is_incomplete:
        return None
    from scoring.statistics.intervals import bounds

    return bounds(metric, table)


def group_value(value: Any) -> Any:
    """An attribute's value as breakdowns take it: what is no plain value becomes its JSON, no value at all is None.

    Examples:
        >>> group_value("de"), group_value(["de", {"a": 1}]), group_value(None)
        ('de', ['de', '{"a":1}'], None)
    """
    if isinstance(value, (list, tuple, set, frozenset)):
        return [canonical(item) if isinstance(item, (list, tuple)) else group_value(item) for item in value]
    return value if value is None or isinstance(value, (str, bool, int, float)) else canonical(value)


def note_empty(column: AttributeOf, names: Sequence[str], cluster: str | None, report: InputReport) -> None:
    """Report each attribute of a breakdown or of clusters that nothing in a table has: most likely it is misspelt."""
    written = [*(part for name in names for part in attributes_of(name)), *([cluster] if cluster else [])]
    for name in dict.fromkeys(written):
        values = column(name)
        if len(values) and all(value is None for value in values):
            report.add("empty_attributes", name)
