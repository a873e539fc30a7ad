"""Area under the ROC curve per label, from mergeable score lists; also for bootstrap resamples of the data."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from scoring.extensions.vision.arrays import Bools, Floats, Ints, mean_or_nan, nan_to_none
from scoring.extensions.vision.classification.table import Classifications, ScoredLabels
from scoring.extensions.vision.draws import ImageDraws

#: `rank_last`: a datum that does not list a label ranks below every one that does; a label without positives or
#: without negatives has no AUC. `leave_out`: only listed scores make points, so the curve may end before (1, 1),
#: and every undefined AUC is 0.
Unlisted = Literal["rank_last", "leave_out"]


class RankedScores(NamedTuple):
    """The scores of one label, arranged so that its AUC in a resample is a matrix product.

    The `levels` are the distinct scores of the data whose true label it is, ascending. A row of `sums`, resampled data
    by columns, is for each level how many other data score between the level before and this one, counted double, those
    at either end once; one more row is for the data above all levels. Then follow, for each level, the data at it.
    """

    levels: int
    sums: Any  # a sparse matrix

    @classmethod
    def of(cls, score: Floats, true: Bools, column: Ints, data: int) -> Self:
        """Return the arrangement of some scores.

        Args:
            score: The scores of the label.
            true: A mask of those whose datum has this true label.
            column: The index of each score's datum.
            data: The number of data.
        """
        from scipy.sparse import csr_array

        levels, at = np.unique(score[true], return_inverse=True)
        size, others, other_columns = levels.size, score[~true], column[~true]
        low, high = np.searchsorted(levels, others, "left"), np.searchsorted(levels, others, "right")
        tied = low < high
        rows = np.concatenate((low, high[tied], size + 1 + at))
        columns = np.concatenate((other_columns, other_columns[tied], column[true]))
        amounts = np.concatenate((2.0 - tied, np.ones(rows.size - low.size)))
        return cls(size, csr_array((amounts, (rows, columns)), shape=(2 * size + 1, data)))

    def drawn(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return, for each resample, twice the number of pairs in which the true label scores higher, ties counting
        half; how many data with this true label list it; and how many others do.

        Args:
            counts: How often each datum occurs in each resample, data × resamples.
        """
        sums = self.sums @ counts
        passed, own = np.cumsum(sums[: self.levels + 1], axis=0), sums[self.levels + 1 :]
        return np.einsum("ij,ij->j", passed[:-1], own), own.sum(axis=0), passed[-1] / 2


class RocScores(ScoredLabels, frozen=True, eq=False, dict=True):
    """The data for ROC curves: each score with its label, and whether this is the true label of the datum. `unlisted`
    is that of `roc_scores`.
    """

    unlisted: Unlisted = "rank_last"

    @cached_property
    def resampled(self) -> list[RankedScores]:
        """The scores of each label, ranked for resamples; the columns are the data, sorted by position."""
        column = np.searchsorted(np.sort(self.positions), self.position)
        return [
            RankedScores.of(self.score[rows], self.true[rows], column[rows], self.positions.size)
            for rows in self._rows_of_labels()
        ]

    def _rows_of_labels(self) -> list[Ints]:
        """Return the indices of each label's rows (scored labels)."""
        width = len(self.labels)
        small = self.label.astype(np.uint16 if width < 2**16 else np.int64)
        ends = np.cumsum(np.bincount(self.label, minlength=width))
        return np.split(np.argsort(small, kind="stable"), ends)[:width]

    @cached_property
    def auc(self) -> Floats:
        """The AUC per label by the trapezoidal rule; NaN where it is undefined.

        The trapezoids add up to the share of (positive, negative) pairs in which the positive scores higher, ties
        counting half, which is computed here in integers.
        """
        width = len(self.labels)
        positives = np.bincount(self.truth, minlength=width)
        if self.unlisted == "rank_last":
            negatives = self.positions.size - positives
        else:
            negatives = np.maximum(np.bincount(self.listed()[1], minlength=width) - positives, 0)
        columns = zip(self._rows_of_labels(), positives.tolist(), negatives.tolist(), strict=True)
        found = [self._area(self.score[rows], self.true[rows], *sizes) for rows, *sizes in columns]
        return np.array(found, dtype=np.float64)

    def _area(self, scores: Floats, true: Bools, positives: int, negatives: int) -> float:
        if not positives or not negatives:
            return math.nan if self.unlisted == "rank_last" else 0.0
        if self.unlisted == "leave_out" and (scores.size == 0 or float(scores.max()) == 0.0):
            return 0.0  # the curve would start at score 0 and have no points
        above, below = scores[true], np.sort(scores[~true])
        doubled = int(np.searchsorted(below, above, side="left").sum())
        doubled += int(np.searchsorted(below, above, side="right").sum())
        if self.unlisted == "rank_last":
            absent = negatives - below.size
            doubled += absent * (2 * above.size + positives - above.size)
        return doubled / (2 * positives * negatives)

    def result(self) -> dict[str, Any]:
        """Return the AUC per label and the mean over the labels that have one; None where undefined."""
        areas = self.auc
        per_label = {name: nan_to_none(area) for name, area in zip(self.labels.names, areas, strict=True)}
        return {"per_label": per_label, "mean": nan_to_none(mean_or_nan(areas[~np.isnan(areas)].tolist()))}


def roc_scores(table: Classifications, *, unlisted: Unlisted) -> RocScores:
    """Return the scores, labels and true labels of a table, from which ROC curves are computed.

    Args:
        table: The data.
        unlisted: Whether a datum that does not list a label ranks last for it ("rank_last"), or is left out of the
            label's curve ("leave_out").

    Source:
        Valor metrics document, binary ROC AUC; its sum over point distances is the trapezoidal rule.
    """
    return RocScores.of(table.without_repeats() if unlisted == "rank_last" else table, unlisted=unlisted)


def drawn_auc(kept: RocScores, draws: ImageDraws) -> list[float]:
    """Return, for each resample of the data, the mean AUC over the labels that have one; NaN if none has. `kept` has
    the scores of all data.
    """
    width = len(kept.labels)
    positives = draws.sums(kept.positions, kept.truth, width)
    if kept.unlisted == "rank_last":
        negatives = draws.counts.sum(axis=1)[:, None] - positives
    else:
        negatives = np.maximum(draws.sums(*kept.listed(), width) - positives, 0.0)
    counts = np.ascontiguousarray(draws.counts.T)
    areas = np.full((len(draws), width), math.nan if kept.unlisted == "rank_last" else 0.0)
    for label, ranked in enumerate(kept.resampled):
        doubled, listed, others = ranked.drawn(counts)
        if kept.unlisted == "rank_last":
            doubled += (negatives[:, label] - others) * (listed + positives[:, label])
        both = 2 * positives[:, label] * negatives[:, label]
        np.divide(doubled, both, out=areas[:, label], where=both > 0)
    if kept.unlisted == "leave_out":  # a label whose best score is 0, or that has none, has no curve in that resample
        signs = draws.sums(kept.position, 3 * kept.label + np.sign(kept.score).astype(np.int64) + 1, 3 * width)
        below, zero, above = np.moveaxis(signs.reshape(len(draws), width, 3), -1, 0)
        areas[(above == 0.0) & ((zero > 0.0) | (below == 0.0))] = 0.0
    return [mean_or_nan(line[~np.isnan(line)].tolist()) for line in areas]
