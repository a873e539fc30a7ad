"""The detailed precision-recall curve of classification: kinds of errors per label and threshold, with examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints
from scoring.vision.classification.table import Classifications
from scoring.vision.draws import Share
from scoring.vision.examples import Examples, first_examples, merge_examples, shown
from scoring.vision.vocabulary import Vocabulary

KINDS = ("tp", "tn", "fp_misclassifications", "fn_misclassifications", "fn_no_predictions")


@dataclass(frozen=True, eq=False)
class DetailedCurve:
    """Counts of each kind of outcome (kinds × thresholds × labels) and the first data of each kind."""

    labels: Vocabulary
    thresholds: tuple[float, ...]
    counts: Ints
    data: Ints  # places of all data, for labels a part never met
    ids: tuple[str, ...]
    examples: Examples  # by (kind, threshold, label)
    limit: int | None
    confused: Share  # of the labels missed at the first threshold: another label was predicted

    def merge(self, other: DetailedCurve) -> DetailedCurve:
        """The curve of two disjoint parts of a data set together.

        Args:
            other: The curve of another part, at the same thresholds.
        """
        labels, mine, theirs = self.labels.join(other.labels)
        counts = self._over(labels, mine)[0] + other._over(labels, theirs)[0]
        examples = merge_examples(self._over(labels, mine)[1], other._over(labels, theirs)[1], self.limit)
        data, ids = np.concatenate((self.data, other.data)), self.ids + other.ids
        keep = len(ids) if self.limit is None else self.limit
        first = np.argsort(data, kind="stable")[:keep] if self.limit != 0 else np.arange(0)
        everything = tuple(ids[i] for i in first.tolist())
        return DetailedCurve(
            labels,
            self.thresholds,
            counts,
            data[first] if self.limit != 0 else data[:0],
            everything,
            examples,
            self.limit,
            self.confused.merge(other.confused),
        )

    def _over(self, labels: Vocabulary, place: Ints) -> tuple[Ints, Examples]:
        """The counts over a wider list of labels: a label never met is a true negative everywhere."""
        kinds, steps, _ = self.counts.shape
        counts = np.zeros((kinds, steps, len(labels)), dtype=np.int64)
        counts[KINDS.index("tn")] = self._data_count()
        counts[:, :, place] = self.counts
        examples = dict(self.examples)
        unmet = set(labels.names) - set(self.labels.names)
        every = tuple(((place,), uid) for place, uid in zip(self.data.tolist(), self.ids, strict=True))
        for name in unmet if self.limit != 0 else ():
            for threshold in self.thresholds:
                examples["tn", threshold, name] = every
        return counts, examples

    def _data_count(self) -> int:
        return int(self.counts[:, 0, 0].sum()) if self.counts.size else 0

    def result(self) -> dict[str, Any]:
        """Label → kind → counts over the thresholds, and examples by threshold."""
        table: dict[str, Any] = {}
        for position, name in enumerate(self.labels.names):
            table[name] = {kind: self.counts[i, :, position].tolist() for i, kind in enumerate(KINDS)}
            if self.limit != 0:
                table[name]["examples"] = {
                    f"{threshold:g}": {kind: shown(self.examples, kind, threshold, name) for kind in KINDS}
                    for threshold in self.thresholds
                }
        return {"score_thresholds": list(self.thresholds), "labels": table}


def detailed_curve(
    table: Classifications, *, thresholds: Sequence[float], max_examples: int | None = 0
) -> DetailedCurve:
    """Sort every (datum, label) into its kind of outcome at each threshold.

    A false positive is always a misclassification; a false negative is one when any label of the datum reaches
    the threshold, else there was no prediction.

    Args:
        table: The data.
        thresholds: Score thresholds.
        max_examples: How many example ids to keep per kind; None keeps all.

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
    keep = max_examples if max_examples is not None else len(table)
    own = np.full(len(table), -np.inf)
    own[table.row_datum[table.matching]] = table.row_score[table.matching]
    first = steps[0] if steps else math.inf
    confused = Share.of(table.order, np.flatnonzero((own < first) & (best >= first)), np.flatnonzero(own < first))
    return DetailedCurve(
        table.labels, steps, counts, table.order[:keep], tuple(table.ids[:keep]), examples, max_examples, confused
    )


def _kinds(true: Bools, score: Floats, best: Floats, thresholds: Floats) -> Bools:
    """Kinds × thresholds × data, in the order of KINDS."""
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
            found = [((int(table.order[d]),), table.ids[d]) for d in np.flatnonzero(kinds[i, j]).tolist()]
            if found:
                examples[kind, threshold, name] = first_examples(found, limit)
