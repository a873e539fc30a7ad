"""Headlines of matched detections in which images occur several times or not at all.

An image that occurs w times brings each of its detections w times, side by side in the ranking. Among w equal true
positives precision only rises, so the envelope is the one after the last of them: every detection stays one column
with a weight, and the figures equal, bit for bit, those of a table in which the images are listed that often.
Matching looks at one image at a time and is never done again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints, best_mean, ratio
from scoring.vision.classification.counts import precision_recall_f1
from scoring.vision.detection.averages import Interpolation, WithoutTruth, hits_needed, mean_over_labels
from scoring.vision.detection.matches import Matches
from scoring.vision.draws import Draws

Recompute: TypeAlias = Callable[[Matches, Draws], list[float]]


def drawn_positives(matches: Matches, draws: Draws, area: int) -> Floats:
    """Ground truths that count, resamples × labels.

    Args:
        matches: Matched detections.
        draws: The resamples.
        area: Number of the area range.
    """
    listed = matches.listed
    counted = listed.truth_counts[area]
    return draws.sums(listed.truth_image[counted], listed.truth_label[counted], len(matches.labels))


def drawn_observed(matches: Matches, draws: Draws) -> Bools:
    """Labels that a ground truth or a detection has, resamples × labels."""
    listed = matches.listed
    images = np.concatenate((listed.truth_image, listed.row_image))
    labels = np.concatenate((listed.truth_label, listed.row_label))
    return np.asarray(draws.sums(images, labels, len(matches.labels)) > 0)


def drawn_precision(
    matches: Matches, draws: Draws, interpolation: Interpolation, area: str = "all"
) -> Iterator[Floats]:
    """For each IoU threshold the precision envelope at the recall points, resamples × labels × points.

    NaN for a label without ground truth.

    Args:
        matches: Matched detections.
        draws: The resamples.
        interpolation: Where the curve is read; not `area`, which reads it everywhere.
        area: Name of the area range.
    """
    number = matches.area(area)
    positives = drawn_positives(matches, draws, number)
    needed = hits_needed(positives.astype(np.int64), interpolation)
    for curve in _curves(matches, draws, number, interpolation):
        yield np.where(positives[..., None] > 0, curve.at(needed), np.nan)


def drawn_averages(matches: Matches, draws: Draws, interpolation: Interpolation, area: str = "all") -> Floats:
    """Average precision, resamples × IoU thresholds × labels.

    Args:
        matches: Matched detections.
        draws: The resamples.
        interpolation: Where the curve is read.
        area: Name of the area range.
    """
    if interpolation != "area":
        found = [precision.mean(axis=-1) for precision in drawn_precision(matches, draws, interpolation, area)]
        return np.stack(found, axis=1)
    number = matches.area(area)
    positives = drawn_positives(matches, draws, number)
    sums = [curve.areas(positives) for curve in _curves(matches, draws, number, interpolation)]
    return np.stack(sums, axis=1)


@dataclass(frozen=True, eq=False)
class _Curve:
    """The true positives of one IoU threshold, resamples × true positives, and where each label's begin and end."""

    hits: Floats  # how many true positives there are up to and with this one, over all labels
    envelope: Floats  # the best precision from this one on, within its label
    ends: Ints  # of each label

    def at(self, needed: Ints) -> Floats:
        """The envelope at the true positives with these numbers within each label; 0 where a label has fewer.

        All labels and resamples are looked up in one sorted row: each resample is lifted above the one before it.
        """
        lines, width = self.hits.shape
        if not width:
            return np.zeros(needed.shape)
        begins = np.append(0, self.ends)[:-1]
        before = np.column_stack((np.zeros(lines), self.hits))[:, begins]
        lift = np.arange(lines)[:, None] * (self.hits[:, -1].max() + needed.max() + 2.0)
        wanted = needed + (before + lift)[..., None]
        place = np.searchsorted((self.hits + lift).ravel(), wanted.ravel(), side="right").reshape(wanted.shape)
        place -= np.arange(lines)[:, None, None] * width
        reached = place < self.ends[:, None]
        place[~reached] = 0
        values = np.take_along_axis(self.envelope, place.reshape(lines, -1), axis=1).reshape(wanted.shape)
        return np.where(reached, values, 0.0)

    def areas(self, positives: Floats) -> Floats:
        """The exact area under the envelope, resamples × labels; NaN for a label without ground truth."""
        times = np.diff(self.hits, axis=1, prepend=0.0).astype(np.int64)
        found = np.full(positives.shape, np.nan)
        for line, label in np.argwhere(positives > 0).tolist():
            some = slice(self.ends[label - 1] if label else 0, self.ends[label])
            heights = np.repeat(self.envelope[line, some], times[line, some])
            found[line, label] = math.fsum(heights.tolist()) / float(positives[line, label])
        return found


