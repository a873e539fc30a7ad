"""Which detections meet which ground truths: the pairs of an image and their overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints, expand_ranges
from scoring.vision.detection.table import Detections

#: Smaller overlaps are no overlap.
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class OverlapPairs:
    """Pairs of a detection row and a ground truth, with their overlap."""

    detection: Ints
    truth: Ints
    overlap: Floats

    def where(self, chosen: Bools) -> OverlapPairs:
        """Some of the pairs."""
        return OverlapPairs(self.detection[chosen], self.truth[chosen], self.overlap[chosen])


def same_label_pairs(table: Detections, rows: Ints, *, at_least: float, crowd: bool) -> OverlapPairs:
    """Pairs of rows and ground truths of the same image and label, in the order of `rows`.

    Args:
        table: The data.
        rows: Detection rows.
        at_least: Smaller overlaps are left out.
        crowd: Measure the overlap with a crowd region against the detection alone.
    """
    width = len(table.labels)
    return _pairs(
        table,
        rows,
        table.row_shape[rows],
        table.row_image[rows] * width + table.row_label[rows],
        table.truth_image * width + table.truth_label,
        at_least,
        crowd,
    )


def image_pairs(table: Detections, rows: Ints, *, at_least: float = TINY) -> OverlapPairs:
    """Pairs of rows and ground truths of the same image, whatever their labels, in the order of `rows`."""
    return _pairs(table, rows, table.row_shape[rows], table.row_image[rows], table.truth_image, at_least, crowd=False)


def _pairs(
    table: Detections, detection: Ints, shape: Ints, key: Ints, truth_key: Ints, at_least: float, crowd: bool
) -> OverlapPairs:
    order = np.argsort(truth_key, kind="stable")
    ordered = truth_key[order]
    begins = np.searchsorted(ordered, key, side="left")
    lengths = np.searchsorted(ordered, key, side="right") - begins
    truth = order[expand_ranges(begins, lengths)]
    which = np.repeat(np.arange(detection.size, dtype=np.int64), lengths)
    crowds = table.truth_crowd if crowd and bool(table.truth_crowd.any()) else None
    overlap = table.shapes.overlaps(table.truth_shapes, shape[which], truth, crowds)
    kept = overlap >= at_least
    return OverlapPairs(detection[which[kept]], truth[kept], overlap[kept])


def best_overlaps(pairs: OverlapPairs, detections: int) -> Floats:
    """The largest overlap of each detection, 0 where it meets nothing."""
    best = np.zeros(detections)
    np.maximum.at(best, pairs.detection, pairs.overlap)
    return best
