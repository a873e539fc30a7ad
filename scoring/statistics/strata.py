"""Strata: parts of the data that would have the same size in another sample, so that resampling is done within each.

Each drawn unit has a label with its stratum and cluster, which is used in place of the cluster's name, so that parts of
the data are merged and stored by the code for clusters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from scoring.statistics.clusters import Member, clustered_statistic, in_clusters, membership
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.multiplicity import kinds_of, sums_by
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import Statistic, SumStatistic
from scoring.statistics.table import Table

STEPS = 4_000_000
"""Limit on how many numbers are read to compute every group again without each of its records in turn."""


SHOWN = 60
"""Maximum length of names in messages, which are cut off beyond it."""

NONE = "(none)"
"""The stratum of records without one; it differs from all others, whose names are JSON."""


class NotInStrata(ValueError):
    """The exception for a figure that can't be resampled within strata; the message is the reason."""


class DrawnUnit(NamedTuple):
    """The label of a drawn unit: its stratum, its cluster, and a number that tells records without cluster apart."""

    stratum: str
    cluster: str | None
    number: int | None

    @classmethod
    def of(cls, text: str) -> DrawnUnit:
        """Return the label that a string represents; the inverse of the property `text`."""
        return cls(*json.loads(text))

    @property
    def text(self) -> str:
        """The label as text, which takes the place of a cluster's name."""
        return json.dumps(self)


class Strata(NamedTuple):
    """The assignment of a statistic's units to strata for resampling.

    Args:
        owners: The stratum of each unit, in order, and the cluster with which it is drawn as a whole.
        left: For a figure over fixed groups, the stratum of each drawn unit, the figure without the unit, and the
            unit's weight: 1 divided by the size of its group.
        drawn: The group and the label of each of these drawn units.
    """

    owners: Sequence[tuple[str, Any]] = ()
    left: Sequence[tuple[str, float, float]] | None = None
    drawn: Sequence[tuple[Any, DrawnUnit]] = ()

    def plan(self, statistic: Statistic) -> Draws:
        """Return the input for resampling in which each resample has as many units of every stratum as the data."""
        numbers = {name: place for place, name in enumerate(sorted({name for name, *_ in self.left or self.owners}))}
        if self.left is not None:
            lines = np.array([[numbers[name], *unit] for name, *unit in self.left], dtype=np.float64)
            kinds, _, counts = kinds_of(lines)
            return Draws(kinds[:, 1:2], counts, lambda drawn: drawn, kinds[:, 2], kinds[:, 0].astype(int))
        return _draws(statistic, [(numbers[name], owner) for name, owner in self.owners])


def labels_of(strata: Iterable[str | None], clusters: Iterable[str | None], *, numbered: bool) -> list[str]:
    """Return the labels of some records; if ``numbered``, records without a cluster get distinct labels.

    Records without a stratum form one stratum together.

    Examples:
        >>> labels_of(["x", "y"], ["d", None], numbered=True)
        ['["x", "d", null]', '["y", null, 1]']
    """
    pairs = enumerate(zip(strata, clusters, strict=True))
    return [
        DrawnUnit(stratum or NONE, cluster, place if numbered and cluster is None else None).text
        for place, (stratum, cluster) in pairs
    ]


def label_units(
    metric: Callable[[Any], Statistic],
    table: Table,
    found: Statistic,
    clusters: Sequence[str | None] | None,
    strata: Sequence[str | None] | None,
) -> Statistic:
    """Return a metric's statistic with units labelled by cluster, and by stratum if there are strata.

    Args:
        metric: The metric.
        table: The table of records.
        found: The metric's statistic of that table.
        clusters: The cluster of each record, None if it is in none.
        strata: The stratum of each record; if given, pass the result to `in_strata`, otherwise to `in_clusters`.
    """
    if strata is not None:
        numbered = isinstance(found, GroupStatistic)
        clusters = labels_of(strata, clusters or [None] * len(strata), numbered=numbered)
    return clustered_statistic(metric, table, clusters or (), keyed_by=found.keyed_by)


def owners_of_strata(labels: Sequence[DrawnUnit]) -> list[tuple[str, Any]]:
    """Return the stratum and the owner of each unit; raise NotInStrata for an owner in two strata, or one alone."""
    found = [(one.stratum, _owner(one, place)) for place, one in enumerate(labels)]
    if why := _crossing(labels) or _single(found):
        raise NotInStrata(why)
    return found


def merged_members(one: Statistic, other: Statistic) -> Statistic:
    """Return the statistic of two parts with labelled units, with the second's labels renumbered to stay distinct."""
    if isinstance(one, GroupStatistic) and isinstance(other, GroupStatistic):
        ahead = 1 + max((DrawnUnit.of(key.cluster).number or 0 for key in one.groups), default=-1)
        other = replace(other, groups={_ahead(key, ahead): values for key, values in other.groups.items()})
    return one.merge(other)


