"""Average precision and recall of matched detections."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, mean_or_nan, ratio
from scoring.extensions.vision.detection.matches import Matches

#: The points on the recall axis at which the precision envelope is read.
#: `coco_101`: recall ≥ k × 0.01 in double precision, like pycocotools; `tolerant_101`: the same up to rounding;
#: `floor_101`: bins floor(100 × recall); `voc_11`: 0, 0.1 … 1; `area`: the exact area under the envelope.
Interpolation = Literal["coco_101", "tolerant_101", "floor_101", "voc_11", "area"]
#: A label without ground truth: excluded from the means, or counted as 0.
WithoutTruth = Literal["leave_out", "zero"]


class Curves(Struct, frozen=True, eq=False):
    """The precision-recall curve of each label: interpolated precision and largest score at each recall point, IoU
    thresholds × points × labels, and the average precision, IoU thresholds × labels; NaN where undefined.
    """

    precision: Floats
    score: Floats
    average: Floats  # IoU thresholds × labels


def precision_curves(matches: Matches, *, interpolation: Interpolation, area: str = "all") -> Curves:
    """Return the interpolated precision-recall curve of every label at each IoU threshold, for objects whose area is in
    the named range.

    Source:
        COCO detection evaluation; PASCAL VOC challenge; Valor metrics document, average precision.
    """
    number = matches.area(area)
    positives = matches.positives[number]
    needed = hits_needed(positives, interpolation)
    shape = (len(matches.rules.iou_thresholds), 11 if interpolation == "voc_11" else 101, len(matches.labels))
    curves = Curves(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape[::2], np.nan))
    for step in range(shape[0]):
        _fill(curves, matches, number, step, needed, interpolation)
    if interpolation == "floor_101":
        # There, every detection is in a bin, and those before the first true positive are in bin 0.
        present, first = np.unique(matches.label, return_index=True)
        curves.score[:, 0, present] = matches.score[first]
    return curves


def _fill(curves: Curves, matches: Matches, area: int, step: int, needed: Ints, interpolation: Interpolation) -> None:
    """Write the curves of one IoU threshold into `curves`; only true positives can determine them, so others are
    skipped.

    Args:
        curves: The curves to write to.
        matches: Matched detections.
        area: The index of the area range.
        step: The index of the IoU threshold.
        needed: What `hits_needed` returns.
        interpolation: The rule of interpolation.
    """
    hits = np.flatnonzero(matches.is_true(area, step))
    label, score, positives = matches.label[hits], matches.score[hits], matches.positives[area]
    counted = np.append(0, np.cumsum(~matches.is_ignored(area, step)))
    seen = counted[hits + 1] - counted[matches.begins[label]]
    first = np.searchsorted(label, np.arange(positives.size + 1))
    hit = np.arange(hits.size) - first[label] + 1
    # pycocotools guards its division with the spacing of 1, which affects the last bit of a precision of 1.
    guard = np.spacing(1) if interpolation == "coco_101" else 0.0
    precision = hit / (seen + guard)
    for position in np.flatnonzero(positives).tolist():
        own = slice(int(first[position]), int(first[position + 1]))
        envelope = np.maximum.accumulate(precision[own][::-1])[::-1]
        where = needed[position]
        reached = where < envelope.size
        values, scores = np.zeros(where.size), np.zeros(where.size)
        values[reached], scores[reached] = envelope[where[reached]], score[own][where[reached]]
        curves.precision[step, :, position], curves.score[step, :, position] = values, scores
        curves.average[step, position] = (
            math.fsum(envelope.tolist()) / float(positives[position]) if interpolation == "area" else values.mean()
        )


def hits_needed(positives: Ints, interpolation: Interpolation) -> Ints:
    """Return, for each number of objects and each recall point, the index (from 0) of the true positive at which recall
    reaches the point; 0 where there are no objects.

    The recall of k true positives is k / positives; `interpolation` determines the recall points and how rounding
    errors are tolerated when recall is compared with a point.

    Examples:
        >>> hits_needed(np.array(4), "voc_11").tolist()
        [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    """
    total = np.maximum(positives, 1)[..., None].astype(np.float64)
    known = {"coco_101": np.linspace(0.0, 1.0, 101), "floor_101": np.arange(101.0), "voc_11": np.arange(11) / 10}
    points = known.get(interpolation, np.arange(101) / 100)
    wanted = points if interpolation in ("coco_101", "floor_101") else points - 1e-9 * np.maximum(points, 1 / total)

    def reached(hits: Floats) -> Bools:
        recall = hits / total
        return np.asarray((np.floor(100 * recall) if interpolation == "floor_101" else recall) >= wanted)

    hits = np.maximum(np.ceil((wanted / 100 if interpolation == "floor_101" else wanted) * total), 1.0)
    hits -= (hits > 1) & reached(hits - 1)  # corrects a guess that was rounded
    hits += ~reached(hits)
    return np.asarray(hits - 1, dtype=np.int64)


def recalls(
    matches: Matches, *, area: str = "all", max_detections: int | None = None, at_score: float | None = None
) -> Floats:
    """Return the recall of every label, IoU thresholds × labels; NaN for a label without ground truth.

    Args:
        matches: Matched detections.
        area: The name of the area range.
        max_detections: The number of detections per image and label that count.
        at_score: Only detections whose score reaches this value count.
    """
    number, width = matches.area(area), len(matches.labels)
    kept = np.ones(matches.label.size, dtype=np.bool_)
    if max_detections is not None:
        kept &= matches.rank < max_detections
    if at_score is not None:
        kept &= matches.score >= at_score
    found = np.array(
        [
            np.bincount(matches.label[kept & matches.is_true(number, step)], minlength=width)
            for step in range(len(matches.rules.iou_thresholds))
        ]
    )
    return ratio(found, np.broadcast_to(matches.positives[number], found.shape), undefined=math.nan)


def mean_over_labels(values: Floats, observed: Bools, without_truth: WithoutTruth) -> float:
    """Return the mean of `values`, one per label; NaN if there is nothing to average.

    Args:
        values: A figure per label; NaN for a label without ground truth.
        observed: A mask of the labels that occur.
        without_truth: "zero" counts an observed label without ground truth as 0; else it is left out.
    """
    chosen = np.nan_to_num(values[observed]) if without_truth == "zero" else values[~np.isnan(values)]
    return mean_or_nan(chosen.tolist())
