"""Accumulators of formulas over a data set: sums, means, extremes and majorities of records, and of groups of records.

A fold is one accumulator of a formula. Its state over some records is plain data that merges to the same bits in any
order: exact sums, counts, extremes; for groups of records, such a state for each group by its key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct

from scoring.statistics.exact import ExactSum
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.moments import times
from scoring.statistics.multiplicity import weighted_sums
from scoring.statistics.statistic import (
    EXTREME,
    BlockStatistic,
    Finish,
    Statistic,
    Unit,
    added,
    merged,
    missing_details,
    of_sums,
    packed,
    unpacked_counts,
)

FoldKind: TypeAlias = Literal["sum", "mean", "min", "max", "majority"]
FoldState: TypeAlias = Any
"""The state of a fold over some records, as plain data: see `RowFold` and `GroupFold`."""


class FoldColumns(NamedTuple):
    """The columns that the folds (accumulators) of a formula read, with a value for each record.

    Folds refer to columns by index: numbers, which are NaN for records to skip, and texts (keys of groups, answers).
    A column of the items of a list has a value for each item; ``items`` has, by list, each record's positions in it.
    """

    numbers: Sequence[Sequence[float]]
    texts: Sequence[Sequence[str | None]]
    items: Sequence[Sequence[range]] = ()

    def places(self, items: int, positions: Sequence[int]) -> Sequence[int]:
        """Return the positions of some records' items in columns of a list, given its index; of the records for -1."""
        return positions if items < 0 else [place for position in positions for place in self.items[items][position]]


class RowFold(Struct, frozen=True):
    """A sum, mean, extreme or majority over records, as part of a formula.

    Its state is the exact parts of the sum (``sum``); a count and such parts (``mean``); the extreme or None (``min``,
    ``max``); or for each answer the count of records that gave it and the parts of the sum of their values
    (``majority``).

    Args:
        kind: The operation on the values.
        column: The index of the column of numbers that it reads.
        answers: For a majority, the index of the column of texts with the answers.
        part: The number of the figure that it belongs to, in a figure that names others: it is over their records.
        items: The index of the list over whose items of the records it is; -1 if it is over the positions themselves.
    """

    kind: FoldKind
    column: int
    answers: int = -1
    part: int = 0
    items: int = -1

    def state(self, columns: FoldColumns, positions: Sequence[int]) -> FoldState:
        """Return the fold's state over the records at some positions of the columns."""
        positions, column = columns.places(self.items, positions), columns.numbers[self.column]
        if self.kind == "majority":
            by_answer: dict[str, list[float]] = {}
            for position in positions:
                answer = columns.texts[self.answers][position]
                if answer is not None and column[position] == column[position]:
                    by_answer.setdefault(answer, []).append(column[position])
            return {answer: (len(values), ExactSum.of(values).parts) for answer, values in by_answer.items()}
        values = [value for position in positions if (value := column[position]) == value]
        if self.kind == "sum":
            return ExactSum.of(values).parts
        if self.kind == "mean":
            return len(values), ExactSum.of(values).parts
        return (min if self.kind == "min" else max)(values, default=None)

    def join(self, one: FoldState, other: FoldState) -> FoldState:
        """Return the merged state of two parts of the records."""
        if self.kind == "sum":
            return _both(one, other)
        if self.kind == "mean":
            return one[0] + other[0], _both(one[1], other[1])
        if self.kind == "majority":
            return merged(one, other, lambda mine, theirs: (mine[0] + theirs[0], _both(mine[1], theirs[1])))
        if one is None or other is None:
            return other if one is None else one
        return (min if self.kind == "min" else max)(one, other)

    def value(self, state: FoldState) -> float:
        """Return the value of the fold from its state, NaN if no record is in it."""
        if self.kind == "sum":
            return math.fsum(state)
        if self.kind == "mean":
            return math.fsum(state[1]) / state[0] if state[0] else math.nan
        if self.kind == "majority":
            most = max((count for count, _ in state.values()), default=0)
            tied = [parts for count, parts in state.values() if count == most]
            return math.fsum(part for parts in tied for part in parts) / (most * len(tied)) if tied else math.nan
        return math.nan if state is None else state

    def unpack(self, data: Any) -> FoldState:
        """Return the state from plain data, which is not trusted.

        Raises:
            ValueError: when it is not a state of this fold.
        """
        if self.kind == "sum":
            return _parts(data)
        if self.kind == "mean":
            return int(data[0]), _parts(data[1])
        if self.kind == "majority":
            return {str(answer): (int(count), _parts(parts)) for answer, (count, parts) in data.items()}
        return None if data is None else _parts([data])[0]

    def unit(self, state: FoldState) -> Unit:
        """Return a group's contribution to a figure, given its state: one number for each of the fold's columns."""
        if self.kind == "sum":
            return (math.fsum(state),)
        if self.kind == "mean":
            return math.fsum(state[1]), float(state[0])
        return (0.0, 0.0) if state is None else (state, 1.0)


