"""The detailed precision-recall curve of classification: kinds of errors per label and threshold, with examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from msgspec.structs import replace

from scoring.extensions.vision.arrays import Bools, Floats, Ints
from scoring.extensions.vision.cells import ErrorKinds, Examples
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.draws import Share
from scoring.extensions.vision.vocabulary import Vocabulary

KINDS = ("tp", "tn", "fp_misclassifications", "fn_misclassifications", "fn_no_predictions")


class LabelErrors(ErrorKinds, frozen=True, eq=False, kw_only=True):
    """Counts of each kind of error per label and threshold; `ids` and `positions` are those of the first `limit` data,
    the examples of true negatives for labels that occur only in other parts of the data set.
    """

    positions: Ints  # of the first data, up to the limit of examples
    ids: tuple[str, ...]

    def merge(self, other: Self) -> Self:
        """Return the combined counts of two disjoint parts of a data set, at the same thresholds."""
        positions, ids = np.concatenate((self.positions, other.positions)), self.ids + other.ids
        first = np.argsort(positions, kind="stable")[: self.limit]
        return replace(super().merge(other), positions=positions[first], ids=tuple(ids[i] for i in first.tolist()))

    def over(self, labels: Vocabulary, positions: Ints) -> tuple[Ints, Examples]:
        """Return the counts and examples arranged for a larger list of labels; label i of this object has the index
        `positions[i]` in it. All data are true negatives of the added labels.
        """
        counts, examples = super().over(labels, positions)
        unmet = np.setdiff1d(np.arange(len(labels)), positions)
        counts[KINDS.index("tn")][:, unmet] = int(self.counts[:, :1, :1].sum())  # all data: each has one kind
        every = tuple(((position,), uid) for position, uid in zip(self.positions.tolist(), self.ids, strict=True))
        cells = (
            ("tn", threshold, labels.names[position]) for threshold in self.thresholds for position in unmet.tolist()
        )
        return counts, {**examples, **dict.fromkeys(cells, every)}


def detailed_curve(table: Classifications, *, thresholds: Sequence[float], max_examples: int | None = 0) -> LabelErrors:
    """Classify every (datum, label) by kind of outcome at each threshold, and count the kinds.

    A false positive is always a misclassification; a false negative is a misclassification if any label of the datum
    reaches the threshold, else a missing prediction. At most `max_examples` of each kind are kept (None: all).

    Source:
        Valor metrics document, DetailedPrecisionRecallCurve, classification tasks.
    """
    table = table.without_repeats()
    steps = tuple(thresholds)
    best = np.full(len(table), -np.inf)
    np.maximum.at(best, table.row_datum, table.row_score)
    width = len(table.labels)
    counts = np.zeros((len(KINDS), len(steps), width), dtype=np.int64)
    examples: Examples = {}
    order = np.argsort(table.row_label, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(table.row_label, minlength=width)))
    score = np.full(len(table), -np.inf)
    for label in range(width):
        rows = order[ends[label] : ends[label + 1]]
        score[table.row_datum[rows]] = table.row_score[rows]
        kinds = _kinds(table.truth == label, score, best, np.array(steps, dtype=np.float64))
        counts[:, :, label] = kinds.sum(axis=2)
        if max_examples != 0:
            _add_examples(examples, table, kinds, steps, label, max_examples)
        score[table.row_datum[rows]] = -np.inf
    own = np.full(len(table), -np.inf)
    own[table.row_datum[table.matching]] = table.row_score[table.matching]
    first = steps[0] if steps else math.inf
    confused = Share.of(table.order, np.flatnonzero((own < first) & (best >= first)), np.flatnonzero(own < first))
    first_data: dict[str, Any] = {"positions": table.order[:max_examples], "ids": tuple(table.ids[:max_examples])}
    return LabelErrors(table.labels, KINDS, steps, counts, examples, max_examples, confused, **first_data)


def _kinds(true: Bools, score: Floats, best: Floats, thresholds: Floats) -> Bools:
    """Return a mask, kinds × thresholds × data, of the kind of outcome (in the order of KINDS) that each datum has for
    one label.

    Args:
        true: Whether the label is the true label of each datum.
        score: The score of the label in each datum.
        best: The highest score of any label in each datum.
        thresholds: The score thresholds.
    """
    positive = score[None, :] >= thresholds[:, None]
    anything = best[None, :] >= thresholds[:, None]
    missed = true & ~positive
    return np.stack((true & positive, ~true & ~positive, ~true & positive, missed & anything, missed & ~anything))


def _add_examples(
    examples: Examples, table: Classifications, kinds: Bools, steps: tuple[float, ...], label: int, limit: int | None
) -> None:
    name = table.labels.names[label]
    for i, kind in enumerate(KINDS):
        for j, threshold in enumerate(steps):
            data = np.flatnonzero(kinds[i, j])
            first = data[np.argsort(table.order[data], kind="stable")[:limit]].tolist()
            if first:
                examples[kind, threshold, name] = tuple(((int(table.order[d]),), table.ids[d]) for d in first)
