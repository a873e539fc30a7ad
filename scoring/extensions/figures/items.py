"""Formulas over the items of lists in the records, such as `items(record.slots, mean(per(item.label, …)))`."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from scoring.compiler.formulas.formula_metric import FormulaMetric, ReadOfRecord
from scoring.compiler.programs.expression_values import column_of
from scoring.extensions.figures.record_pairs import PairFold
from scoring.lang.places import part_of
from scoring.lang.tree import ITEM, Path
from scoring.statistics.accumulators import (
    Fold,
    FoldColumns,
    FormulaGroupings,
    GroupFold,
    of_units,
    states_from_data,
    widths,
)
from scoring.statistics.exact import ExactSum
from scoring.statistics.multiplicity import Times, rekeyed
from scoring.statistics.rows import Rows, taken
from scoring.statistics.statistic import EXTREME, Statistic, SumStatistic, divide, unpacked_counts

Contribution: TypeAlias = tuple[Any, ...]
"""What one record contributes to some folds: for each, its numbers, or, by key, its contribution to each group."""

CELLS = 2_000_000
"""Maximum number of sums that are held for resamples at a time."""

_NO_LIST = "is not a list"


# ---- the metric


class ItemMetric(FormulaMetric, frozen=True):
    """A metric that is a formula over accumulators, of which some are over the items of a list in each record, or over
    pairs of records.

    ``lists`` are the lists. A record counts with all of its items or not at all, and is drawn with all of them.
    """

    lists: tuple[ReadOfRecord, ...] = ()

    @property
    def read_paths(self) -> list[Path]:
        """The paths that the metric reads in the records and not in items, each once."""
        lists = {path for one in self.lists if one.compiled is not None for path in one.compiled.paths}
        # Named, since a class with slots is made anew, which `super()` alone does not know of.
        others = {path for path in super().read_paths if path.root != ITEM}
        return sorted(lists | others, key=column_of)

    @property
    def groupings(self) -> set[str]:
        """The groupings of the records, each by its key as written; "" for a figure, among others, without groups, such
        as one over the pairs of all records."""
        return super().groupings | {"" for fold in self.figure.folds if isinstance(fold, PairFold)}

    def _columns(self, rows: Rows) -> tuple[FoldColumns, dict[int, Any], dict[int, str]]:
        parts = {0, *(one.part for one in (*self.numbers, *self.texts, *self.lists))}
        missing: dict[int, dict[int, str]] = {part: {} for part in sorted(parts)}
        tables = [self._items(rows, place, missing[one.part]) for place, one in enumerate(self.lists)]
        numbers, texts = [], []
        for one in self.numbers:
            lacking = dict[int, str]()
            numbers.append(self._numbers(rows if one.items < 0 else tables[one.items].rows, one, lacking))
            owners = range(len(rows)) if one.items < 0 else tables[one.items].owners
            for place, why in lacking.items():
                missing[one.part].setdefault(owners[place], why)
        for place, one in enumerate(self.texts):
            if one.items < 0:
                texts.append(self._text_column(rows, place))
                continue
            table = tables[one.items]
            texts.append(self._texts(table.rows, one))
            for owner, text in zip(table.owners, texts[-1], strict=True):
                if text is None:
                    missing[one.part].setdefault(owner, f"no `{one.text}`")
        known = self._known(len(rows), numbers, tables, missing)
        # The items of a record that does not count are in no group either.
        spans = [
            [span if known[one.part][place] else range(0) for place, span in enumerate(table.spans)]
            for one, table in zip(self.lists, tables, strict=True)
        ]
        for one, column in zip(self.numbers, numbers, strict=True):
            if one.items < 0:
                column[list(missing[one.part])] = np.nan
        left_out = {place: why for found in missing.values() for place, why in found.items()}
        return FoldColumns(numbers, texts, spans), known, left_out

    def _known(
        self, size: int, numbers: Sequence[Any], tables: Sequence[_Items], missing: Mapping[int, Mapping[int, str]]
    ) -> dict[int, Any]:
        """Return, by the number of each figure, which records count in it: those that have something to add, or no
        items to add."""
        known = {part: np.zeros(size, dtype=bool) for part in missing}
        for one, column in zip(self.numbers, numbers, strict=True):
            has_value = ~np.isnan(column)
            if one.items < 0:
                known[one.part] |= has_value
            else:
                known[one.part][np.array(tables[one.items].owners, dtype=np.intp)[has_value]] = True
        for one, table in zip(self.lists, tables, strict=True):
            known[one.part] |= np.array([not len(span) for span in table.spans], dtype=bool)
        for part, lacking in missing.items():
            known[part][list(lacking)] = False
        return known

    def _items(self, rows: Rows, number: int, missing: dict[int, str]) -> _Items:
        """Return the items of a list, given its index, as a table with a row for each item; what an item does not have
        itself, such as a score, is that of its record.

        The reason why a record has no list is added to ``missing`` under the record's position.
        """
        owners, items, spans = list[int](), list[Any](), list[range]()
        for place, value in enumerate(self._evaluated(rows, self.lists[number])):
            found = value if isinstance(value, (list, tuple)) else ()
            if found is not value:
                why = getattr(value, "why", None)
                missing.setdefault(place, why or f"`{self.lists[number].text}` {_NO_LIST}")
            spans.append(range(len(items), len(items) + len(found)))
            items.extend(found)
            owners.extend([place] * len(found))
        read = [one.compiled for one in (*self.numbers, *self.texts) if one.items == number and one.compiled]
        paths = {path for one in read for path in one.paths}
        own = {column_of(path): [part_of(item, path.segments) for item in items] for path in paths if path.root == ITEM}
        others = {name: rows.column(name) for name in (column_of(path) for path in paths if path.root != ITEM)}
        table = replace(rows, records=(), columns=others).select(np.array(owners, dtype=np.intp))
        return _Items(replace(table, columns={**table.columns, **own}), owners, spans)

    def _of_records(self, rows: Rows, columns: FoldColumns, used: Any, why: Mapping[str, int]) -> Statistic:
        folds, places = self.figure.folds, used.tolist()
        columns = columns._replace(numbers=[np.asarray(column).tolist() for column in columns.numbers])
        states = [fold.state(columns, places) for fold in folds]
        ids = rows.ids if len(used) == len(rows) else taken(rows.ids, used)
        if any(isinstance(fold, (GroupFold, PairFold)) or fold.kind == "majority" for fold in folds):
            of = self.figure.of, folds, states, len(used), why
            if reason := _no_draws(folds):
                return FormulaGroupings(*of, no_interval=reason)
            return ItemGroups(*of, blocks=((ids, [_contribution(folds, columns, [place]) for place in places]),))
        units = [[*chain.from_iterable(_contribution(folds, columns, [place]))] for place in places]
        found = of_units(folds, self.figure.finish, ids, units, why)
        if not isinstance(found, SumStatistic):
            return found
        # The sums are those of the items, without the rounding of what each record adds.
        parts = [
            (state,) if fold.kind == "sum" else (state[1], (state[0],))
            for fold, state in zip(folds, states, strict=True)
        ]
        return dataclasses.replace(
            found, sums=tuple(ExactSum(tuple(map(float, one))) for one in chain.from_iterable(parts))
        )


class _Items(NamedTuple):
    """The items of a list in the records: a table with a row for each, the position of each one's record, and the
    positions of each record's items."""

    rows: Rows
    owners: list[int]
    spans: list[range]


