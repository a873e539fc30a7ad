"""Headlines of matched detections for bootstrap resamples, in which images occur several times or not at all.

An image that occurs w times contributes each of its detections w times, adjacent in the ranking. Among w equal true
positives precision only rises, so the envelope is the one after the last of them: every detection stays one column
with a weight, and the figures equal, bit for bit, those of a table in which the images are listed that often.
Matching considers one image at a time and is never repeated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, best_mean, mean_or_nan, ratio
from scoring.extensions.vision.classification.counts import precision_recall_f1
from scoring.extensions.vision.detection.averages import Interpolation, WithoutTruth, hits_needed, mean_over_labels
from scoring.extensions.vision.detection.matches import Matches
from scoring.extensions.vision.draws import ImageDraws


def drawn_positives(matches: Matches, draws: ImageDraws, area: int) -> Floats:
    """Return the number of ground truths of each label that count in an area range, resamples × labels.

    Args:
        matches: Matched detections.
        draws: The resamples.
        area: The index of the area range.
    """
    counted = matches.truth_counts[area]
    return draws.sums(matches.truth_image[counted], matches.truth_label[counted], len(matches.labels))


def drawn_observed(matches: Matches, draws: ImageDraws) -> Bools:
    """Return a mask, resamples × labels: True where a ground truth or a detection has the label."""
    images = np.concatenate((matches.truth_image, matches.row_image))
    labels = np.concatenate((matches.truth_label, matches.row_label))
    return np.asarray(draws.sums(images, labels, len(matches.labels)) > 0)


def drawn_precision(
    matches: Matches, draws: ImageDraws, interpolation: Interpolation, area: str = "all"
) -> Iterator[tuple[Ints, Floats]]:
    """Yield, for each IoU threshold, the labels with true positives and, at each recall point, their interpolated
    precision in each resample.

    The precision is an array resamples × yielded labels × points, NaN where a label has no ground truth; labels that
    are not yielded have precision 0. Interpolated precision is the maximum at this recall or a larger one.
    """
    number = matches.area(area)
    positives = drawn_positives(matches, draws, number)
    needed = hits_needed(positives.astype(np.int64), interpolation)
    lines, labels, points = needed.shape
    row = np.arange(lines * labels).reshape(lines, labels)
    # All labels of all resamples are looked up in one sorted row: each is offset above the one before it.
    lift = needed.max(initial=0) + positives.max(initial=0) + 2.0
    sorted_row = (needed + row[..., None] * lift).ravel()
    for hits in _hits(matches, draws, number, interpolation):
        own = row[:, hits.label]
        reached = np.searchsorted(sorted_row, hits.count + own * lift, side="left") - own * points
        some, place = np.unique(hits.label, return_inverse=True)
        best = np.zeros((lines, some.size, points + 1))
        cells = (np.arange(lines)[:, None] * some.size + place) * (points + 1) + reached
        np.maximum.at(best.ravel(), cells, hits.precision)
        envelope = np.empty((lines, some.size, points))
        np.maximum.accumulate(best[..., :0:-1], axis=-1, out=envelope[..., ::-1])
        envelope[positives[:, some] == 0] = np.nan
        yield some, envelope


def drawn_averages(matches: Matches, draws: ImageDraws, interpolation: Interpolation) -> Floats:
    """Return the average precision in each resample, resamples × IoU thresholds × labels."""
    number = matches.area("all")
    positives = drawn_positives(matches, draws, number)
    if interpolation != "area":
        found = np.where(positives[:, None] > 0, np.zeros((1, len(matches.rules.iou_thresholds), 1)), np.nan)
        for step, (labels, envelope) in enumerate(drawn_precision(matches, draws, interpolation)):
            found[:, step, labels] = envelope.mean(axis=-1)
        return found
    return np.stack([_areas(hits, positives) for hits in _hits(matches, draws, number, interpolation)], axis=1)


class _Hits(Struct, frozen=True, eq=False):
    """The true positives at one IoU threshold, ordered by label and score. The figures are resamples × true positives:
    how often each occurs (`times`), the number of true positives of its label up to it (`count`), and the precision at
    it.
    """

    label: Ints
    times: Floats  # the number of occurrences of each
    count: Floats  # the number of true positives of its label up to and including this one
    precision: Floats  # after it


def _areas(hits: _Hits, positives: Floats) -> Floats:
    """Return the exact area under each label's interpolated precision-recall curve, resamples × labels; NaN for a label
    without ground truth.

    Args:
        hits: The true positives.
        positives: The number of ground truths, resamples × labels.
    """
    found = np.full(positives.shape, np.nan)
    for line, label in np.argwhere(positives > 0).tolist():
        some = slice(*np.searchsorted(hits.label, [label, label + 1]).tolist())
        envelope = np.maximum.accumulate(hits.precision[line, some][::-1])[::-1]
        heights = np.repeat(envelope, hits.times[line, some].astype(np.int64))
        found[line, label] = math.fsum(heights.tolist()) / float(positives[line, label])
    return found


def _hits(matches: Matches, draws: ImageDraws, area: int, interpolation: Interpolation) -> Iterator[_Hits]:
    weights = draws.weights(matches.image)
    # As in `averages`: a published division has a guard that affects the last bit.
    guard = np.spacing(1) if interpolation == "coco_101" else 0.0
    seen, ignored_before = np.zeros((0, 0)), None
    for step in range(len(matches.rules.iou_thresholds)):
        ignored = matches.is_ignored(area, step)
        if ignored_before is None or not np.array_equal(ignored, ignored_before):  # mostly the same at all thresholds
            seen = _running(np.where(ignored, 0.0, weights) if ignored.any() else weights)
            ignored_before = ignored
        chosen = np.flatnonzero(matches.is_true(area, step))
        label, times = matches.label[chosen], weights[:, chosen]
        running = _running(times)
        count = running[:, 1:] - running[:, np.searchsorted(label, label)]
        below = seen[:, chosen + 1] - seen[:, matches.begins[label]]
        precision = np.zeros(count.shape)
        np.divide(count, below + guard, out=precision, where=below > 0)
        yield _Hits(label, times, count, precision)


def _running(values: Floats) -> Floats:
    """Return, for each row, the sum of the values before each position; the last column is the sum of all values."""
    found = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=found[:, 1:])
    return found


def drawn_ap(
    matches: Matches, draws: ImageDraws, interpolation: Interpolation, without_truth: WithoutTruth
) -> list[float]:
    """Return, for each resample, the AP averaged over IoU thresholds and labels, the latter by `mean_over_labels`."""
    return _over_labels(drawn_averages(matches, draws, interpolation), matches, draws, without_truth)


def drawn_ar(
    matches: Matches, draws: ImageDraws, score_thresholds: Sequence[float], without_truth: WithoutTruth
) -> list[float]:
    """Return, for each resample, the AR averaged over score thresholds and labels, the latter by `mean_over_labels`."""
    number = matches.area("all")
    positives = drawn_positives(matches, draws, number)
    recalls = (_recall(matches, draws, number, score, positives) for score in score_thresholds)
    found = [_over_labels(recall, matches, draws, without_truth) for recall in recalls]
    return [mean_or_nan(scores) for scores in zip(*found, strict=True)] or [math.nan] * len(draws)


def _recall(matches: Matches, draws: ImageDraws, area: int, at_score: float, positives: Floats) -> Floats:
    """Return the recall in each resample of detections that reach a score, resamples × IoU thresholds × labels; NaN for
    a label without ground truth.

    Args:
        matches: Matched detections.
        draws: The resamples.
        area: The index of the area range.
        at_score: The least score of a detection that counts.
        positives: The number of ground truths, resamples × labels.
    """
    kept = matches.score >= at_score
    width = len(matches.labels)
    found = []
    for step in range(len(matches.rules.iou_thresholds)):
        hits = kept & matches.is_true(area, step)
        found.append(draws.sums(matches.image[hits], matches.label[hits], width))
    below = np.broadcast_to(positives[:, None], (len(draws), len(found), width))
    return ratio(np.stack(found, axis=1), below, undefined=math.nan)


def _over_labels(values: Floats, matches: Matches, draws: ImageDraws, without_truth: WithoutTruth) -> list[float]:
    """Return, for each resample, the mean of `values` (resamples × IoU thresholds × labels) over both other axes."""
    none_left_out = without_truth == "zero"
    observed = drawn_observed(matches, draws) if none_left_out else [matches.observed] * len(draws)
    parts = zip(values, observed, strict=True)
    return [mean_over_labels(one.mean(axis=0), seen, without_truth) for one, seen in parts]


def best_f1_of_resampled_detections(
    matches: Matches, draws: ImageDraws, score_thresholds: Sequence[float]
) -> list[float]:
    """Return, for each resample, the largest mean F1 over labels at any of the score thresholds, for the first IoU
    threshold.
    """
    width = len(matches.labels)
    tp, fp = (
        draws.reaching(matches.image[rows], matches.label[rows], matches.score[rows], score_thresholds, width)
        for rows in matches.hits_and_misses(0, 0)
    )
    fn = drawn_positives(matches, draws, 0)[:, None] - tp
    f1 = precision_recall_f1(tp, fp, fn)[2]
    return [best_mean(one[:, seen]) for one, seen in zip(f1, drawn_observed(matches, draws), strict=True)]
