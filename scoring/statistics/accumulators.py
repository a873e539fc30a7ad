"""Accumulators of formulas over a data set: sums, means, extremes and majorities of records or groups.

A fold is one accumulator of a formula. What it holds of some records is plain data that can be merged in any order to
the same bits: exact sums, counts, extremes; over groups of records the same for each group, by its key.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from scoring.statistics.exact import ExactSum, weighted_sums
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.moments import times
from scoring.statistics.statistic import BlockStatistic, Finish, Unit, merged, of_sums

FoldKind: TypeAlias = Literal["sum", "mean", "min", "max", "majority"]
FoldState: TypeAlias = Any
"""The state of a fold over some records, as plain data: see `RowFold` and `GroupFold`."""


class FoldColumns(NamedTuple):
    """The columns that the folds of a formula read.

    Numbers and texts (keys of groups, answers) for each record, by the place of a fold's column; NaN where it passes
    over one.
    """

    numbers: Sequence[Sequence[float]]
    texts: Sequence[Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class RowFold:
    """An accumulator over records.

    It holds exact parts of the sum (``sum``), how many and such parts (``mean``), the extreme or None (``min``,
    ``max``), or by each answer how many gave it and the parts of the sum of their values (``majority``).

    Args:
        kind: What it does with the values.
        column: Which column of numbers it reads.
        answers: Which column of texts has the answers, of a majority.
    """

    kind: FoldKind
    column: int
    answers: int = -1

    def hold(self, columns: FoldColumns, places: Sequence[int]) -> FoldState:
        """Return the state for the records at some positions."""
        column = columns.numbers[self.column]
        if self.kind == "majority":
            given: dict[str, list[float]] = {}
            for place in places:
                answer = columns.texts[self.answers][place]
                if answer is not None and column[place] == column[place]:
                    given.setdefault(answer, []).append(column[place])
            return {answer: (len(values), ExactSum.of(values).parts) for answer, values in given.items()}
        values = [value for place in places if (value := column[place]) == value]
        if self.kind == "sum":
            return ExactSum.of(values).parts
        if self.kind == "mean":
            return len(values), ExactSum.of(values).parts
        return (min if self.kind == "min" else max)(values, default=None)

    def join(self, one: FoldState, other: FoldState) -> FoldState:
        """Return the merged state."""
        if self.kind == "sum":
            return _both(one, other)
        if self.kind == "mean":
            return one[0] + other[0], _both(one[1], other[1])
        if self.kind == "majority":
            return merged(one, other, lambda mine, theirs: (mine[0] + theirs[0], _both(mine[1], theirs[1])))
        if one is None or other is None:
            return other if one is None else one
        return (min if self.kind == "min" else max)(one, other)

    def value(self, held: FoldState) -> float:
        """Return the value of a state, NaN for no records."""
        if self.kind == "sum":
            return math.fsum(held)
        if self.kind == "mean":
            return math.fsum(held[1]) / held[0] if held[0] else math.nan
        if self.kind == "majority":
            most = max((count for count, _ in held.values()), default=0)
            tied = [parts for count, parts in held.values() if count == most]
            return math.fsum(part for parts in tied for part in parts) / (most * len(tied)) if tied else math.nan
        return math.nan if held is None else held

    def unpack(self, data: Any) -> FoldState:
        """Return the state from plain data, which may come from an untrusted source.

        Raises:
            ValueError: when it is nothing that this fold holds.
        """
        if self.kind == "sum":
            return _parts(data)
        if self.kind == "mean":
            return int(data[0]), _parts(data[1])
        if self.kind == "majority":
            return {str(answer): (int(count), _parts(parts)) for answer, (count, parts) in data.items()}
        return None if data is None else _parts([data])[0]

    def unit(self, held: FoldState) -> Unit:
        """Return the contribution of a group of records to the columns of `widths`."""
        if self.kind == "sum":
            return (math.fsum(held),)
        if self.kind == "mean":
            return math.fsum(held[1]), float(held[0])
        return (0.0, 0.0) if held is None else (held, 1.0)


@dataclass(frozen=True, slots=True)
class GroupFold:
    """An accumulator over groups of records; its state has the states of the inner folds by group.

    Args:
        kind: What it does with the values of the groups.
        key: Which column of texts has the keys.
        folds: What is added up within a group.
        figure: The value of a group from those of its folds, NaN where it has none.
    """

    kind: FoldKind
    key: int
    folds: tuple[Fold, ...]
    figure: Callable[[Sequence[float]], float]

    def hold(self, columns: FoldColumns, places: Sequence[int]) -> FoldState:
        """Return the state for the records at some positions; one without a key is in no group."""
        groups: dict[str, list[int]] = {}
        for place in places:
            key = columns.texts[self.key][place]
            if key is not None:
                groups.setdefault(key, []).append(place)
        return {key: [fold.hold(columns, members) for fold in self.folds] for key, members in groups.items()}

    def join(self, one: FoldState, other: FoldState) -> FoldState:
        """Return the merged state."""
        return merged(one, other, partial(joined, self.folds))

    def value(self, held: FoldState) -> float:
        """Return the value over the groups that have one."""
        return _over(self.kind, [value for one in held.values() if (value := self.of_group(one)) == value])

    def of_group(self, held: Sequence[FoldState]) -> float:
        """Return the value of one group."""
        return self.figure([fold.value(one) for fold, one in zip(self.folds, held, strict=True)])

    def unpack(self, data: Any) -> FoldState:
        """Return the state from plain data, which may come from an untrusted source.

        Raises:
            ValueError: when it is nothing that this fold holds.
        """
        return {str(key): unpacked(self.folds, held) for key, held in data.items()}

    def unit(self, held: FoldState) -> Unit:
        """Return the contribution of one group to the columns of `widths`; NaN if it has no value."""
        value = self.of_group(held)
        return (value,) if self.kind == "sum" else (value, 1.0)


Fold: TypeAlias = RowFold | GroupFold


def joined(folds: Sequence[Fold], one: Sequence[FoldState], other: Sequence[FoldState]) -> list[FoldState]:
    """Return the merged states of some folds."""
    return [fold.join(mine, theirs) for fold, mine, theirs in zip(folds, one, other, strict=True)]


def unpacked(folds: Sequence[Fold], data: Any) -> list[FoldState]:
    """Return the states of some folds from plain data.

    Raises:
        ValueError: when it is of other folds.
    """
    return [fold.unpack(held) for fold, held in zip(folds, data, strict=True)]


def widths(folds: Sequence[Fold]) -> list[int]:
    """Return how many columns each fold has in the units of a figure: a sum one; others a second one that counts."""
    return [1 if fold.kind == "sum" else 2 for fold in folds]


def fold_values(folds: Sequence[Fold], columns: Sequence[Any], divide: Callable[[Any, Any], Any]) -> list[Any]:
    """Return the value of each fold from the columns of a figure's units, added up; of extremes the extreme itself."""
    found, place = [], 0
    for fold, width in zip(folds, widths(folds), strict=True):
        found.append(divide(columns[place], columns[place + 1]) if fold.kind == "mean" else columns[place])
        place += width
    return found


