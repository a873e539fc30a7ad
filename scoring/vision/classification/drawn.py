"""Headlines of classification in which data occur several times or not at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints, best_mean
from scoring.vision.classification.counts import TINY, Counting, precision_recall_f1
from scoring.vision.classification.roc import Unlisted
from scoring.vision.classification.table import Classifications
from scoring.vision.draws import ImageDraws
from scoring.vision.vocabulary import Vocabulary

RecomputeClasses: TypeAlias = Callable[["ScoredLabels", ImageDraws], list[float]]


@dataclass(frozen=True, eq=False)
class ScoredLabels:
    """The scored labels of all data, and the true ones, by the place of their datum in the whole data set."""

    labels: Vocabulary
    places: Ints  # of the data
    truth: Ints
    place: Ints  # of each row's datum
    label: Ints
    score: Floats
    true: Bools

    @classmethod
    def of(cls, table: Classifications) -> ScoredLabels:
        """The rows of a table."""
        place = table.order[table.row_datum]
        return cls(table.labels, table.order, table.truth, place, table.row_label, table.row_score, table.matching)

    @property
    def cost(self) -> int:
        """About how many numbers one resample reads and writes."""
        return 8 * self.label.size + self.truth.size

    def merge(self, other: ScoredLabels) -> ScoredLabels:
        """The rows of both parts."""
        labels, mine, theirs = self.labels.join(other.labels)
        return ScoredLabels(
            labels,
            np.concatenate((self.places, other.places)),
            np.concatenate((mine[self.truth], theirs[other.truth])),
            np.concatenate((self.place, other.place)),
            np.concatenate((mine[self.label], theirs[other.label])),
            np.concatenate((self.score, other.score)),
            np.concatenate((self.true, other.true)),
        )


def right_data(table: Classifications, threshold: float, *, hard_max: bool, counting: Counting) -> Ints:
    """The data whose true label is a positive, once for each row that says so."""
    if counting == "one_vs_rest" and not hard_max:
        table = table.without_repeats()
    rows = table.best_rows() if hard_max else np.arange(table.row_score.size)
    score = table.row_score[rows]
    right = table.matching[rows] & (score >= threshold) & ((np.abs(score) > TINY) | (counting == "one_vs_rest"))
    return table.row_datum[rows[right]]


def drawn_best_f1(thresholds: Sequence[float]) -> RecomputeClasses:
    """The largest mean F1 over the labels, each its own question over all data."""

    def recompute(kept: ScoredLabels, draws: ImageDraws) -> list[float]:
        width = len(kept.labels)

        def reaching(rows: Bools) -> Floats:
            return draws.reaching(kept.place[rows], kept.label[rows], kept.score[rows], thresholds, width)

        tp, fp = reaching(kept.true), reaching(~kept.true)
        fn = draws.sums(kept.places, kept.truth, width)[:, None] - tp
        return [best_mean(one) for one in precision_recall_f1(tp, fp, fn)[2]]

    return recompute


def drawn_auc(unlisted: Unlisted) -> RecomputeClasses:
    """The mean area under the ROC curve over the labels that have one."""

    def recompute(kept: ScoredLabels, draws: ImageDraws) -> list[float]:
        width = len(kept.labels)
        positives = draws.sums(kept.places, kept.truth, width)
        if unlisted == "rank_last":
            negatives = draws.counts.sum(axis=1)[:, None] - positives
        else:
            pairs = np.unique(np.column_stack((kept.place, kept.label)), axis=0)
            negatives = np.maximum(draws.sums(pairs[:, 0], pairs[:, 1], width) - positives, 0.0)
        order = np.lexsort((kept.score, kept.label))
        ends = np.searchsorted(kept.label[order], np.arange(width), side="right").tolist()
        areas = np.empty((len(draws), width))
        for label, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            rows = order[begin:end]
            areas[:, label] = _areas(kept, rows, draws, positives[:, label], negatives[:, label], unlisted)
        return [_mean_of_defined(line) for line in areas]

    return recompute


def _areas(
    kept: ScoredLabels, rows: Ints, draws: ImageDraws, positives: Floats, negatives: Floats, unlisted: Unlisted
) -> Floats:
    """The area of one label in each resample; `roc.RocScores` says how it is counted."""
    score, true = kept.score[rows], kept.true[rows]
    weights = draws.weights(kept.place[rows])
    below = np.cumsum(np.column_stack((np.zeros(len(draws)), np.where(true, 0.0, weights))), axis=1)
    lower, upper = np.searchsorted(score, score[true], "left"), np.searchsorted(score, score[true], "right")
    above = weights[:, true]
    doubled = (above * (below[:, lower] + below[:, upper])).sum(axis=1)
    if unlisted == "rank_last":
        listed = above.sum(axis=1)
        doubled += (negatives - below[:, -1]) * (2 * listed + positives - listed)
    both = 2 * positives * negatives
    areas = np.full(len(draws), math.nan if unlisted == "rank_last" else 0.0)
    np.divide(doubled, both, out=areas, where=both > 0)
    if unlisted == "leave_out":  # a label whose best score is 0 has no curve there
        highest = np.where(weights > 0, score, -np.inf).max(axis=1, initial=-np.inf)
        areas[(highest == 0.0) | np.isneginf(highest)] = 0.0
    return areas


def _mean_of_defined(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return math.fsum(defined.tolist()) / defined.size if defined.size else math.nan