def _ahead(member: Member, by: int) -> Member:
    label = DrawnUnit.of(member.cluster)
    return member if label.number is None else Member(member.key, label._replace(number=label.number + by).text)


def in_strata(statistic: Statistic) -> tuple[Statistic, Strata]:
    """Return a statistic that `label_units` labelled by stratum, with its final units, and their strata.

    In a figure over groups, whole groups are drawn if each is within one stratum. If every stratum is within one group,
    as when the groups are the strata, the groups are fixed, and their records are drawn.

    Raises:
        NotInStrata: when it can't be resampled within strata; the message is the reason.
    """
    if not isinstance(statistic, GroupStatistic):
        found = statistic.finished()
        return found, Strata(owners_of_strata([DrawnUnit.of(key.cluster) for key in found.keys]))
    labelled = [(key.key, DrawnUnit.of(key.cluster), values) for key, values in statistic.groups.items()]
    if crossing := _crossing([label for _, label, _ in labelled]):
        raise NotInStrata(crossing)
    strata: dict[str, set[Any]] = {}
    for group, label, _ in labelled:
        strata.setdefault(label.stratum, set()).add(group)
    if all(len(within) == 1 for within in strata.values()):
        return _of_fixed(statistic, labelled)
    several = _in_several((json.dumps(group), label.stratum) for group, label, _ in labelled)
    if several:
        raise NotInStrata(
            f"its group {several}, which hold others, too; take `strata` that hold whole groups, or are within them"
        )
    return _of_drawn(statistic, labelled, {group: label.stratum for group, label, _ in labelled})


def _owner(label: DrawnUnit, place: Any) -> Any:
    return ("alone", place) if label.cluster is None else ("cluster", label.cluster)


def _crossing(labels: Iterable[DrawnUnit]) -> str:
    """Return a message if a cluster is in two strata, so that clusters can't be drawn within strata; "" otherwise."""
    found = _in_several((label.cluster, label.stratum) for label in labels if label.cluster is not None)
    if not found:
        return ""
    return (
        f"the cluster {found}, so it can't be drawn within one; take another `cluster`, or `strata` that hold whole "
        "clusters"
    )


