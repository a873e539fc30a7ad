"""Mergeable counts with the first examples of each cell: confusion matrices, and kinds of errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.extensions.vision.arrays import Ints, place_columns
from scoring.extensions.vision.draws import Share
from scoring.extensions.vision.vocabulary import Vocabulary

#: (place in the data set, place within the datum …), and what to show
KeptExample: TypeAlias = tuple[tuple[int, ...], object]
#: a cell and an example of it
NotedExample: TypeAlias = tuple[tuple[object, ...], KeptExample]
Examples: TypeAlias = dict[tuple[object, ...], tuple[KeptExample, ...]]

CELLS = ("confusion_matrix", "unmatched_ground_truths", "unmatched_predictions")


def first_examples(found: Iterable[KeptExample], limit: int | None) -> tuple[KeptExample, ...]:
    """Return the first `limit` examples, ordered by their place in the data set; all if `limit` is None.

    Examples:
        >>> first_examples([((3,), "c"), ((1,), "a")], 1)
        (((1,), 'a'),)
    """
    ordered = sorted(found, key=lambda example: example[0])
    return tuple(ordered if limit is None else ordered[:limit])


def kept_examples(noted: Iterable[NotedExample], limit: int | None) -> Examples:
    """Return the examples, given as pairs (cell, example), grouped by cell, the first `limit` of each (None: all); with
    a limit of 0, return an empty mapping and don't iterate over the pairs.
    """
    found: dict[tuple[object, ...], list[KeptExample]] = {}
    for cell, example in noted if limit != 0 else ():
        found.setdefault(cell, []).append(example)
    return {cell: first_examples(examples, limit) for cell, examples in found.items()}


def merge_examples(left: Examples, right: Examples, limit: int | None) -> Examples:
    """Return the examples from two parts of a data set by cell, the first `limit` of each cell (None: all)."""
    both = {cell: first_examples((*left.get(cell, ()), *examples), limit) for cell, examples in right.items()}
    return {**left, **both}


def _cell_examples(examples: Examples, *cell: object) -> list[object]:
    """Return the examples of the cell with this key, such as ids and scores, without their places in the data set."""
    return [what for _, what in examples.get(cell, ())]


class Confusion(Struct, frozen=True, eq=False):
    """A confusion matrix: counts of each (true label, predicted label), counts by label of the ground truths and of the
    predictions without a partner (`alone`), at most `limit` examples of each (None: all), and the share of correct
    items (`right`).
    """

    labels: Vocabulary
    matrix: Ints  # true labels × predicted labels
    alone: Ints  # true labels without a partner; in a second row, if possible, predicted labels without one
    examples: Examples  # by the kind of cell and its label names
    limit: int | None  # maximum number of examples per cell; None keeps all
    right: Share  # the share of correct items: the headline

    def merge(self, other: Confusion) -> Confusion:
        """Return the combined counts of two disjoint parts of a data set."""
        labels, mine, theirs = self.labels.join(other.labels)
        matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
        matrix[np.ix_(mine, mine)] += self.matrix
        matrix[np.ix_(theirs, theirs)] += other.matrix
        alone = place_columns(self.alone, mine, len(labels)) + place_columns(other.alone, theirs, len(labels))
        examples = merge_examples(self.examples, other.examples, self.limit)
        return Confusion(labels, matrix, alone, examples, self.limit, self.right.merge(other.right))

    def result(self) -> dict[str, Any]:
        """Return the nonzero cells by true and predicted label, and the counts of items without a partner by label."""
        names = self.labels.names
        cells: dict[str, dict[str, Any]] = {}
        for true, found in np.argwhere(self.matrix).tolist():
            cell = self._cell(self.matrix[true, found], CELLS[0], names[true], names[found])
            cells.setdefault(names[true], {})[names[found]] = cell
        alone = {
            key: {names[place]: self._cell(counts[place], key, names[place]) for place in np.flatnonzero(counts)}
            for key, counts in zip(CELLS[1:], self.alone, strict=False)
        }
        return {CELLS[0]: cells, **alone}

    def _cell(self, count: Any, *key: str) -> dict[str, Any]:
        return {"count": int(count), **({} if self.limit == 0 else {"examples": _cell_examples(self.examples, *key)})}


class ItemExamples(Struct, frozen=True, eq=False):
    """The true positives, false positives and false negatives of each image or datum, with its place in the data set
    (`items`), and the share of correct items (`right`); `result` skips `offset` images and shows at most `limit`.
    """

    items: tuple[tuple[int, Mapping[str, Any]], ...]  # each item's place in the data set, and what to show
    limit: int | None  # maximum number of items shown; None shows all
    offset: int  # number of items skipped before
    right: Share  # the share of correct items: the headline

    def merge(self, other: ItemExamples) -> ItemExamples:
        """Return the items from two parts of a data set together."""
        return replace(self, items=(*self.items, *other.items), right=self.right.merge(other.right))

    def result(self) -> dict[str, Any]:
        """Return the items in the order of the data set, without the first `offset` ones, at most `limit` of them."""
        ordered = [dict(what) for _, what in sorted(self.items, key=lambda item: item[0])][self.offset :]
        return {"data": ordered if self.limit is None else ordered[: self.limit]}


class ErrorKinds(Struct, frozen=True, eq=False):
    """Counts of each kind of outcome (such as hallucination), kinds × score thresholds × labels, with the first `limit`
    examples of each (None: all). `headline` is the share that the metric reports as its main figure; `settings` are
    copied into the result.
    """

    labels: Vocabulary
    kinds: tuple[str, ...]
    thresholds: tuple[float, ...]
    counts: Ints  # kinds × thresholds × labels
    examples: Examples  # by kind, threshold and label name
    limit: int | None  # maximum number of examples of each; None keeps all
    headline: Share
    settings: Mapping[str, Any] = field(default_factory=dict)  # further entries of the result

    def merge(self, other: Self) -> Self:
        """Return the combined counts of two disjoint parts of a data set, at the same thresholds."""
        labels, mine, theirs = self.labels.join(other.labels)
        (counts, examples), (more, others) = self.over(labels, mine), other.over(labels, theirs)
        return replace(
            self,
            labels=labels,
            counts=counts + more,
            examples=merge_examples(examples, others, self.limit),
            headline=self.headline.merge(other.headline),
        )

    def over(self, labels: Vocabulary, positions: Ints) -> tuple[Ints, Examples]:
        """Return the counts and examples arranged for a larger list of labels; label i of this object has the index
        `positions[i]` in it.
        """
        return place_columns(self.counts, positions, len(labels)), self.examples

    def result(self) -> dict[str, Any]:
        """Return, by label and kind, the counts at each threshold, and by label, threshold and kind the examples."""
        table: dict[str, Any] = {}
        for place, name in enumerate(self.labels.names):
            table[name] = {kind: self.counts[i, :, place].tolist() for i, kind in enumerate(self.kinds)}
            if self.limit != 0:
                table[name]["examples"] = {
                    f"{threshold:g}": {
                        kind: _cell_examples(self.examples, kind, threshold, name) for kind in self.kinds
                    }
                    for threshold in self.thresholds
                }
        return {**self.settings, "score_thresholds": list(self.thresholds), "labels": table}
