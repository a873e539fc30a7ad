"""True and false positives and negatives per label and score threshold, as mergeable sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, best_mean, f1_score, place_columns, ratio, reaching
from scoring.extensions.vision.classification.table import Classifications, ScoredLabels
from scoring.extensions.vision.draws import ImageDraws
from scoring.extensions.vision.vocabulary import Vocabulary

#: `one_vs_rest`: each label is a separate yes/no question over all data.
#: `listed_pairs`: only the (datum, label) pairs listed in the predictions are counted.
Counting = Literal["one_vs_rest", "listed_pairs"]
#: Scores nearer to 0 than this count as absent under `listed_pairs`.
TINY = 1e-8


class Counts(Struct, frozen=True, eq=False):
    """Counts of true and false positives and negatives, thresholds × labels, and the number of data; counts of two
    parts of a data set can be merged. `counting` is the rule by which they were counted, see `count`.
    """

    labels: Vocabulary
    thresholds: tuple[float, ...]
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints
    data: int
    counting: Counting

    def merge(self, other: Counts) -> Counts:
        """Return the combined counts of two disjoint parts of a data set."""
        if (self.thresholds, self.counting) != (other.thresholds, other.counting):
            raise ValueError("counts at different thresholds, or counted differently, cannot be merged")
        labels, mine, theirs = self.labels.join(other.labels)
        width = len(labels)

        def both(ours: Ints, others: Ints, unmet: tuple[int, int] = (0, 0)) -> Ints:
            return place_columns(ours, mine, width, unmet[0]) + place_columns(others, theirs, width, unmet[1])

        # Under `one_vs_rest`, every datum of a part without the label is a true negative of it.
        unmet = (self.data, other.data) if self.counting == "one_vs_rest" else (0, 0)
        tp, fp, fn = both(self.tp, other.tp), both(self.fp, other.fp), both(self.fn, other.fn)
        tn = both(self.tn, other.tn, unmet)
        return Counts(labels, self.thresholds, tp, fp, fn, tn, self.data + other.data, self.counting)

    def at(self, position: int, undefined: float = 0.0) -> dict[str, dict[str, Any]]:
        """Return counts, precision, recall and F1 of each label at the threshold with index `position`; `undefined`
        replaces a ratio whose denominator is 0.
        """
        columns = [array[position] for array in (self.tp, self.fp, self.fn, self.tn)]
        tp, fp, fn, _ = columns
        precision, recall, f1 = precision_recall_f1(tp, fp, fn, undefined)
        return {
            name: {
                **{key: int(column[i]) for key, column in zip(("tp", "fp", "fn", "tn"), columns, strict=True)},
                "precision": float(precision[i]),
                "recall": float(recall[i]),
                "f1": float(f1[i]),
            }
            for i, name in enumerate(self.labels.names)
        }

    def accuracy(self, position: int) -> float:
        """Return the share of the data whose true label is predicted at the threshold with index `position`."""
        return float(self.tp[position].sum() / self.data) if self.data else 0.0


def precision_recall_f1(
    tp: Ints | Floats, fp: Ints | Floats, fn: Ints | Floats, undefined: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 for counts of true positives, false positives and false negatives; `undefined`
    where the denominator is 0, for F1 also where precision or recall is 0.
    """
    precision = ratio(tp, tp + fp, undefined)
    recall = ratio(tp, tp + fn, undefined)
    f1 = np.where(tp > 0, f1_score(np.maximum(precision, 0), np.maximum(recall, 0)), undefined)
    return precision, recall, f1


