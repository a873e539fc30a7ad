"""The table of a classification data set: one true label and any number of scored labels per datum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.vision.arrays import Bools, Floats, Ints, expand_ranges, positions, starts_of_runs
from scoring.extensions.vision.vocabulary import Collector, Vocabulary, end_to_end


class Datum(NamedTuple):
    """One datum: its id, the true label, and the predicted labels with their scores, in the order listed."""

    id: str
    groundtruth: str
    predictions: Sequence[str]
    scores: Sequence[float]


class Classifications(Struct, frozen=True, eq=False):
    """A classification data set as columns, with one row for each scored label; the rows of a datum are contiguous, in
    the order listed. `order` has the position of each datum in the whole data set.
    """

    ids: Sequence[Any]
    order: Ints  # position of each datum in the whole data set
    truth: Ints  # index of the true label
    row_datum: Ints
    row_label: Ints
    row_score: Floats
    labels: Vocabulary

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def from_data(cls, data: Iterable[Datum], labels: Iterable[str] | None = None, first: int = 0) -> Classifications:
        """Return the table that contains the given data; raise a ValueError if a datum has more or fewer labels than
        scores.

        Args:
            data: The data, in order.
            labels: The declared labels, if the list is closed or its order matters.
            first: The position of the first datum in the whole data set, if this is a part of one.
        """
        collector = Collector(labels)
        ids: list[str] = []
        truth: list[int] = []
        counts: list[int] = []
        row_label: list[int] = []
        row_score: list[float] = []
        for place, datum in enumerate(data, start=first):
            if len(datum.predictions) != len(datum.scores):
                raise ValueError(f"{datum.id}: {len(datum.predictions)} labels but {len(datum.scores)} scores")
            ids.append(datum.id)
            truth.append(collector.number(datum.groundtruth, place, 0))
            counts.append(len(datum.predictions))
            row_label.extend(
                collector.number(name, place, position) for position, name in enumerate(datum.predictions, start=1)
            )
            row_score.extend(datum.scores)
        return cls(
            tuple(ids),
            np.arange(first, first + len(ids), dtype=np.int64),
            np.array(truth, dtype=np.int64),
            np.repeat(np.arange(len(ids), dtype=np.int64), np.array(counts, dtype=np.int64)),
            np.array(row_label, dtype=np.int64),
            np.array(row_score, dtype=np.float64),
            collector.vocabulary(),
        )

    def part(self, data: Ints | Bools) -> Classifications:
        """Return the table of the chosen data (indices or a mask), which keep their places in the whole data set, so
        that parts can be scored separately and merged.
        """
        chosen, _ = positions(data, len(self))
        begins = np.searchsorted(self.row_datum, chosen, side="left")
        lengths = np.searchsorted(self.row_datum, chosen, side="right") - begins
        rows = expand_ranges(begins, lengths)
        return replace(
            self,
            ids=tuple(self.ids[position] for position in chosen.tolist()),
            order=self.order[chosen],
            truth=self.truth[chosen],
            row_datum=np.repeat(np.arange(chosen.size, dtype=np.int64), lengths),
            row_label=self.row_label[rows],
            row_score=self.row_score[rows],
        )

    @property
    def matching(self) -> Bools:
        """A mask of the rows whose label is the true label of their datum."""
        return np.equal(self.row_label, self.truth[self.row_datum])

    def best_rows(self) -> Ints:
        """Return the index of the highest-scoring row of each datum that has rows; of equal scores the first listed."""
        if self.row_datum.size == 0:
            return np.zeros(0, dtype=np.int64)
        each = self._rows_of_each()
        if each:
            best = self.row_score.reshape(-1, each).argmax(axis=1)
            return np.asarray(best + np.arange(0, self.row_score.size, each), dtype=np.int64)
        starts = starts_of_runs(self.row_datum)
        lengths = np.diff(np.append(starts, self.row_datum.size))
        highest = np.repeat(np.maximum.reduceat(self.row_score, starts), lengths)
        candidates = np.flatnonzero(self.row_score == highest)
        return candidates[starts_of_runs(self.row_datum[candidates])]

    def _rows_of_each(self) -> int:
        """Return the number of rows (scored labels) per datum if all data have equally many, else 0."""
        each, rest = divmod(self.row_datum.size, max(len(self), 1))
        if rest or not each:
            return 0
        data = np.arange(len(self))
        first, last = self.row_datum[::each], self.row_datum[each - 1 :: each]
        return each if bool((first == data).all() and (last == data).all()) else 0

    def pair_keys(self) -> Ints:
        """Return a number that identifies the (datum, label) pair of each row."""
        return np.asarray(self.row_datum * max(len(self.labels), 1) + self.row_label, dtype=np.int64)

    def has_repeats(self) -> bool:
        """Return True if some datum lists the same label more than once."""
        key = self.pair_keys()
        cells = len(self) * max(len(self.labels), 1)
        if cells <= 4 * key.size + 1024:  # a table of all pairs is cheaper than sorting them
            return bool(key.size) and int(np.bincount(key).max()) > 1
        return np.unique(key).size < key.size

    def without_repeats(self) -> Classifications:
        """Return the table with at most one row per datum and label: that with the highest score, of equal ones the
        first listed.
        """
        if not self.has_repeats():
            return self
        return self.with_rows(self.best_of_repeats(np.arange(self.row_datum.size)))

    def with_rows(self, kept: Ints | Bools) -> Classifications:
        """Return the table with all data, but only the rows (scored labels) that `kept` chooses, by a mask or
        indices.
        """
        columns = {name: getattr(self, name)[kept] for name in ("row_datum", "row_label", "row_score")}
        return replace(self, **columns)

    def best_of_repeats(self, rows: Ints) -> Ints:
        """Return, sorted, one of the given row indices per datum and label: that with the highest score, of equal ones
        the first listed.
        """
        key = self.pair_keys()[rows]
        ranked = np.lexsort((-self.row_score[rows], key))
        return np.sort(rows[ranked[starts_of_runs(key[ranked])]])


class ScoredLabels(Struct, frozen=True, eq=False):
    """The scored labels of a data set as rows: each with the position of its datum in the whole data set, and whether
    it is the datum's true label; and the position (`positions`) and true label (`truth`) of each datum.
    """

    labels: Vocabulary
    positions: Ints  # of the data
    truth: Ints
    position: Ints  # of each row's datum
    label: Ints
    score: Floats
    true: Bools

    @classmethod
    def of(cls, table: Classifications, **more: Any) -> Self:
        """Return the scored and true labels of a table; `more` are the values of fields that a subclass adds."""
        is_whole = np.array_equal(table.order, np.arange(table.order.size))  # the usual case
        position = table.row_datum if is_whole else table.order[table.row_datum]
        columns = table.row_label, table.row_score, table.matching
        return cls(table.labels, table.order, table.truth, position, *columns, **more)

    @property
    def cost(self) -> int:
        """The approximate number of values that one resample reads and writes."""
        return 8 * self.label.size + self.truth.size

    def merge(self, other: Self) -> Self:
        """Return the rows from two parts of a data set together."""
        return end_to_end(self, other, "truth", "label")

    def images_of_labels(self) -> list[int]:
        """Return, for each label, the number of data whose true label it is."""
        found: list[int] = np.bincount(self.truth, minlength=len(self.labels)).tolist()
        return found

    def listed(self) -> tuple[Ints, Ints]:
        """Return the distinct (position of the datum, label index) pairs that have a score, as two columns."""
        position, label = np.divmod(np.unique(self.position * len(self.labels) + self.label), max(len(self.labels), 1))
        return position, label
