"""Statistics of pairs of labels, such as the predicted and the correct one, from the counts of each pair; numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from scoring.statistics.multiplicity import Times, pack_units, rekeyed, spread, unpack_units
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
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return _pairs_of_arrays(ids, first, second)
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


def _pairs_of_arrays(ids: Sequence[Any], first: Any, second: Any) -> Pairs:
    """Return what `pairs_of` does, for two arrays of floats."""
    known = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    if len(known) < len(first):
        ids, first, second = [ids[place] for place in known.tolist()], first[known], second[known]
    # Of equal labels, such as 0.0 and -0.0, the first one stands for all.
    _, index, inverse = np.unique(both := np.concatenate([first, second]), return_index=True, return_inverse=True)
    return ids, tuple(both[index].tolist()), np.stack(np.split(inverse.ravel(), 2), axis=-1)


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
        _, pairs, counts = self._counted()
        return pairs.astype(np.float64), counts

    def _counted(self) -> tuple[list[Any], Any, Any]:
        """Return the labels, the distinct pairs as indices of labels, and how often each pair occurs."""
        labels, placed = self._placed()
        size = max(len(labels), 1)
        # The number of a pair among all that are possible; in the order of numbers, pairs are sorted.
        numbers = np.concatenate([pairs[:, 0] * size + pairs[:, 1] for _, pairs in placed])
        times = np.concatenate(
            [ids.counts if isinstance(ids, Times) else np.ones(len(ids), np.int64) for ids, _ in placed]
        )
        if size * size <= _FOR_EACH * len(numbers):
            # Floats are exact up to 2 ** 53, and bincount only accepts float weights.
            found = np.bincount(numbers, times, minlength=size * size).astype(np.int64)
            different = np.flatnonzero(found)
            return labels, np.stack(np.divmod(different, size), axis=-1), found[different]
        order = np.argsort(numbers, kind="stable")
        ordered = numbers[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        counts = np.add.reduceat(times[order], starts) if len(starts) else times
        return labels, np.stack(np.divmod(ordered[starts], size), axis=-1), counts

    def compact(self) -> Statistic:
        """Return the statistic with each distinct pair stored once, with its count and without ids."""
        if len(self.blocks) == 1 and isinstance(self.blocks[0][0], Times):
            return self
        labels, pairs, counts = self._counted()
        return replace(self, blocks=((Times(counts), tuple(labels), pairs),))

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
        return list(dict.fromkeys(sorted(chain.from_iterable(labels for _, labels, _ in self.blocks))))

    @property
    def units(self) -> Any:
        """The pair of each record, as the indices of its two labels among `labels`."""
        found = [spread(ids, pairs) for ids, pairs in self._placed()[1] if len(pairs)]
        return np.concatenate(found).astype(np.float64) if found else np.zeros((0, 2))

    def _placed(self) -> tuple[list[Any], list[tuple[Sequence[Any], Any]]]:
        """Return the labels of all blocks, and the ids and the pairs of each block, as indices among these labels."""
        labels = self.labels
        if len(self.blocks) == 1:
            ids, _, pairs = self.blocks[0]
            return labels, [(ids, pairs)]
        place = dict(zip(labels, range(len(labels)), strict=True))
        numbers = [np.fromiter(map(place.__getitem__, own), np.intp, len(own)) for _, own, _ in self.blocks]
        blocks = zip(self.blocks, numbers, strict=True)
        return labels, [(ids, own[pairs] if len(own) else _NO_PAIRS) for (ids, _, pairs), own in blocks]


_NO_PAIRS = np.zeros((0, 2), np.intp)
_FOR_EACH = 4
"""Pairs are counted in a table of all that are possible, if it has at most this many cells for each of them."""


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