def count(table: Classifications, *, thresholds: Sequence[float], hard_max: bool, counting: Counting) -> Counts:
    """Return the counts of true and false positives and negatives of a table at each score threshold.

    Args:
        table: The data.
        thresholds: A label is predicted if its score reaches the threshold.
        hard_max: Whether only the highest-scored label of a datum may be predicted.
        counting: "one_vs_rest" if each label is a separate question about all data; "listed_pairs" if only the labels
            that a datum lists are counted for it.

    Source:
        Valor metrics document, classification metrics and precision-recall curves.
    """
    if counting == "one_vs_rest":
        # Repeated labels matter only when all rows are counted: with hard_max, one row per datum is.
        return _one_vs_rest(table if hard_max else table.without_repeats(), tuple(thresholds), hard_max)
    return _listed_pairs(table, tuple(thresholds), hard_max)


def _one_vs_rest(table: Classifications, thresholds: tuple[float, ...], hard_max: bool) -> Counts:
    rows = table.best_rows() if hard_max else slice(None)
    label, score = table.row_label[rows], table.row_score[rows]
    match = label == table.truth[table.row_datum[rows]]
    width = len(table.labels)
    tp = reaching(label[match], score[match], thresholds, width)
    fp = reaching(label[~match], score[~match], thresholds, width)
    positives = np.bincount(table.truth, minlength=width)
    fn = positives - tp
    tn = len(table) - tp - fp - fn
    return Counts(table.labels, thresholds, tp, fp, fn, tn, len(table), "one_vs_rest")


def _listed_pairs(table: Classifications, thresholds: tuple[float, ...], hard_max: bool) -> Counts:
    width = len(table.labels)
    winner = np.zeros(table.row_datum.size, dtype=np.bool_)
    winner[table.best_rows()] = True
    able = (np.abs(table.row_score) > TINY) & (winner | (not hard_max))
    cells = np.zeros((4, len(thresholds), width), dtype=np.int64)
    for place, threshold in enumerate(thresholds):
        cells[:, place] = _listed_at(table, able & (table.row_score >= threshold), width)
    tp, fp, fn, tn = cells
    return Counts(table.labels, thresholds, tp, fp, fn, tn, len(table), "listed_pairs")


def _listed_at(table: Classifications, positive: Bools, width: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return, by label, the true positives, false positives, false negatives and true negatives at one threshold; a
    false positive also makes the datum's true label a false negative.

    Args:
        table: The data.
        positive: A mask of the rows (scored labels) that count as predicted.
        width: The number of labels.
    """
    match = table.matching
    wrong = positive & ~match
    missed = np.unique(table.row_datum[(match & ~positive) | wrong])
    absent = ~match & ~positive
    pairs = np.unique(table.row_datum[absent] * width + table.row_label[absent])
    return (
        np.bincount(table.row_label[match & positive], minlength=width),
        np.bincount(table.row_label[wrong], minlength=width),
        np.bincount(table.truth[missed], minlength=width),
        np.bincount(pairs % width if width else pairs, minlength=width),
    )


def right_data(table: Classifications, threshold: float, *, hard_max: bool, counting: Counting) -> Ints:
    """Return the index of each datum whose true label is predicted, that is, has a score that reaches the threshold; a
    datum appears once for each such row. The settings are those of `count`.
    """
    if counting == "one_vs_rest" and not hard_max:
        table = table.without_repeats()
    rows = table.best_rows() if hard_max else np.arange(table.row_score.size)
    score = table.row_score[rows]
    right = table.matching[rows] & (score >= threshold) & ((np.abs(score) > TINY) | (counting == "one_vs_rest"))
    return table.row_datum[rows[right]]


def best_f1_of_resampled_labels(kept: ScoredLabels, draws: ImageDraws, thresholds: Sequence[float]) -> list[float]:
    """Return, for each resample (`draws`), the largest mean F1 over labels at any of the score thresholds.

    Each label is a separate yes-or-no question about all data; `kept` has the scored and true labels.
    """
    width = len(kept.labels)
    tp, fp = (
        draws.reaching(kept.position[rows], kept.label[rows], kept.score[rows], thresholds, width)
        for rows in (kept.true, ~kept.true)
    )
    fn = draws.sums(kept.positions, kept.truth, width)[:, None] - tp
    return [best_mean(one) for one in precision_recall_f1(tp, fp, fn)[2]]
