"""Clusters of records that belong together, such as the questions about one document, resampled as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scoring.statistics.breakdown import hashable
from scoring.statistics.exact import sums_by
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.multiplicity import kinds_of
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import Statistic, SumStatistic
from scoring.statistics.table import Table


class Member(NamedTuple):
    """The key of a record together with its cluster."""

    key: Any
    cluster: Any


def clustered_statistic(
    metric: Callable[[Any], Statistic], table: Table, clusters: Sequence[Any], *, keyed_by: str | None = None
) -> Statistic:
    """Return a metric's statistic whose keys are `Member`s, with clusters; pass it to `in_clusters` after merging.

    ``clusters`` has the cluster of each row of the table, None for a row in none; ``keyed_by`` is the column whose
    values are the metric's keys, None if the ids are.

    Examples:
        >>> from scoring.metrics.summary import mean_score
        >>> from scoring.statistics.rows import Rows
        >>> clustered_statistic(mean_score, Rows.of_scores([1.0, 0.0]), ["a", "a"]).keys[0]
        Member(key=0, cluster='a')
    """
    prepare = getattr(metric, "prepared", None)  # the groups of a formula only become a column here
    table = prepare(table) if prepare is not None else table
    keys = table.ids if keyed_by is None else table.column(keyed_by)
    members = [Member(hashable(key), hashable(cluster)) for key, cluster in zip(keys, clusters, strict=True)]
    return metric(table.keyed(members, keyed_by))


def clusters_of(statistic: Statistic) -> dict[Any, Any]:
    """Return the cluster of each unit by its key, for a statistic whose keys are `Member`s."""
    return {key: key.cluster for key in statistic.keys}


def in_clusters(statistic: Statistic) -> tuple[Statistic, dict[Any, Any]]:
    """Return a statistic whose keys are `Member`s with its final units, and the cluster of each unit by key.

    A group, such as the samples of one question, is one unit even if its records are in several clusters, so these
    clusters are joined into one: treating the group's parts as separate groups would give the interval of another
    figure.
    """
    if not isinstance(statistic, GroupStatistic):
        found = statistic.finished()
        return found, clusters_of(found)
    whole: dict[Any, Any] = {}
    first: dict[Any, Any] = {}
    joined: dict[Any, Any] = {}

    def last(cluster: Any) -> Any:
        while cluster in joined:
            following = joined[cluster]
            joined[cluster] = joined.get(following, following)  # path compression
            cluster = following
        return cluster

    for member, values in statistic.groups.items():
        # A record without a cluster forms one with the other records of its group.
        own = ("alone", member.key) if member.cluster is None else ("cluster", member.cluster)
        known = whole.get(member.key)
        whole[member.key] = values if known is None else statistic.joined(known, values)
        one, other = last(first.setdefault(member.key, own)), last(own)
        if one != other:
            joined[one] = other
    regrouped = replace(statistic, groups=whole).finished()
    return regrouped, {key: last(first[key]) for key in regrouped.keys}


def pack_members(statistic: Statistic) -> Any:
    """Return a clustered statistic as plain data: its units one by one, each with its cluster, but without ids.

    Raises:
        NotPortable: when this kind of statistic can't be packed.
    """
    if isinstance(statistic, GroupStatistic):
        groups = [[*key, statistic.packed(values)] for key, values in statistic.groups.items()]
        return {"groups": groups, "lacking": statistic.lacking}
    keys, data = statistic.apart()
    return {**data, "clusters": [key.cluster for key in keys]}


def unpack_members(empty: Statistic, data: Any) -> Statistic:
    """Return the statistic from the data of `pack_members`; ``empty`` is the metric's statistic of no records.

    Raises:
        ValueError: when the data belong to another statistic.
    """
    if isinstance(empty, GroupStatistic):
        groups = [[Member(key, cluster), values] for key, cluster, values in data["groups"]]
        return empty.unpack({"groups": groups, "lacking": data["lacking"]})
    return empty.unpack(data).rekeyed([Member(None, cluster) for cluster in data["clusters"]])


def unit_draws(statistic: Statistic, units: Any = None) -> Draws:
    """Return the input for resampling single units: ``units``, by default the statistic's; equal ones are counted."""
    if not (statistic.count if units is None else len(units)):
        return Draws(np.zeros((0, 1)), np.zeros(0, dtype=np.int64), lambda drawn: drawn)
    if units is None:
        different, counts = statistic.kinds()
    else:
        different, _, counts = kinds_of(np.asarray(units, dtype=np.float64))
    weights = statistic.weights(different, counts)
    influence = statistic.influence(different)
    return Draws(different, counts, lambda drawn: statistic.of_counts(different, drawn), weights, influence=influence)


def cluster_draws(statistic: Statistic, clusters: Mapping[Any, Any]) -> Draws:
    """Return the input for resampling whole clusters, by the keys of their units; a unit in none is its own cluster."""
    names: dict[Any, int] = {}
    owners = []
    for place, key in enumerate(statistic.keys):
        cluster = clusters.get(key)
        owners.append(names.setdefault(place if cluster is None else repr(cluster), len(names)))
    if not owners:
        return unit_draws(statistic, ())
    units = np.asarray(statistic.units, dtype=np.float64)
    if isinstance(statistic, SumStatistic):  # each cluster is one unit: the sums of its records
        return unit_draws(statistic, sums_by(units, np.array(owners), len(names)))
    return _kept_apart(statistic, units, owners)


def _kept_apart(statistic: Statistic, units: Any, owners: Sequence[int]) -> Draws:
    """Return the input for resampling clusters, for a figure that is not a function of sums.

    ``owners`` has the number of each unit's cluster. Counts of clusters are converted to counts of units.
    """
    different, inverse, _ = kinds_of(units)
    members: dict[int, list[int]] = {}
    for owner, number in zip(owners, inverse.tolist(), strict=True):
        members.setdefault(owner, []).append(number)
    # Clusters with the same units are one kind, and kinds are sorted, so that the order of records has no effect.
    kinds = sorted(Counter(tuple(sorted(found)) for found in members.values()).items())
    sets = membership([kind for kind, _ in kinds], len(different))
    counts = np.array([count for _, count in kinds], dtype=np.int64)
    weights = statistic.weights(different, sets.T @ counts)
    weights = sets @ (np.ones(len(different)) if weights is None else weights)
    influence = statistic.influence(different)
    return Draws(
        sets,
        counts,
        lambda drawn: statistic.of_counts(different, (sets.T @ drawn.T).T),
        weights,
        influence=None if influence is None else sets @ influence,
    )


def membership(kinds: Sequence[Sequence[int]], width: int) -> Any:
    """Return a sparse matrix that counts, for each list of unit indices in ``kinds`` (rows), all ``width`` units."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds])
    columns = np.fromiter((place for kind in kinds for place in kind), dtype=np.int64)
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(kinds), width))