def _no_draws(folds: Sequence[Fold]) -> str:
    """Return the reason why records can't be drawn for a figure of some folds; "" for sums and means."""
    for fold in folds:
        if isinstance(fold, PairFold):
            return "a figure over the pairs of all records has none"
        if fold.kind not in ("sum", "mean"):
            return "a majority of items has none" if fold.kind == "majority" else EXTREME
        if isinstance(fold, GroupFold) and (reason := _no_draws(fold.folds)):
            return reason
    return ""


def _contribution(folds: Sequence[Fold], columns: FoldColumns, positions: Sequence[int]) -> Contribution:
    """Return what the records at some positions of the columns contribute to some folds; the units of their states,
    which would be made for each record in vain."""
    found = list[Any]()
    for fold in folds:
        places = columns.places(fold.items, positions)
        if isinstance(fold, GroupFold):
            keys, groups = columns.texts[fold.key], dict[str, list[int]]()
            for place in places:
                if (key := keys[place]) is not None:
                    groups.setdefault(key, []).append(place)
            within = ((key, _contribution(fold.folds, columns, groups[key])) for key in sorted(groups))
            found.append(tuple(within))
            continue
        column = columns.numbers[fold.column]
        values = [value for place in places if (value := column[place]) == value]
        if fold.kind in ("sum", "mean"):
            found.append((math.fsum(values), float(len(values)))[: 1 if fold.kind == "sum" else 2])
        else:
            found.append(fold.unit((min if fold.kind == "min" else max)(values, default=None)))
    return tuple(found)


