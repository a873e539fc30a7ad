"""Headlines and tables of matched detections as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.extensions.vision.arrays import Floats, best_mean, mean_or_nan, nan_to_none, reaching
from scoring.extensions.vision.classification.counts import precision_recall_f1
from scoring.extensions.vision.detection.averages import (
    Interpolation,
    WithoutTruth,
    mean_over_labels,
    precision_curves,
    recalls,
)
from scoring.extensions.vision.detection.matches import Matches


def mean_ap(matches: Matches, interpolation: Interpolation, without_truth: WithoutTruth) -> float:
    """Return the AP averaged over IoU thresholds and labels; NaN if there is none. `without_truth` says whether a label
    without ground truth counts as 0 or is left out.
    """
    return mean_over_labels(
        _over_steps(precision_curves(matches, interpolation=interpolation).average), matches.observed, without_truth
    )


def ap_table(
    matches: Matches, interpolation: Interpolation, without_truth: WithoutTruth, curves: bool
) -> dict[str, Any]:
    """Return as plain data the AP of each label at each IoU threshold, with the means over either; with `curves` also
    the precision-recall curves.
    """
    found = precision_curves(matches, interpolation=interpolation)
    over_steps = _over_steps(found.average)
    table: dict[str, Any] = {
        "iou_thresholds": list(matches.rules.iou_thresholds),
        "mean": [nan_to_none(mean_over_labels(row, matches.observed, without_truth)) for row in found.average],
        "mean_over_ious": nan_to_none(mean_over_labels(over_steps, matches.observed, without_truth)),
        "labels": {
            name: {
                "ap": _shown(found.average[:, i], without_truth),
                "ap_over_ious": _shown(over_steps[i : i + 1], without_truth)[0],
                "ground_truths": int(matches.positives[0, i]),
                "detections": int(np.count_nonzero(matches.label == i)),
            }
            for i, name in _observed(matches)
        },
    }
    if curves:
        table["curves"] = {
            name: {
                key: [_shown(row, without_truth) for row in curve[:, :, i]]
                for key, curve in (("precision", found.precision), ("score", found.score))
            }
            for i, name in _observed(matches)
        }
    return table


def mean_ar(matches: Matches, score_thresholds: Sequence[float], without_truth: WithoutTruth) -> float:
    """Return the AR averaged over score thresholds and labels; NaN if there is none. `without_truth` says whether a
    label without ground truth counts as 0 or is left out.
    """
    return mean_or_nan(
        [mean_over_labels(row, matches.observed, without_truth) for row in _recall(matches, score_thresholds)]
    )


def ar_table(matches: Matches, score_thresholds: Sequence[float], without_truth: WithoutTruth) -> dict[str, Any]:
    """Return as plain data the AR of each label at each score threshold, with the means over either."""
    found = _recall(matches, score_thresholds)
    over_scores = _over_steps(found)
    return {
        "iou_thresholds": list(matches.rules.iou_thresholds),
        "score_thresholds": list(score_thresholds),
        "mean": [nan_to_none(mean_over_labels(row, matches.observed, without_truth)) for row in found],
        "mean_over_scores": nan_to_none(mean_ar(matches, score_thresholds, without_truth)),
        "labels": {
            name: {
                "ar": _shown(found[:, i], without_truth),
                "ar_over_scores": _shown(over_scores[i : i + 1], without_truth)[0],
            }
            for i, name in _observed(matches)
        },
    }


def score_counts(
    matches: Matches,
    *,
    iou_threshold: float,
    score_thresholds: Sequence[float],
    area: str = "all",
    undefined: float = 0.0,
) -> dict[str, dict[str, list[Any]]]:
    """Return, by label and name of the figure, the counts, precision, recall and F1 at one IoU threshold, each as a
    list with a value per score threshold; `undefined` replaces a ratio whose denominator is 0.

    Raise a ValueError if detections were not matched at this IoU threshold.

    Source:
        Valor metrics document, precision-recall curves, detection tasks.
    """
    known = matches.rules.iou_thresholds
    if iou_threshold not in known:
        raise ValueError(f"not matched at IoU {iou_threshold}; the thresholds are {', '.join(map(str, known))}")
    number, step = matches.area(area), known.index(iou_threshold)
    true, wrong = matches.hits_and_misses(number, step)
    width = len(matches.labels)
    tp, fp = (reaching(matches.label[rows], matches.score[rows], score_thresholds, width) for rows in (true, wrong))
    fn = matches.positives[number] - tp
    precision, recall, f1 = precision_recall_f1(tp, fp, fn, undefined)
    columns = {"tp": tp, "fp": fp, "fn": fn, "precision": precision, "recall": recall, "f1": f1}
    return {
        label: {name: values[:, place].tolist() for name, values in columns.items()}
        for place, label in _observed(matches)
    }


def best_f1(matches: Matches, score_thresholds: Sequence[float]) -> float:
    """Return the largest mean F1 over labels at any of the score thresholds, for the first IoU threshold; NaN without
    labels.
    """
    first = matches.rules.iou_thresholds[0]
    columns = score_counts(matches, iou_threshold=first, score_thresholds=score_thresholds)
    return best_mean(np.array([column["f1"] for column in columns.values()]).T)


def count_tables(matches: Matches, score_thresholds: Sequence[float], undefined: float) -> dict[str, Any]:
    """Return as plain data counts, precision, recall and F1 of each label at every IoU threshold and score
    threshold; `undefined` replaces a ratio whose denominator is 0.
    """
    return {
        "score_thresholds": list(score_thresholds),
        "curves": [
            {
                "iou_threshold": threshold,
                "labels": score_counts(
                    matches, iou_threshold=threshold, score_thresholds=score_thresholds, undefined=undefined
                ),
            }
            for threshold in matches.rules.iou_thresholds
        ],
    }


def _recall(matches: Matches, score_thresholds: Sequence[float]) -> Floats:
    rows = [_over_steps(recalls(matches, at_score=score)) for score in score_thresholds]
    return np.array(rows).reshape(len(rows), len(matches.labels))


def _over_steps(values: Floats) -> Floats:
    """Return, for each label, the mean of `values` over their first axis, the thresholds; NaN if there are no
    thresholds.
    """
    return np.asarray(values.mean(axis=0)) if values.size else np.full(values.shape[1], np.nan)


def _observed(matches: Matches) -> list[tuple[int, str]]:
    return [(i, matches.labels.names[i]) for i in np.flatnonzero(matches.observed).tolist()]


def _shown(values: Floats, without_truth: WithoutTruth) -> list[float | None]:
    filled = np.nan_to_num(values) if without_truth == "zero" else values
    return [nan_to_none(value) for value in filled]