def _both(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    return ExactSum.of([*one, *other]).parts


def _parts(data: Any) -> tuple[float, ...]:
    found = tuple(map(float, data))
    if not all(map(math.isfinite, found)):
        raise ValueError("a sum that is no finite number")
    return found


def _over(kind: FoldKind, values: Sequence[float]) -> float:
    if kind == "sum":
        return math.fsum(values)
    if not values:
        return math.nan
    return math.fsum(values) / len(values) if kind == "mean" else min(values) if kind == "min" else max(values)


@dataclass(frozen=True, slots=True, eq=False)
class FormulaExtremes(BlockStatistic):
    """A formula of which a part is the least or the greatest of all: it needs its units, and has no interval.

    ``folds`` says what the columns of the units are, see `widths`.
    """

    finish: Finish
    folds: tuple[Fold, ...]
    fewest = sys.maxsize  # resamples never tell how far an extreme spreads

    def value(self) -> float | None:
        """Return the formula of the sums and the extremes; None where no record counts."""
        if not self.count:
            return None
        units, counts = self.kinds()
        columns: list[float] = []
        for fold, width in zip(self.folds, widths(self.folds), strict=True):
            place = len(columns)
            if fold.kind in ("sum", "mean"):
                columns += [times(units[:, place + more], counts).value for more in range(width)]
            else:
                known = units[units[:, place + 1] > 0, place]
                columns += [float(getattr(known, fold.kind)()) if len(known) else math.nan, 1.0]
        found = float(self.finish(*columns))
        return None if math.isnan(found) else found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the formula when each unit occurs `counts` times."""
        sums, columns = weighted_sums(units, counts).T, list[Any]()
        for fold, width in zip(self.folds, widths(self.folds), strict=True):
            place = len(columns)
            if fold.kind in ("sum", "mean"):
                columns += [sums[place + more] for more in range(width)]
                continue
            worst = np.inf if fold.kind == "min" else -np.inf
            drawn = np.where((counts > 0) & (units[:, place + 1] > 0), units[:, place], worst)
            found = drawn.min(axis=-1) if fold.kind == "min" else drawn.max(axis=-1)
            columns += [np.where(np.isinf(found), np.nan, found), sums[place + 1]]
        return self.finish(*columns)


@dataclass(frozen=True, slots=True, eq=False)
class FormulaGroups(GroupStatistic):
    """A formula over groups of records: the state of each is its number of records, and the states of the folds."""

    folds: tuple[Fold, ...] = ()

    @property
    def is_smooth_within(self) -> bool:
        """Whether it consists of sums and means; extremes and majorities of a group change in steps."""
        waiting, kinds = [*self.folds], set[FoldKind]()
        while waiting:
            fold = waiting.pop()
            kinds.add(fold.kind)
            waiting += fold.folds if isinstance(fold, GroupFold) else ()
        return kinds <= {"sum", "mean"}

    def joined(self, one: Any, other: Any) -> Any:
        """Return the merged state of one group."""
        return (one[0] + other[0], *map(join_in_group, self.folds, one[1:], other[1:]))

    def unpacked(self, data: Any) -> Any:
        """Return the state of one group from plain data."""
        count, *held = data
        if len(held) != len(self.folds):
            raise ValueError(f"{len(held)} accumulators in place of {len(self.folds)}")
        return (int(count), *map(_unpacked_in_group, self.folds, held))

    def size(self, values: Any) -> int:
        """Return how many records one group has."""
        return int(values[0])

    def of_units(self, keys: Sequence[Any], units: Sequence[Unit]) -> BlockStatistic:
        """Return the statistic of the groups' contributions."""
        return of_units(self.folds, self.finish, keys, units)

    def details(self) -> dict[str, Any]:
        """Return the numbers of groups, of groups without a value, and of records in groups, in none, and without a
        value."""
        found = GroupStatistic.details(self)
        without = found.pop("left_out")
        return {**found, **({"without_value": without} if without else {})}


def hold_in_group(fold: Fold, columns: FoldColumns, places: Sequence[int]) -> FoldState:
    """Return the state of a fold for one resampled group; of folds over groups, the parts inside it."""
    if isinstance(fold, GroupFold):
        return [inner.hold(columns, places) for inner in fold.folds]
    return fold.hold(columns, places)


def join_in_group(fold: Fold, one: FoldState, other: FoldState) -> FoldState:
    """Return the same of two parts of the group."""
    return joined(fold.folds, one, other) if isinstance(fold, GroupFold) else fold.join(one, other)


def _unpacked_in_group(fold: Fold, data: Any) -> FoldState:
    return unpacked(fold.folds, data) if isinstance(fold, GroupFold) else fold.unpack(data)


def group_unit(held: Sequence[FoldState], *, folds: Sequence[Fold]) -> Unit | None:
    """Return the contribution of a group to a figure's units, None if a figure over groups has no value for it."""
    found = [part for fold, one in zip(folds, held[1:], strict=True) for part in fold.unit(one)]
    return None if any(map(math.isnan, found)) else tuple(found)


def of_units(
    folds: tuple[Fold, ...], finish: Finish, ids: Sequence[Any], units: Any, missing: Mapping[str, int] | None = None
) -> BlockStatistic:
    """Return the statistic of a formula from the contributions of records or groups.

    Args:
        folds: Its accumulators.
        finish: The formula, from the columns that `widths` says.
        ids: The id of each that counts.
        units: What each adds, one line for each.
        missing: How many records do not count, by why.
    """
    lines = np.asarray(units, dtype=np.float64).reshape(len(ids), sum(widths(folds)))
    if any(fold.kind in ("min", "max") for fold in folds):
        return FormulaExtremes(((ids, lines),), finish, folds, missing=missing or {})
    return of_sums(finish, ids, lines, width=lines.shape[1], missing=missing)