def _curves(matches: Matches, draws: Draws, area: int, interpolation: Interpolation) -> Iterator[_Curve]:
    weights = draws.weights(matches.image)
    begins = np.searchsorted(matches.label, np.arange(len(matches.labels)))
    # As in `averages`: the guard of a published division shows in the last bit.
    guard = np.spacing(1) if interpolation == "coco_101" else 0.0
    ignored_before: Bools | None = None
    seen = weights
    for step in range(len(matches.rules.iou_thresholds)):
        ignored = matches.is_ignored(area, step)
        if ignored_before is None or not np.array_equal(ignored, ignored_before):  # mostly the same at all thresholds
            seen = np.zeros((len(draws), matches.label.size + 1))
            np.cumsum(np.where(ignored, 0.0, weights) if ignored.any() else weights, axis=1, out=seen[:, 1:])
            ignored_before = ignored
        chosen = np.flatnonzero(matches.is_true(area, step))
        label = matches.label[chosen]
        ends = np.searchsorted(label, np.arange(len(matches.labels)), side="right")
        hits = np.cumsum(weights[:, chosen], axis=1)
        own = hits - np.column_stack((np.zeros(len(draws)), hits))[:, np.append(0, ends)[:-1][label]]
        below = seen[:, chosen + 1] - seen[:, begins[label]]
        precision = np.zeros(hits.shape)
        np.divide(own, below + guard, out=precision, where=below > 0)
        for begin, end in zip(np.append(0, ends)[:-1].tolist(), ends.tolist(), strict=True):
            backwards = precision[:, begin:end][:, ::-1]
            np.maximum.accumulate(backwards, axis=1, out=backwards)
        yield _Curve(hits, precision, ends)


def drawn_ap(interpolation: Interpolation, without_truth: WithoutTruth) -> Recompute:
    """AP averaged over IoU thresholds and labels.

    Args:
        interpolation: Where the curve is read.
        without_truth: What a label without ground truth does.
    """

    def recompute(matches: Matches, draws: Draws) -> list[float]:
        averages = drawn_averages(matches, draws, interpolation, next(iter(matches.rules.areas)))
        return _over_labels([part.mean(axis=0) for part in averages], matches, draws, without_truth)

    return recompute


def drawn_ar(score_thresholds: Sequence[float], without_truth: WithoutTruth) -> Recompute:
    """AR averaged over score thresholds and labels.

    Args:
        score_thresholds: Only detections whose score reaches the threshold count.
        without_truth: What a label without ground truth does.
    """

    def recompute(matches: Matches, draws: Draws) -> list[float]:
        number = matches.area(next(iter(matches.rules.areas)))
        positives = drawn_positives(matches, draws, number)
        found = [
            _over_labels(
                [part.mean(axis=0) for part in _recall(matches, draws, number, score, positives)],
                matches,
                draws,
                without_truth,
            )
            for score in score_thresholds
        ]
        return [math.fsum(scores) / len(scores) for scores in zip(*found, strict=True)] or [math.nan] * len(draws)

    return recompute


def _recall(matches: Matches, draws: Draws, area: int, at_score: float, positives: Floats) -> Floats:
    """Recall, resamples × IoU thresholds × labels."""
    kept = matches.score >= at_score
    width = len(matches.labels)
    found = []
    for step in range(len(matches.rules.iou_thresholds)):
        hits = kept & matches.is_true(area, step)
        found.append(draws.sums(matches.image[hits], matches.label[hits], width))
    below = np.broadcast_to(positives[:, None], (len(draws), len(found), width))
    return ratio(np.stack(found, axis=1), below, undefined=math.nan)


def _over_labels(values: Sequence[Floats], matches: Matches, draws: Draws, without_truth: WithoutTruth) -> list[float]:
    if without_truth == "leave_out":
        return [mean_over_labels(one, matches.observed, without_truth) for one in values]
    observed = drawn_observed(matches, draws)
    return [mean_over_labels(one, seen, without_truth) for one, seen in zip(values, observed, strict=True)]


def drawn_best_f1(score_thresholds: Sequence[float]) -> Recompute:
    """The largest mean F1 over labels at the first IoU threshold.

    Args:
        score_thresholds: Score thresholds.
    """

    def recompute(matches: Matches, draws: Draws) -> list[float]:
        true, counted = matches.is_true(0, 0), ~matches.is_ignored(0, 0)
        if matches.rules.minimum_score is not None:
            counted &= matches.score > matches.rules.minimum_score
        tp = drawn_reaching(matches, draws, true, score_thresholds)
        fp = drawn_reaching(matches, draws, counted & ~true, score_thresholds)
        fn = drawn_positives(matches, draws, 0)[:, None] - tp
        f1 = precision_recall_f1(tp, fp, fn)[2]
        observed = drawn_observed(matches, draws)
        return [best_mean(one[:, seen]) for one, seen in zip(f1, observed, strict=True)]

    return recompute


def drawn_reaching(matches: Matches, draws: Draws, chosen: Bools, thresholds: Sequence[float]) -> Floats:
    """How many of some detections reach each score threshold, resamples × thresholds × labels."""
    width = len(matches.labels)
    return draws.reaching(matches.image[chosen], matches.label[chosen], matches.score[chosen], thresholds, width)
