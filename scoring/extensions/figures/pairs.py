"""Statistics of pairs of labels, such as the predicted and the correct one, from the counts of each pair; numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from scoring.statistics.multiplicity import Times, count_distinct_units, pack_units, rekeyed, spread, unpack_units
from scoring.statistics.statistic import Statistic, added, missing_details, packed, unpacked_counts

Pairs: TypeAlias = tuple[Sequence[Any], tuple[Any, ...], Any]
"""Ids; the labels that occur, in order; and each pair as two indices of labels, one line for each id."""


def pairs_of(ids: Sequence[Any], first: Iterable[Hashable], second: Iterable[Hashable]) -> Pairs:
    """Return the ids, the labels and the pairs, as indices of labels, of those records that have two labels; None and
    NaN are no labels.

    Args:
        ids: The ids of the records.
        first: The first label of each record.
        second: The second label of each; all labels must be comparable with one another, since they are sorted.

    Examples:
        >>> ids, labels, places = pairs_of([1, 2, 3], ["b", "a", "c"], ["b", "b", None])
        >>> ids, labels, places.tolist()
        ([1, 2], ('a', 'b'), [[1, 1], [0, 1]])
    """
    ones, others = list(first), list(second)
    found = {*ones, *others}
    if any(label is None or label != label for label in found):
        known = [place for place, both in enumerate(zip(ones, others, strict=True)) if all(map(_is_known, both))]
        ids, ones, others = ([side[place] for place in known] for side in (ids, ones, others))
        found = {*ones, *others}
    labels: tuple[Any, ...] = tuple(sorted(found))
    place = {label: number for number, label in enumerate(labels)}
    sides = [np.fromiter(map(place.__getitem__, side), np.intp, len(ids)) for side in (ones, others)]
    return ids, labels, np.stack(sides, axis=-1)


def _is_known(label: Any) -> bool:
    return label is not None and label == label


@dataclass(frozen=True, slots=True, eq=False)
class PairStatistic(Statistic):
    """The statistic of a figure that is computed from how often each pair of labels occurs; ``missing`` counts the
    records without a pair, by reason.
    """

    blocks: tuple[Pairs, ...]
    missing: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    is_smooth = True  # one pair more or less changes the figure little

    def merge(self, other: Any) -> Statistic:
        """Return one statistic of all pairs: those of this one and of `other`, from another part of the data set."""
        return replace(self, blocks=self.blocks + other.blocks, missing=added(self.missing, other.missing))

    def details(self) -> dict[str, Any]:
        """Return the number of records that don't count, by reason."""
        return missing_details(self.missing)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records."""
        return list(chain.from_iterable(ids for ids, _, _ in self.blocks))

    @property
    def count(self) -> int:
        """The number of pairs."""
        return sum(len(ids) for ids, _, _ in self.blocks)

    def kinds(self) -> tuple[Any, Any]:
        """Return the distinct pairs, as indices among `labels` and sorted, and how often each occurs."""
        return count_distinct_units([(ids, pairs) for ids, pairs in self._placed()] or [((), np.zeros((0, 2)))])

    def compact(self) -> Statistic:
        """Return the statistic with each distinct pair stored once, with its count and without ids."""
        pairs, counts = self.kinds()
        return replace(self, blocks=((Times(counts), tuple(self.labels), pairs.astype(int)),))

    def pack(self) -> Any:
        """Return the distinct pairs with their counts, and the labels, as plain data that `unpack` reads."""
        return {**pack_units(*self.kinds()), "labels": self.labels, **packed(self.missing)}

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the ids of the records, and separately their pairs, one by one, as plain data."""
        units = self.units
        return self.keys, {**pack_units(units, np.ones(len(units))), "labels": self.labels}

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return a copy of the statistic with `keys` in place of the ids of its records, in the same order."""
        return replace(self, blocks=rekeyed(self.blocks, keys))

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic of the plain data that `pack` returned; raise a ValueError if a pair refers to
        no label.
        """
        pairs, counts = unpack_units(data)
        # A label that is a tuple has become a list in JSON.
        labels = tuple(tuple(label) if isinstance(label, list) else label for label in data["labels"])
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(labels)):
            raise ValueError("a pair of labels that are not there")
        blocks = ((Times(counts), labels, pairs.astype(int)),)
        return replace(self, blocks=blocks, missing=unpacked_counts(data))

    @property
    def labels(self) -> list[Any]:
        """All labels that occur in a pair, sorted."""
        if len(self.blocks) == 1:  # those of a block are sorted
            return list(self.blocks[0][1])
        return sorted({label for _, labels, _ in self.blocks for label in labels})

    @property
    def units(self) -> Any:
        """The pair of each record, as the indices of its two labels among `labels`."""
        found = [spread(ids, pairs) for ids, pairs in self._placed() if len(pairs)]
        return np.concatenate(found).astype(np.float64) if found else np.zeros((0, 2))

    def _placed(self) -> Iterator[tuple[Sequence[Any], Any]]:
        """Yield the ids and the pairs of each block, as indices among the labels of all blocks."""
        if len(self.blocks) == 1:
            ids, _, pairs = self.blocks[0]
            yield ids, pairs
            return
        place = {label: number for number, label in enumerate(self.labels)}
        for ids, labels, pairs in self.blocks:
            yield ids, np.array([place[label] for label in labels], np.intp)[pairs] if labels else np.zeros((0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class PairFigure(PairStatistic):
    """The statistic of a figure that the function ``figure`` computes from the indices of both labels of each pair, the
    counts of the pairs, and the labels; ``weigh`` returns the weight of each pair in it from the same arguments.
    """

    figure: Callable[[Any, Any, Any, list[Any]], Any]
    weigh: Callable[[Any, Any, Any, list[Any]], Any] | None = None

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the figure for each row of ``counts``, which states how often each pair in ``units`` occurs."""
        first, second = units.astype(int).T
        return self.figure(first, second, counts, self.labels)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the weight that each pair in ``units`` has in the figure; None if the metric does not define
        weights.
        """
        first, second = units.astype(int).T
        return None if self.weigh is None else self.weigh(first, second, counts, self.labels)


def marginals(counts: Any, owners: Any, size: int) -> Any:
    """Return, for each label (row) and each row of ``counts`` (column), how often units with the label occur.

    Args:
        counts: How often each unit (column) occurs in each resample (row).
        owners: The index of each unit's label.
        size: The number of labels.

    Examples:
        >>> import numpy as np
        >>> marginals(np.array([[1.0, 2.0, 4.0]]), np.array([1, 0, 1]), 2).tolist()
        [[2.0], [5.0]]
    """
    found = np.zeros((size, len(counts)))
    if len(owners):
        order = np.argsort(owners, kind="stable")
        present, starts = np.unique(owners[order], return_index=True)
        found[present] = np.add.reduceat(counts[:, order], starts, axis=1).T
    return found


def number_of(value: Any) -> float:
    """Return the value as a float where it is a number within the range of floats, else NaN."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def numbers(values: Iterable[Any]) -> Any:
    """Return the values as an array of floats; NaN for each one that is not a number within the range of floats."""
    column = list(values)
    plain = column if set(map(type, column)) == {float} else [number_of(value) for value in column]
    return np.array(plain, dtype=np.float64)