class GroupFold(Struct, frozen=True):
    """A sum, mean or extreme over groups of records; its state has, by each group's key, the states of its folds.

    Args:
        kind: The operation on the values of the groups.
        key: The index of the column of texts with the keys.
        folds: The folds within a group.
        figure: Returns the value of a group from the values of its folds, NaN if it has none.
        part: As for a `RowFold`, and so is ``items``.
    """

    kind: FoldKind
    key: int
    folds: tuple[Fold, ...]
    figure: Callable[[Sequence[Any]], Any]
    part: int = 0
    items: int = -1

    def state(self, columns: FoldColumns, positions: Sequence[int]) -> FoldState:
        """Return the fold's state over the records at some positions of the columns, except those without a key."""
        groups: dict[str, list[int]] = {}
        for position in columns.places(self.items, positions):
            key = columns.texts[self.key][position]
            if key is not None:
                groups.setdefault(key, []).append(position)
        return {key: [fold.state(columns, members) for fold in self.folds] for key, members in groups.items()}

    def join(self, one: FoldState, other: FoldState) -> FoldState:
        """Return the merged state of two parts of the records."""
        return merged(one, other, partial(merge_states, self.folds))

    def value(self, state: FoldState) -> float:
        """Return the value of the fold from its state, over those groups that have a value."""
        return _over(self.kind, [value for one in state.values() if (value := self.of_group(one)) == value])

    def of_group(self, states: Sequence[FoldState]) -> float:
        """Return the value of one group from the states of its folds."""
        return float(self.figure([fold.value(one) for fold, one in zip(self.folds, states, strict=True)]))

    def unpack(self, data: Any) -> FoldState:
        """Return the state from plain data, which is not trusted.

        Raises:
            ValueError: when it is not a state of this fold.
        """
        return {str(key): states_from_data(self.folds, states) for key, states in data.items()}

    def unit(self, state: FoldState) -> Unit:
        """Return one group's contribution to a figure, given the states of its folds; NaN if the group has no value."""
        value = self.of_group(state)
        return (value,) if self.kind == "sum" else (value, 1.0)


Fold: TypeAlias = RowFold | GroupFold


def merge_states(folds: Sequence[Fold], one: Sequence[FoldState], other: Sequence[FoldState]) -> list[FoldState]:
    """Return the state of each fold over two parts of the data, given the states over either."""
    return [fold.join(mine, theirs) for fold, mine, theirs in zip(folds, one, other, strict=True)]


def states_from_data(folds: Sequence[Fold], data: Any) -> list[FoldState]:
    """Return the states of some folds from plain data.

    Raises:
        ValueError: when the data belong to other folds.
    """
    return [fold.unpack(state) for fold, state in zip(folds, data, strict=True)]


