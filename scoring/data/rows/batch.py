"""Records of a data set in batches, as columns, so that a record needs no object except its values; and their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from msgspec import Struct, field

from scoring.data.rows.report import InputReport
from scoring.data.rows.row import SIZE, Block

LOOKED_AT = 1_000
"""The number of records that are examined before scoring starts."""
# Numbers from here on are written by the strict writer, which may cut them.
_PLAIN = 10**1000
# From here on floats can't represent every whole number, so two ids could become one.
_EXACT = 2**53

IdsOf: TypeAlias = Callable[[Sequence[dict[str, Any]]], Sequence[Any]]


class Item(NamedTuple):
    """One record of the data set with its id and its position in the input (`where`), or the reason why it has none."""

    id: Any
    where: str
    record: dict[str, Any] | None = None
    problem: str | None = None


class Batch(Struct, frozen=True):
    """Consecutive records of a data set.

    Args:
        ids: The id of each record.
        places: The position of each in the input, such as ``line 7``.
        records: The values of each by key, None where there are none; that record then has a problem.
        problems: Why records can't be scored, by index in the batch.

    Examples:
        >>> batch = Batch(["a", "b"], ["line 1", "line 2"], [{"x": 1}, None], {1: "line 2: not JSON"})
        >>> len(batch), batch.whole(), batch[1:].problems
        (2, [{'x': 1}], {0: 'line 2: not JSON'})
    """

    ids: Sequence[Any]
    places: list[str]
    records: Sequence[dict[str, Any] | None]
    problems: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[Item]) -> Batch:
        """Return the batch of some records."""
        found = list(items)
        problems = {at: item.problem for at, item in enumerate(found) if item.problem is not None}
        columns = [item.id for item in found], [item.where for item in found], [item.record for item in found]
        return cls(*columns, problems)

    @classmethod
    def join(cls, batches: Sequence[Batch]) -> Batch:
        """Return the batch of the records of some batches, in order."""
        if len(batches) == 1:
            return batches[0]
        problems: dict[int, str] = {}
        start = 0
        for batch in batches:
            problems |= {start + at: why for at, why in batch.problems.items()}
            start += len(batch)
        columns = (
            list(chain.from_iterable(batch.ids for batch in batches)),
            list(chain.from_iterable(batch.places for batch in batches)),
            list(chain.from_iterable(batch.records for batch in batches)),
        )
        return cls(*columns, problems)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, part: slice) -> Batch:
        """Return the batch of the records of a slice without step."""
        start, stop, _ = part.indices(len(self))
        if start == 0 and stop == len(self):
            return self
        problems = {at - start: why for at, why in self.problems.items() if start <= at < stop}
        return Batch(self.ids[start:stop], self.places[start:stop], self.records[start:stop], problems)

    def whole(self) -> list[dict[str, Any]]:
        """Return the values of the records without a problem, such as a reference without a prediction."""
        if not self.problems:
            return cast("list[dict[str, Any]]", list(self.records))
        return [record for at, record in enumerate(self.records) if record is not None and at not in self.problems]


def in_batches(items: Iterable[Item]) -> Iterator[Batch]:
    """Yield records in batches, each as soon as it is full."""
    source = iter(items)
    while some := list(islice(source, SIZE)):
        yield Batch.of(some)


def one_by_one(batches: Iterable[Batch]) -> Iterator[Item]:
    """Yield the records of batches."""
    for batch in batches:
        for at, entry in enumerate(zip(batch.ids, batch.places, batch.records, strict=True)):
            yield Item(*entry, batch.problems.get(at))


def split_at(batches: Iterable[Batch], count: int) -> tuple[Batch, Iterator[Batch]]:
    """Return the first `count` records, or all if there are fewer, and an iterator over those that follow.

    Examples:
        >>> first, rest = split_at([Batch([1, 2, 3], ["", "", ""], [{}, {}, {}])], 2)
        >>> first.ids, [batch.ids for batch in rest]
        ([1, 2], [[3]])
    """
    source, taken, left = iter(batches), list[Batch](), count
    while left > 0 and (batch := next(source, None)) is not None:
        taken.append(batch[:left])
        if len(batch) > left:
            source = chain([batch[left:]], source)
        left -= len(taken[-1])
    return Batch.join(taken), source


def single(read: Iterable[Block], ids_of: IdsOf, report: InputReport, *, compare_ids: bool = True) -> Iterator[Batch]:
    """Yield the records of one table; a repeated id is reported, and all its rows are scored.

    Args:
        read: The rows of the table, in blocks.
        ids_of: A function that returns the ids of many records.
        report: The report to which oddities are added.
        compare_ids: Whether to search for repeated ids, which takes memory for each id.
    """
    seen = SeenIds()
    for block in read:
        places = block.places()
        names = ids_of([record or {} for record in block.records])
        again = _repeated(seen, names) if compare_ids else frozenset()
        problems = {at: f"{places[at]}: {why}" for at, why in sorted(block.problems.items())}
        for reason in problems.values():
            report.add("bad_rows", reason)
        for at in sorted(again):
            report.add("repeated_ids", f"{id_text(names[at])} ({places[at]})")
        for at, note in sorted(block.notes.items()):
            report.add("nan_values", f"{note} ({places[at]})")
        yield Batch(names, places, block.records, problems)


def _repeated(seen: SeenIds, names: Sequence[Any]) -> frozenset[int]:
    """Return the positions of ids (`names`) that occurred before, here or in `seen`, and add all ids to `seen`."""
    kinds = set(map(type, names))
    if kinds == {str} and all(names):  # as most are, or numbers
        return frozenset(seen.repeated(names))
    if kinds == {int} and min(names) > -_PLAIN and max(names) < _PLAIN:
        return frozenset(seen.repeated(list(map(str, names))))
    known = [(place, text) for place, name in enumerate(names) if (text := id_text(name)) is not None]
    return frozenset(known[at][0] for at in seen.repeated([text for _, text in known]))


def id_text(value: Any) -> str | None:
    """Return an id as text, None where there is none.

    Examples:
        >>> id_text(7), id_text("7"), id_text(7.0), id_text(None), id_text({"a": True})
        ('7', '7', '7', None, '{"a":true}')
    """
    if type(value) is str:
        return value or None
    if type(value) is int and abs(value) < _PLAIN:
        return str(value)
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))  # pandas turns whole numbers into floats if one is missing
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    from scoring.data.json_write import dumps

    return dumps(value)


def stood_before(runs: Sequence[Any], wanted: Any) -> Any:
    """Return a mask of the numbers in `wanted` that are in any of the sorted arrays `runs`."""
    found = np.zeros(len(wanted), dtype=np.bool_)
    for run in runs:
        found |= run[np.minimum(np.searchsorted(run, wanted), len(run) - 1)] == wanted
    return found


_RECENT = 1 << 18
"""The number of ids that are kept in a set before they are packed into a sorted array."""


class SeenIds:
    """The ids of a table so far, as 64-bit hashes; two different ids have the same hash in one of 10 ** 19 pairs.

    Examples:
        >>> seen = SeenIds()
        >>> seen.repeated(["a", "b", "a"]), seen.repeated(["c", "b"])
        ([2], [1])
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._packed: list[Any] = []

    def repeated(self, ids: Sequence[str]) -> list[int]:
        """Return the positions of the ids that occurred before, here or in earlier calls, and remember all ids."""
        numbers = list(map(hash, ids))
        again = set() if self._recent.isdisjoint(numbers) else self._recent.intersection(numbers)
        if self._packed:
            wanted = np.sort(np.array(numbers, np.int64))  # sorted, so that searches are local in memory
            again |= set(wanted[stood_before(self._packed, wanted)].tolist())
        known = len(self._recent)
        self._recent.update(numbers)
        are_new = not again and len(self._recent) == known + len(numbers)
        found = [] if are_new else self._positions(numbers, again)
        if len(self._recent) > _RECENT:
            self._pack()
        return found

    @staticmethod
    def _positions(numbers: Sequence[int], again: set[int]) -> list[int]:
        found, here = [], set(again)
        for position, number in enumerate(numbers):
            if number in here:
                found.append(position)
            here.add(number)
        return found

    def _pack(self) -> None:
        """Move the recent ids to a sorted array; arrays of similar size are merged, so that there are few."""
        self._packed.append(np.sort(np.fromiter(self._recent, np.int64, len(self._recent))))
        self._recent.clear()
        while len(self._packed) > 1 and len(self._packed[-2]) <= 2 * len(self._packed[-1]):
            self._packed[-2:] = [np.sort(np.concatenate(self._packed[-2:]))]