def _in_several(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a message about the first name, in sorted order, that is paired with several strata; "" if none is."""
    known: dict[str, set[str]] = {}
    for name, stratum in pairs:
        known.setdefault(name, set()).add(stratum)
    for name in sorted(name for name, strata in known.items() if len(strata) > 1)[:1]:
        one, two = sorted(known[name])[:2]
        return f"{_shown(name)} is in the strata {_shown(one)} and {_shown(two)}"
    return ""


def _shown(name: str) -> str:
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}…"


def _single(owners: Iterable[tuple[str, Any]]) -> str:
    """Return a message if a stratum has a single unit, so that the spread within it is unknown; "" otherwise."""
    sizes = Counter(name for name, _ in set(owners))
    alone = sorted(name for name, size in sizes.items() if size < 2)
    more = f", and {len(alone) - 1} more strata are like it" if len(alone) > 1 else ""
    if not alone:
        return ""
    return f"the stratum {_shown(alone[0])} has a single unit, so its spread is unknown{more}; join strata"


# ---- groups


def _of_drawn(
    statistic: GroupStatistic, labelled: Iterable[tuple[Any, DrawnUnit, Any]], stratum: Mapping[Any, str]
) -> tuple[Statistic, Strata]:
    """Return the statistic and strata of a figure whose groups are drawn whole, each within its own stratum.

    ``labelled`` has the group, the label and the state of each part of a group, ``stratum`` the stratum of each group.
    """
    whole: dict[Member, list[Any]] = {}
    for group, label, values in labelled:
        whole.setdefault(Member(group, label.cluster), []).append(values)
    joined = {member: _joined(statistic, values) for member, values in whole.items()}
    found, clusters = in_clusters(replace(statistic, groups=joined))
    owners = [(stratum[group], clusters[group]) for group in found.keys]
    if alone := _single(owners):
        raise NotInStrata(alone)
    return found, Strata(owners)


def _of_fixed(statistic: GroupStatistic, labelled: Iterable[tuple[Any, DrawnUnit, Any]]) -> tuple[Statistic, Strata]:
    """Return the statistic and strata of fixed groups, made of whole strata, whose records are left out in turn.

    ``labelled`` has the group, the label and the state of each record.
    """
    groups: dict[Any, list[tuple[DrawnUnit, Any]]] = {}
    for group, label, values in labelled:
        groups.setdefault(group, []).append((label, values))
    whole = {group: _joined(statistic, [values for _, values in members]) for group, members in groups.items()}
    found = replace(statistic, groups=whole).finished()
    if not statistic.is_smooth_within or not isinstance(found, SumStatistic):
        raise NotInStrata("within fixed groups, an extreme or a majority has none")
    kept = {group: groups[group] for group in found.keys}
    drawn = [(group, label) for group, members in kept.items() for label, _ in members]
    if alone := _single((label.stratum, (group, place)) for place, (group, label) in enumerate(drawn)):
        raise NotInStrata(alone)
    if sum(len(members) * _extent(whole[group]) for group, members in kept.items()) > STEPS:
        raise NotInStrata("to make its groups again without each of their records would take too long")
    sums = np.array([part.value for part in found.sums])
    sizes = Counter(label.stratum for _, label in drawn)
    lines, scales, shares = [], [], []
    for group, members in kept.items():
        own = np.array(statistic.unit(whole[group], **statistic.options))
        size = len(members)
        for (label, _), rest in zip(members, _without_each(statistic, [values for _, values in members]), strict=True):
            unit = statistic.unit(rest, **statistic.options) if size > 1 else None
            lines.append(sums - own + (np.nan if unit is None else np.array(unit)))
            # If a group has several strata, leaving out a record must give more weight only to its own stratum.
            own_size = sizes[label.stratum]
            scales.append(own_size * (size - 1) / ((own_size - 1) * size))
            shares.append(1.0 / size)
    value = float(found.finish(*sums.tolist()))
    if not lines:
        raise NotInStrata("it has no value")
    table = np.array(lines)
    others = np.where(np.isnan(table).any(axis=1), np.nan, found.finish(*table.T))
    others = value + np.array(scales) * (others - value)
    names = [label.stratum for _, label in drawn]
    return found, Strata(left=list(zip(names, others.tolist(), shares, strict=True)), drawn=drawn)


def _joined(statistic: GroupStatistic, states: Sequence[Any]) -> Any:
    """Return the merged state of one group from some parts, merging in pairs, so that long states are rarely copied."""
    while len(states) > 1:
        pairs = zip(states[::2], states[1::2], strict=False)
        states = [*(statistic.joined(*pair) for pair in pairs), *states[len(states) // 2 * 2 :]]
    return states[0]


def _without_each(statistic: GroupStatistic, states: Sequence[Any]) -> list[Any]:
    """Return, for each part of a group, the state of the group without it; [None] for a group with a single part."""

    def both(one: Any, other: Any) -> Any:
        return other if one is None else one if other is None else statistic.joined(one, other)

    before = accumulate([None, *states[:-1]], both)
    after = list(accumulate([None, *reversed(states[1:])], both))[::-1]
    return [both(*sides) for sides in zip(before, after, strict=True)]


def _extent(state: Any) -> int:
    """Return the size of a state: the number of values and containers in it."""
    found, waiting = 0, [state]
    while waiting:
        one = waiting.pop()
        found += 1
        waiting += one.values() if isinstance(one, Mapping) else one if isinstance(one, (list, tuple)) else ()
    return found


# ---- draws


def _draws(statistic: Statistic, owners: Sequence[tuple[int, Any]]) -> Draws:
    """Return the input for resampling within strata, given the stratum and the cluster of each unit in ``owners``."""
    units = np.asarray(statistic.units, dtype=np.float64)
    known: dict[Any, int] = {}
    numbers = np.array([known.setdefault(owner, len(known)) for owner in owners], dtype=np.intp)
    strata = np.array([number for number, _ in known], dtype=np.float64)
    if isinstance(statistic, SumStatistic):
        lines, _, counts = kinds_of(np.column_stack((strata, sums_by(units, numbers, len(known)))))
        kinds = lines[:, 1:]
        weights = statistic.weights(kinds, counts)
        within = lines[:, 0].astype(int)
        return Draws(kinds, counts, lambda drawn: statistic.of_counts(kinds, drawn), weights, within)
    different, inverse, _ = kinds_of(units)
    members: list[list[int]] = [[] for _ in known]
    for number, kind in zip(numbers.tolist(), inverse.tolist(), strict=True):
        members[number].append(kind)
    keys = [(number, tuple(sorted(found))) for (number, _), found in zip(known, members, strict=True)]
    found = sorted(Counter(keys).items())
    sets = membership([kind for (_, kind), _ in found], len(different))
    counts = np.array([count for _, count in found], dtype=np.int64)
    weights = statistic.weights(different, sets.T @ counts)
    weights = sets @ (np.ones(len(different)) if weights is None else weights)
    within = np.array([number for (number, _), _ in found])
    return Draws(sets, counts, lambda drawn: statistic.of_counts(different, (sets.T @ drawn.T).T), weights, within)
