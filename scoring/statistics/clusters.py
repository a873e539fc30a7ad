"""Records that belong together, such as the questions about one document: drawn as a whole by the bootstrap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scoring.statistics.exact import ExactSum
from scoring.statistics.statistic import Statistic, SumStatistic
from scoring.statistics.table import Table


class Member(NamedTuple):
    """The key of a record together with its cluster."""

    key: Any
    cluster: Any


@dataclass(frozen=True, slots=True)
class Draws:
    """What a bootstrap draws: the different units, how often each occurs, and the figure of some drawn counts."""

    units: Any
    counts: Any
    figure: Callable[[Any], Any]


def clustered_statistic(
    metric: Callable[[Any], Statistic], table: Table, clusters: Sequence[Any], *, keyed_by: str | None = None
) -> Statistic:
    """A metric whose units know their clusters; samples of one question that lie in two clusters part ways.

    Args:
        metric: The metric.
        table: The records, tasks or images.
        clusters: The cluster of each, None for one that stands alone.
        keyed_by: The column whose values are the metric's keys; their ids where None.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> from scoring.statistics.rows import Rows
        >>> clustered_statistic(mean_score, Rows.of_scores([1.0, 0.0]), ["a", "a"]).keys[0]
        Member(key=0, cluster='a')
    """
    keys = table.ids if keyed_by is None else table.column(keyed_by)
    members = [Member(hashable(key), hashable(cluster)) for key, cluster in zip(keys, clusters, strict=True)]
    return metric(table.keyed(members, keyed_by))


def clusters_of(statistic: Statistic) -> dict[Any, Any]:
    """The cluster of each unit of such a statistic."""
    return {key: key.cluster for key in statistic.keys}


def hashable(value: Any) -> Any:
    """The value where it is a plain one, else a text of it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def cluster_draws(statistic: Statistic, clusters: Mapping[Any, Any]) -> Draws:
    """What is drawn when whole clusters are; a unit without a cluster is one of its own.

    Args:
        statistic: The finished statistic.
        clusters: The cluster of each unit by its key.
    """
    members: dict[tuple[str, Any], list[int]] = {}
    for place, key in enumerate(statistic.keys):
        cluster = clusters.get(key)
        name = ("alone", place) if cluster is None else ("cluster", repr(cluster))
        members.setdefault(name, []).append(place)
    if isinstance(statistic, SumStatistic):
        return _summed(statistic, list(members.values()))
    return _kept_apart(statistic, list(members.values()))


def _summed(statistic: SumStatistic, members: Sequence[Sequence[int]]) -> Draws:
    """Each cluster becomes one unit: the sums of its records."""
    units = statistic.units
    sums = [
        [ExactSum.of(column).value for column in zip(*(units[place] for place in places), strict=True)]
        for places in members
    ]
    return unit_draws(statistic, sums)


def unit_draws(statistic: Statistic, units: Sequence[Sequence[float]]) -> Draws:
    """What is drawn when each unit is drawn for itself; equal units are counted, in a fixed order."""
    import numpy as np

    if not len(units):
        return Draws(np.zeros((0, 1)), np.zeros(0, dtype=np.int64), lambda drawn: drawn)
    different, counts = np.unique(np.asarray(units, dtype=float), axis=0, return_counts=True)
    return Draws(different, counts, lambda drawn: statistic.of_counts(different, drawn))


def _kept_apart(statistic: Statistic, members: Sequence[Sequence[int]]) -> Draws:
    """A figure that is no function of sums: the counts of the clusters become counts of their units."""
    import numpy as np

    if not members:
        return unit_draws(statistic, ())
    different, places = np.unique(np.asarray(statistic.units, dtype=float), axis=0, return_inverse=True)
    places = places.ravel()
    # Clusters with the same units are one kind, and kinds are sorted, so that the order of the records is lost.
    kinds = sorted(Counter(tuple(sorted(places[list(found)].tolist())) for found in members).items())
    held = _membership([kind for kind, _ in kinds], len(different))
    counts = np.array([count for _, count in kinds], dtype=np.int64)
    return Draws(held, counts, lambda drawn: statistic.of_counts(different, (held.T @ drawn.T).T))


def _membership(kinds: Sequence[Sequence[int]], width: int) -> Any:
    """How often each kind of cluster (rows) holds each unit (columns)."""
    import numpy as np
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds])
    columns = np.fromiter((place for kind in kinds for place in kind), dtype=np.int64)
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(kinds), width))