def widths(folds: Sequence[Fold]) -> list[int]:
    """Return how many columns each fold (a sum, mean or extreme) has in the array of a figure's units: 1 for a sum,
    else 2, the second with counts."""
    return [1 if fold.kind == "sum" else 2 for fold in folds]


def fold_values(folds: Sequence[Fold], columns: Sequence[Any], divide: Callable[[Any, Any], Any]) -> list[Any]:
    """Return the value of each fold, given the sums (for extremes, the extreme) of the columns of a figure's units."""
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
        raise ValueError("a sum that is not a finite number")
    return found


def _over(kind: FoldKind, values: Sequence[float]) -> float:
    if kind == "sum":
        return math.fsum(values)
    if not values:
        return math.nan
    return math.fsum(values) / len(values) if kind == "mean" else min(values) if kind == "min" else max(values)


@dataclass(frozen=True, slots=True, eq=False)
class FormulaExtremes(BlockStatistic):
    """A formula that contains a minimum or maximum over all records: it needs all units, and has no interval.

    ``folds`` defines the columns of the units, see `widths`.
    """

    finish: Finish
    folds: tuple[Fold, ...]
    no_interval = EXTREME

    def value(self) -> float | None:
        """Return the formula's value from the sums and extremes; None if no record counts."""
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
        """Return the formula's value for each line of counts, which state how often each unit occurs."""
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
    """A formula over groups of records; a group's state is its number of records and the states of the folds."""

    folds: tuple[Fold, ...] = ()

    @property
    def is_smooth_within(self) -> bool:
        """Whether it consists of sums and means; extremes and majorities of a group change by jumps, or not at all."""
        waiting, kinds = [*self.folds], set[FoldKind]()
        while waiting:
            fold = waiting.pop()
            kinds.add(fold.kind)
            waiting += fold.folds if isinstance(fold, GroupFold) else ()
        return kinds <= {"sum", "mean"}

    def joined(self, one: Any, other: Any) -> Any:
        """Return the merged state of one group from two parts."""
        return (one[0] + other[0], *map(join_in_group, self.folds, one[1:], other[1:]))

    def unpacked(self, data: Any) -> Any:
        """Return the state of one group from plain data."""
        count, *states = data
        if len(states) != len(self.folds):
            raise ValueError(f"{len(states)} accumulators in place of {len(self.folds)}")
        return (int(count), *map(_unpacked_in_group, self.folds, states))

    def size(self, values: Any) -> int:
        """Return the number of records of one group from its state."""
        return int(values[0])

    def of_units(self, keys: Sequence[Any], units: Sequence[Unit]) -> BlockStatistic:
        """Return the statistic of the whole formula, given the key and the contribution of each group."""
        return of_units(self.folds, self.finish, keys, units)

    def details(self) -> dict[str, Any]:
        """Return the counts that the value is based on: groups, groups without a value, records of the other groups,
        and records that are in no group or don't count."""
        found = GroupStatistic.details(self)
        without = found.pop("left_out")
        return {**found, **({"without_value": without} if without else {})}


