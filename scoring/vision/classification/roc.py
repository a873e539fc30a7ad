"""Area under the ROC curve per label, from mergeable score lists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints, plain, spread
from scoring.vision.classification.table import Classifications
from scoring.vision.vocabulary import Vocabulary

#: `rank_last`: a datum that does not list a label ranks below every one that does; a label without positives or
#: without negatives has no AUC. `leave_out`: only listed scores make points, the curve may end before (1, 1),
#: and every undefined AUC is 0.
Unlisted = Literal["rank_last", "leave_out"]


@dataclass(frozen=True, eq=False)
class RocScores:
    """Every score with its label and whether the label is true: all that the curves need."""

    labels: Vocabulary
    unlisted: Unlisted
    positives: Ints  # data with this true label
    data: int
    label: Ints
    score: Floats
    true: Bools
    listing: Ints  # data that list the label

    def merge(self, other: RocScores) -> RocScores:
        """The scores of two disjoint parts of a data set together."""
        labels, mine, theirs = self.labels.join(other.labels)
        width = len(labels)

        def both(ours: Ints, others: Ints) -> Ints:
            return spread(ours, mine, width) + spread(others, theirs, width)

        return RocScores(
            labels,
            self.unlisted,
            both(self.positives, other.positives),
            self.data + other.data,
            np.concatenate((mine[self.label], theirs[other.label])),
            np.concatenate((self.score, other.score)),
            np.concatenate((self.true, other.true)),
            both(self.listing, other.listing),
        )

    def areas(self) -> Floats:
        """AUC per label, by the trapezoidal rule; NaN where it is undefined.

        The trapezoids add up to the share of (positive, negative) pairs in which the positive scores higher, ties
        counting half, which is counted here in whole numbers.
        """
        small = self.label.astype(np.uint16 if len(self.labels) < 2**16 else np.int64)
        order = np.argsort(small, kind="stable")
        scores, true = self.score[order], self.true[order]
        ends = np.append(0, np.cumsum(np.bincount(self.label, minlength=len(self.labels))))
        areas = np.zeros(len(self.labels))
        for place in range(len(self.labels)):
            rows = slice(int(ends[place]), int(ends[place + 1]))
            areas[place] = self._area(place, scores[rows], true[rows])
        return areas

    def _area(self, place: int, scores: Floats, true: Bools) -> float:
        positives = int(self.positives[place])
        if self.unlisted == "rank_last":
            negatives = self.data - positives
        else:
            negatives = max(int(self.listing[place]) - positives, 0)
        if not positives or not negatives:
            return math.nan if self.unlisted == "rank_last" else 0.0
        if self._never_rises(scores):
            return 0.0
        above, below = scores[true], np.sort(scores[~true])
        doubled = int(np.searchsorted(below, above, side="left").sum())
        doubled += int(np.searchsorted(below, above, side="right").sum())
        if self.unlisted == "rank_last":
            absent = negatives - below.size
            doubled += absent * (2 * above.size + positives - above.size)
        return doubled / (2 * positives * negatives)

    def _never_rises(self, scores: Floats) -> bool:
        """Whether a curve that starts at score 0 has nowhere to go: the label's best score is 0."""
        return self.unlisted == "leave_out" and (scores.size == 0 or float(scores.max()) == 0.0)

    def result(self) -> dict[str, Any]:
        """AUC per label and their mean over the labels that have one; null where undefined."""
        areas = self.areas()
        defined = areas[~np.isnan(areas)]
        mean = math.fsum(defined.tolist()) / defined.size if defined.size else math.nan
        per_label = {name: plain(area) for name, area in zip(self.labels.names, areas, strict=True)}
        return {"per_label": per_label, "mean": plain(mean)}


def roc_scores(table: Classifications, *, unlisted: Unlisted) -> RocScores:
    """Collect what the ROC curves of a table need.

    Source:
        Valor metrics document, binary ROC AUC; the trapezoidal rule stands for its sum of point distances.
    """
    if unlisted == "rank_last":
        table = table.without_repeats()
    width = len(table.labels)
    listing = np.bincount(table.row_label, minlength=width)
    if unlisted == "leave_out" and table.has_repeats():
        listing = np.bincount(np.unique(table.pair_keys()) % width, minlength=width)
    return RocScores(
        table.labels,
        unlisted,
        np.bincount(table.truth, minlength=width),
        len(table),
        table.row_label,
        table.row_score,
        table.matching,
        listing,
    )
