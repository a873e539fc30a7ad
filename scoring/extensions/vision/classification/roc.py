"""Area under the ROC curve per label, from mergeable score lists; also for bootstrap resamples of the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.extensions.vision.arrays import Bools, Floats, Ints, mean_or_nan, nan_to_none
from scoring.extensions.vision.classification.table import Classifications, ScoredLabels
from scoring.extensions.vision.draws import ImageDraws

#: `rank_last`: a datum that does not list a label ranks below every one that does; a label without positives or
#: without negatives has no AUC. `leave_out`: only listed scores make points, so the curve may end before (1, 1),
#: and every undefined AUC is 0.
Unlisted = Literal["rank_last", "leave_out"]


@dataclass(frozen=True, eq=False)
class RocScores(ScoredLabels):
    """The data for ROC curves: each score with its label, and whether this is the true label of the datum. `unlisted`
    is that of `roc_scores`.
    """

    unlisted: Unlisted = "rank_last"

    def areas(self) -> Floats:
        """Return the AUC per label by the trapezoidal rule; NaN where it is undefined.

        The trapezoids add up to the share of (positive, negative) pairs in which the positive scores higher, ties
        counting half, which is computed here in integers.
        """
        width = len(self.labels)
        positives = np.bincount(self.truth, minlength=width)
        if self.unlisted == "rank_last":
            negatives = self.positions.size - positives
        else:
            negatives = np.maximum(np.bincount(self.listed()[1], minlength=width) - positives, 0)
        small = self.label.astype(np.uint16 if width < 2**16 else np.int64)
        order = np.argsort(small, kind="stable")
        ends = np.cumsum(np.bincount(self.label, minlength=width))[:-1]
        scores, true = (np.split(column[order], ends) for column in (self.score, self.true))
        columns: Iterable[Any] = zip(scores, true, positives.tolist(), negatives.tolist(), strict=False)
        return np.array([self._area(*column) for column in columns], dtype=np.float64)

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
        areas = self.areas()
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
    order = np.lexsort((kept.score, kept.label))
    ends = np.searchsorted(kept.label[order], np.arange(width), side="right").tolist()
    areas = np.empty((len(draws), width))
    for label, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        areas[:, label] = _areas(kept, order[begin:end], draws, positives[:, label], negatives[:, label])
    return [mean_or_nan(line[~np.isnan(line)].tolist()) for line in areas]


def _areas(kept: RocScores, rows: Ints, draws: ImageDraws, positives: Floats, negatives: Floats) -> Floats:
    """Return the AUC of one label in each resample, computed as in `RocScores.areas`.

    Args:
        kept: All scores.
        rows: The indices of the label's scores, lowest score first.
        draws: The resamples.
        positives: The number of data with this true label in each resample.
        negatives: The number of other data in each resample.
    """
    score, true = kept.score[rows], kept.true[rows]
    weights = draws.weights(kept.position[rows])
    below = np.cumsum(np.column_stack((np.zeros(len(draws)), np.where(true, 0.0, weights))), axis=1)
    lower, upper = np.searchsorted(score, score[true], "left"), np.searchsorted(score, score[true], "right")
    above = weights[:, true]
    doubled = (above * (below[:, lower] + below[:, upper])).sum(axis=1)
    if kept.unlisted == "rank_last":
        listed = above.sum(axis=1)
        doubled += (negatives - below[:, -1]) * (2 * listed + positives - listed)
    both = 2 * positives * negatives
    areas = np.full(len(draws), math.nan if kept.unlisted == "rank_last" else 0.0)
    np.divide(doubled, both, out=areas, where=both > 0)
    if kept.unlisted == "leave_out":  # a label whose best score is 0 has no curve in that resample
        highest = np.where(weights > 0, score, -np.inf).max(axis=1, initial=-np.inf)
        areas[(highest == 0.0) | np.isneginf(highest)] = 0.0
    return areas