@dataclass(frozen=True, slots=True, eq=False)
class FormulaGroupings(Statistic):
    """A formula over several groupings of the records, such as by answer and by label, which no resample can draw.

    Args:
        figure: Returns the value of the formula from the values of its folds, NaN if it has none.
        folds: The folds of the formula.
        states: The state of each fold.
        records: The number of records that are included.
        missing: The number of records that are not included, by reason.
        no_interval: The reason why it has no interval.
    """

    figure: Callable[[Sequence[Any]], Any]
    folds: tuple[Fold, ...]
    states: Sequence[FoldState]
    records: int
    missing: Mapping[str, int]
    no_interval: str = "a figure over several groupings has none"

    def merge(self, other: FormulaGroupings) -> FormulaGroupings:
        """Return the statistic of both parts of the data."""
        states, missing = merge_states(self.folds, self.states, other.states), added(self.missing, other.missing)
        return replace(self, states=states, records=self.records + other.records, missing=missing)

    def value(self) -> float | None:
        """Return the value of the formula, None if it has none."""
        found = self.figure([fold.value(one) for fold, one in zip(self.folds, self.states, strict=True)])
        return found if self.records and not math.isnan(found) else None

    @property
    def keys(self) -> Sequence[Any]:
        """The positions 0, 1, 2, … of the included records, in place of their ids, which are not kept."""
        return range(self.records)

    @property
    def units(self) -> Any:
        """The contribution of each record, which is not kept."""
        return np.zeros((self.records, 0))

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return NaN for each row of counts, since records can't be drawn."""
        return np.full(len(counts), np.nan)

    def pack(self) -> Any:
        """Return the states of the folds, and the numbers of records, as plain data."""
        return {"states": list(self.states), "records": self.records, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the plain data that `pack` returns."""
        states = states_from_data(self.folds, data["states"])
        return replace(self, states=states, records=int(data["records"]), missing=unpacked_counts(data))

    def details(self) -> dict[str, Any]:
        """Return the number of records that don't count, by reason."""
        return missing_details(self.missing)


def state_in_group(fold: Fold, columns: FoldColumns, positions: Sequence[int]) -> FoldState:
    """Return a fold's state over the records of one group that is drawn whole; for a `GroupFold`, its folds' states.

    None stands for a group without records for the figure that the fold belongs to.
    """
    if not positions:
        return None
    if isinstance(fold, GroupFold):
        return [inner.state(columns, positions) for inner in fold.folds]
    return fold.state(columns, positions)


def join_in_group(fold: Fold, one: FoldState, other: FoldState) -> FoldState:
    """Return the merged state, as returned by `state_in_group`, of two parts of a group."""
    if one is None or other is None:
        return other if one is None else one
    return merge_states(fold.folds, one, other) if isinstance(fold, GroupFold) else fold.join(one, other)


def _unpacked_in_group(fold: Fold, data: Any) -> FoldState:
    if data is None:
        return None
    return states_from_data(fold.folds, data) if isinstance(fold, GroupFold) else fold.unpack(data)


def group_unit(state: Sequence[FoldState], *, folds: Sequence[Fold]) -> Unit | None:
    """Return a group's contribution to the units of a figure, None if a figure over groups has no value for it.

    Of a figure that names others, each is left out of the contribution where it has no value for the group.
    """
    found: dict[int, list[Unit | None]] = {}
    for fold, one in zip(folds, state[1:], strict=True):
        unit = None if one is None else fold.unit(one)
        found.setdefault(fold.part, []).append(None if unit is None or any(map(math.isnan, unit)) else unit)
    lacking = {part for part, units in found.items() if None in units}
    if len(lacking) == len(found):
        return None
    order = {part: iter(units) for part, units in found.items()}
    return tuple(
        number
        for fold, width in zip(folds, widths(folds), strict=True)
        for number in ([0.0] * width if fold.part in lacking else next(order[fold.part]) or ())
    )


def of_units(
    folds: tuple[Fold, ...], finish: Finish, ids: Sequence[Any], units: Any, missing: Mapping[str, int] | None = None
) -> BlockStatistic:
    """Return the statistic of a formula from the contribution of each record or group.

    Args:
        folds: The formula's accumulators.
        finish: Computes the formula from the columns of the folds, see `widths`.
        ids: The id of each record or group that counts.
        units: The contributions, one line for each id.
        missing: The number of records that are not included, by reason.
    """
    lines = np.asarray(units, dtype=np.float64).reshape(len(ids), sum(widths(folds)))
    if any(fold.kind in ("min", "max") for fold in folds):
        return FormulaExtremes(((ids, lines),), finish, folds, missing=missing or {})
    return of_sums(finish, ids, lines, width=lines.shape[1], missing=missing)
