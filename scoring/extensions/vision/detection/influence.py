"""Compute how much each image moves an average precision: the infinitesimal jackknife, in the time of one evaluation.

An image has the weight 1. With a little more weight, its objects count more, its true positives are worth more, and the
precision at every score that its detections reach changes. An average precision is the area under the envelope of the
precision: each true positive contributes the precision at its peak, the best precision at its score or a lower one. So
the derivative by the weight of an image is a sum over its detections of what each adds to all peaks at lower scores.
"""

from __future__ import annotations

import numpy as np

from scoring.extensions.vision.arrays import Bools, Floats, Ints
from scoring.extensions.vision.detection.matches import Matches


def influences_on_precision(matches: Matches, images: int, labels: Bools) -> Floats:
    """Return, for each image, the derivative of the mean average precision with respect to the image's weight.

    The average precision is the area under the whole precision-recall curve, which its 101-point version approximates.

    Args:
        matches: Matched detections.
        images: The number of images in the whole data set.
        labels: Mask of the labels that the mean is over; those without ground truth count as 0.

    Source:
        Jaeckel: The infinitesimal jackknife (1972); Efron, Tibshirani: An Introduction to the Bootstrap (1993).
    """
    area = matches.area("all")
    positives = np.where(labels, matches.positives[area], 0)
    counted = matches.truth_counts[area]
    truth_label, truth_image = matches.truth_label[counted], matches.truth_image[counted]
    known = positives[truth_label] > 0
    truth_label, truth_image = truth_label[known], truth_image[known]
    found = np.zeros(images)
    steps = len(matches.rules.iou_thresholds)
    for step in range(steps):
        of_detections, averages = _of_detections(matches, positives, area, step)
        found += np.bincount(matches.image, of_detections, minlength=images)
        found -= np.bincount(truth_image, (averages / np.maximum(positives, 1))[truth_label], minlength=images)
    return found / (steps * max(int(labels.sum()), 1))


def _of_detections(matches: Matches, positives: Ints, area: int, step: int) -> tuple[Floats, Floats]:
    """Return, for one IoU threshold, each detection's contribution to the derivative of its label's average precision
    with respect to the weight of its image, and the average precision of each label.

    Args:
        matches: Matched detections.
        positives: The number of ground truths of each label.
        area: The index of the area range.
        step: The index of the IoU threshold.
    """
    true, counted = matches.is_true(area, step), ~matches.is_ignored(area, step)
    hits = np.flatnonzero(true)
    label = matches.label[hits]
    first = np.searchsorted(label, np.arange(positives.size + 1))
    seen = np.append(0, np.cumsum(counted))
    below = seen[hits + 1] - seen[matches.begins[label]]
    precision = (np.arange(hits.size) - first[label] + 1) / below
    peak = _peaks(precision, first)
    envelope = precision[peak]
    share = 1.0 / np.maximum(positives, 1)
    # More weight of a detection changes each peak at its score or below: by (1 - precision) / below if it is true, by
    # -precision / below otherwise, for every true positive that has this peak.
    times = np.bincount(peak, minlength=hits.size) / below
    behind = np.append(np.cumsum(times[::-1])[::-1], 0.0)
    precisely = np.append(np.cumsum((times * precision)[::-1])[::-1], 0.0)
    at: Ints = np.cumsum(true) - true
    end = first[matches.label + 1]
    moved = np.where(true, behind[at] - behind[end], 0.0) - (precisely[at] - precisely[end])
    moved = np.where(counted & (positives[matches.label] > 0), moved, 0.0)
    moved[hits] += np.where(positives[label] > 0, envelope, 0.0)
    averages = np.bincount(label, envelope, minlength=positives.size) * share
    return moved * share[matches.label], averages


def _peaks(precision: Floats, first: Ints) -> Ints:
    """Return, for each true positive, the position of the best precision among it and the later ones of its label.

    Args:
        precision: The precision at each true positive; those of a label are contiguous, best score first.
        first: The position of the first true positive of each label, and the number of all.

    Examples:
        >>> _peaks(np.array([1.0, 0.5, 0.75, 0.2]), np.array([0, 3, 4])).tolist()
        [0, 2, 2, 3]
    """
    # Precisions are at most 1, so that with 2 more for each earlier label, none looks beyond its label's end.
    sizes = np.diff(first)
    lifted = (precision + 2.0 * np.repeat(np.arange(sizes.size)[::-1], sizes))[::-1]
    best = np.maximum.accumulate(lifted)
    newest = np.where(np.append(True, lifted[1:] > best[:-1]), np.arange(lifted.size), 0) if lifted.size else lifted
    return np.asarray(lifted.size - 1 - np.maximum.accumulate(newest)[::-1], dtype=np.int64)
