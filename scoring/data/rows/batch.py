"""Records of a data set in batches, as columns, so that a record needs no object except its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple, cast

from scoring.data.rows.row import SIZE

LOOKED_AT = 1_000
"""The number of records that are examined before scoring starts."""


class Item(NamedTuple):
    """One record of the data set, or the problem because of which it can't be scored."""

    id: Any
    where: str
    record: dict[str, Any] | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
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