def _from_data(folds: Sequence[Fold], data: Any) -> Contribution:
    """Return a contribution from plain data, which is not trusted.

    Raises:
        ValueError: when the data belong to other folds.
    """
    found = list[Any]()
    for fold, width, one in zip(folds, widths(folds), data, strict=True):
        if isinstance(fold, GroupFold):
            found.append(tuple((str(key), _from_data(fold.folds, inner)) for key, inner in one))
            continue
        found.append(tuple(map(float, one)))
        if len(found[-1]) != width or not np.isfinite(found[-1]).all():
            raise ValueError("what a record adds is not finite numbers")
    return tuple(found)


# ---- the statistic


class _Table(NamedTuple):
    """The distinct contributions of records as a sparse matrix of sums, with a row for each.

    ``kinds`` has the row of each contribution. ``columns`` has, for each fold, the index of its first column, or, by
    key, for each group the index of a column that counts its records, and the columns of its folds.
    """

    kinds: Mapping[Contribution, int]
    matrix: Any
    columns: Sequence[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ItemGroups(FormulaGroupings):
    """A statistic with a formula over groups of items, such as the mean over labels of their F1, that can be resampled.

    The formula's accumulators (`folds`) are all sums or means, so each bootstrap resample of records is computed from
    the contributions of single records, which ``blocks`` hold together with the records' ids.
    """

    no_interval: str = ""
    blocks: tuple[tuple[Sequence[Any], Sequence[Contribution]], ...] = ()
    table: _Table | None = field(default=None, init=False, repr=False)
    is_smooth = True  # one record changes sums little

    def merge(self, other: Any) -> FormulaGroupings:
        """Return the statistic of both parts of the data."""
        found = dataclasses.replace(self, blocks=self.blocks + other.blocks)
        return FormulaGroupings.merge(found, other)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records that are included in the figure."""
        return list(chain.from_iterable(ids for ids, _ in self.blocks))

    @property
    def count(self) -> int:
        """The number of records that are included in the figure."""
        return self.records

    @property
    def units(self) -> Any:
        """The row of each record's contribution among the distinct ones, which are sorted."""
        kinds = self._known().kinds
        rows = [kinds[one] for ids, found in self.blocks for one in _each(ids, found)]
        return np.array(rows, dtype=np.float64).reshape(len(rows), 1)

    def kinds(self) -> tuple[Any, Any]:
        """Return the rows of the distinct contributions, and how many records have each."""
        kinds, counts = self._known().kinds, self._counts()
        found = np.array([counts[one] for one in kinds], dtype=np.int64)
        return np.arange(len(kinds), dtype=np.float64).reshape(-1, 1), found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the formula's value for each line of counts, which state how often each unit occurs."""
        table, rows = self._known(), units[:, 0].astype(np.intp)
        matrix, step = table.matrix[rows], max(1, CELLS // max(table.matrix.shape[1], 1))
        found = [np.zeros(0)]
        for start in range(0, len(counts), step):
            sums = np.asarray(counts[start : start + step], dtype=np.float64) @ matrix
            values = [_value(fold, place, sums) for fold, place in zip(self.folds, table.columns, strict=True)]
            found.append(self.figure(values))
        return np.concatenate(found)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return 1 for each record with items, and 0 for the others."""
        kinds = list(self._known().kinds)
        return np.array([float(_adds(self.folds, kinds[int(row)])) for row in units[:, 0]])

    @property
    def resample_cost(self) -> int:
        """The number of sums that a resample adds up."""
        table = self._known()
        return max(self.records, int(table.matrix.nnz) + int(table.matrix.shape[1]))

    def compact(self) -> Statistic:
        """Return the statistic with each distinct contribution stored once, with its count and without ids."""
        if len(self.blocks) == 1 and isinstance(self.blocks[0][0], Times):
            return self
        counts = self._counts()
        kinds = sorted(counts)
        return dataclasses.replace(
            self, blocks=((Times(np.array([counts[one] for one in kinds], dtype=np.int64)), kinds),)
        )

    def pack(self) -> Any:
        """Return the states of the folds, and the distinct contributions with their counts, as plain data."""
        counts = self._counts()
        kinds = sorted(counts)
        return self._packed(kinds, [counts[one] for one in kinds])

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the ids of the records, and separately what each contributes, as plain data."""
        found = [one for ids, contributions in self.blocks for one in _each(ids, contributions)]
        return self.keys, self._packed(found, [1] * len(found))

    def _packed(self, contributions: Sequence[Contribution], counts: Sequence[int]) -> Any:
        return {**FormulaGroupings.pack(self), "contributions": list(contributions), "counts": list(counts)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic from the plain data that `pack` returns; raise a ValueError if its counts are none of
        its records."""
        found = [_from_data(self.folds, one) for one in data["contributions"]]
        counts = np.array(list(map(int, data["counts"])), dtype=np.int64)
        if len(counts) != len(found) or (counts < 1).any() or counts.sum() != int(data["records"]):
            raise ValueError(f"{len(counts)} counts of {len(found)} contributions, which are not those of the records")
        states, blocks = states_from_data(self.folds, data["states"]), ((Times(counts), found),)
        missing = unpacked_counts(data)
        return dataclasses.replace(self, states=states, records=int(counts.sum()), missing=missing, blocks=blocks)

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return the statistic with these ids for its records, in order."""
        return dataclasses.replace(self, blocks=rekeyed(self.blocks, keys))

    def details(self) -> dict[str, Any]:
        """Return how many groups a figure over groups of one kind has, how many have no value, and the number of
        records that don't count, by reason."""
        groups = [
            (fold, state) for fold, state in zip(self.folds, self.states, strict=True) if isinstance(fold, GroupFold)
        ]
        found = dict[str, Any]()
        if len(groups) == 1:
            fold, states = groups[0]
            lacking = sum(value != value for value in map(fold.of_group, states.values()))
            found = {"groups": len(states), **({"without_value": lacking} if lacking else {})}
        return {**found, **FormulaGroupings.details(self)}

    def _counts(self) -> Counter[Contribution]:
        counts = Counter[Contribution]()
        for ids, found in self.blocks:
            if isinstance(ids, Times):
                for one, count in zip(found, ids.counts.tolist(), strict=True):
                    counts[one] += count
            else:
                counts.update(found)
        return counts

    def _known(self) -> _Table:
        """Return the table of the contributions, which is made once."""
        if self.table is None:
            object.__setattr__(self, "table", _table(self.folds, sorted(self._counts())))
        assert self.table is not None
        return self.table


def _each(ids: Sequence[Any], contributions: Sequence[Contribution]) -> Sequence[Contribution]:
    """Return the contribution of each record of a block, in which they may have been counted."""
    if not isinstance(ids, Times):
        return contributions
    return [one for one, count in zip(contributions, ids.counts.tolist(), strict=True) for _ in range(count)]


def _table(folds: Sequence[Fold], kinds: Sequence[Contribution]) -> _Table:
    from scipy.sparse import csr_array

    cells: list[tuple[int, int, float]] = []
    size = 0

    def place(width: int) -> int:
        nonlocal size
        size += width
        return size - width

    def columns_of(folds: Sequence[Fold]) -> list[Any]:
        return [
            {} if isinstance(fold, GroupFold) else place(width)
            for fold, width in zip(folds, widths(folds), strict=True)
        ]

    def fill(row: int, folds: Sequence[Fold], columns: Sequence[Any], contribution: Contribution) -> None:
        for fold, column, one in zip(folds, columns, contribution, strict=True):
            if not isinstance(fold, GroupFold):
                cells.extend((row, column + more, number) for more, number in enumerate(one))
                continue
            for key, inner in one:
                if key not in column:
                    column[key] = place(1), columns_of(fold.folds)
                presence, within = column[key]
                cells.append((row, presence, 1.0))
                fill(row, fold.folds, within, inner)

    found = columns_of(folds)
    for row, one in enumerate(kinds):
        fill(row, folds, found, one)
    rows, columns, numbers = zip(*cells, strict=True) if cells else ((), (), ())
    matrix = csr_array((np.array(numbers, dtype=np.float64), (rows, columns)), shape=(len(kinds), size))
    return _Table({one: row for row, one in enumerate(kinds)}, matrix, found)


def _value(fold: Fold, place: Any, sums: Any) -> Any:
    """Return the value of a fold for each line of sums, given its columns."""
    if not isinstance(fold, GroupFold):
        return sums[:, place] if fold.kind == "sum" else divide(sums[:, place], sums[:, place + 1])
    total, known = np.zeros(len(sums)), np.zeros(len(sums))
    for presence, within in place.values():
        value = fold.figure([_value(inner, one, sums) for inner, one in zip(fold.folds, within, strict=True)])
        counts = (sums[:, presence] > 0.0) & ~np.isnan(value)
        total += np.where(counts, value, 0.0)
        known += counts
    return total if fold.kind == "sum" else divide(total, known)


def _adds(folds: Sequence[Fold], contribution: Contribution) -> bool:
    """Return whether a record has any item or number to add."""
    return any(
        bool(one) if isinstance(fold, GroupFold) else any(one) for fold, one in zip(folds, contribution, strict=True)
    )
