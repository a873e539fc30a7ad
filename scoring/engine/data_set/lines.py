"""One result for each image: a score, what it is made of, and the images on which a model does worst."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from scoring.data.sets.task import VisionTask
from scoring.engine.data_set.table import ImageData, Images
from scoring.result import FieldResult, Outcome, RecordResult
from scoring.statistics.breakdown import attributes_of
from scoring.vision.classification.table import Classifications
from scoring.vision.detection.confusion import pair_up
from scoring.vision.detection.table import Detections
from scoring.vision.segmentation.pixels import PixelCounts, mean_ious

ImageScore: TypeAlias = tuple[float, dict[str, Any]]
"""A score, NaN where nothing can be scored, and the figures that it is made of."""


def image_scores(data: ImageData, task: VisionTask) -> list[ImageScore]:
    """The score of each image under one label key.

    Detection: F1 of the boxes that are paired at the settings' `worst_iou` and `worst_score`, 1 where there is nothing
    to find and nothing found. Segmentation: the mean IoU of the labels that the image shows. Classification: 1 where
    the best label is the true one.

    Args:
        data: The data.
        task: Its settings.
    """
    if isinstance(data, Detections):
        return _boxes(data, task.worst_iou, task.worst_score)
    return _pixels(data) if isinstance(data, PixelCounts) else _labels(data)


def _boxes(table: Detections, iou_threshold: float, score_threshold: float) -> list[ImageScore]:
    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing="at_threshold")
    image, size = table.row_image[found.rows], len(table)
    right = table.row_label[found.rows] == table.truth_label[found.truths]
    columns = {
        "found": np.bincount(image[right], minlength=size),
        "confused": np.bincount(image[~right], minlength=size),
        "invented": np.bincount(table.row_image[found.invented], minlength=size),
        "missed": np.bincount(table.truth_image[found.missed], minlength=size),
    }
    hits, errors = columns["found"], 2 * columns["confused"] + columns["invented"] + columns["missed"]
    f1 = np.divide(2 * hits, 2 * hits + errors, out=np.ones(size), where=errors > 0)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [(score, dict(zip(columns, row, strict=True))) for score, row in zip(f1.tolist(), rows, strict=True)]


def _labels(table: Classifications) -> list[ImageScore]:
    names, rows = table.labels.names, table.best_rows()
    own = np.zeros(len(table))
    match = table.matching
    np.maximum.at(own, table.row_datum[match], table.row_score[match])
    scores: list[ImageScore] = [(0.0, {"groundtruth": names[true]}) for true in table.truth.tolist()]
    for row, datum in zip(rows.tolist(), table.row_datum[rows].tolist(), strict=True):
        label = int(table.row_label[row])
        scores[datum] = (
            float(label == table.truth[datum]),
            {
                "groundtruth": names[int(table.truth[datum])],
                "prediction": names[label],
                "score": float(table.row_score[row]),
                "score_of_groundtruth": float(own[datum]),
            },
        )
    return scores


def _pixels(counts: PixelCounts) -> list[ImageScore]:
    common, truth, found = counts.each()
    sums = zip(*(part.sum(axis=1).tolist() for part in (common, truth, found)), strict=True)
    names = ("common_pixels", "true_pixels", "predicted_pixels")
    pairs = zip(mean_ious(common, truth, found, "observed"), sums, strict=True)
    return [(iou, dict(zip(names, row, strict=True))) for iou, row in pairs]


def image_results(
    keyed: Mapping[str, Images], task: VisionTask, attributes: Sequence[str] = ()
) -> tuple[list[str], list[RecordResult]]:
    """Where each image stands in the data set, and its result: a field for each label key with what it is made of.

    The record's score is the mean over the label keys that the image has.

    Args:
        keyed: The images under each label key.
        task: The settings of the data set.
        attributes: Breakdowns and clusters whose values the results carry.
    """
    names = list(dict.fromkeys(part for name in attributes for part in attributes_of(name)))
    fields: dict[Any, dict[str, FieldResult]] = {}
    values: dict[Any, dict[str, Any]] = {}
    for key, images in keyed.items():
        columns = [images.column(name) for name in names]
        for place, (uid, (score, parts)) in enumerate(zip(images.ids, image_scores(images.data, task), strict=True)):
            fields.setdefault(uid, {})[key] = FieldResult(key, _outcome(score, parts))
            values[uid] = {name: column[place] for name, column in zip(names, columns, strict=True)}
    results = [RecordResult(uid, _joined(parts), parts, attributes=values[uid]) for uid, parts in fields.items()]
    return [f"image {number}" for number in range(1, len(results) + 1)], results


def _outcome(score: float, parts: dict[str, Any]) -> Outcome:
    if math.isnan(score):
        return Outcome(None, "not_applicable", "neither side shows a label", parts)
    return Outcome(score, notes=parts)


def _joined(fields: Mapping[str, FieldResult]) -> Outcome:
    scores = [part.score for part in fields.values() if part.score is not None and part.status == "scored"]
    if not scores:
        return Outcome(None, "not_applicable", "neither side shows a label")
    return Outcome(math.fsum(scores) / len(scores))


def worst(data: ImageData, results: Sequence[tuple[Any, Outcome]], limit: int) -> list[dict[str, Any]]:
    """The images with the lowest scores and what they got wrong.

    Args:
        data: The data, which says what kind of scores these are.
        results: The id of each image and its outcome under one label key, in the order of the data.
        limit: How many to list.
    """
    name, order = _ranking(data)
    wrong = [place for place, (_, one) in enumerate(results) if _is_wrong(data, one)]
    listed = sorted(wrong, key=lambda place: order(*results[place], place))[:limit]
    return [
        {"id": uid, **({name: one.value} if name else {}), **_told(data, one.notes or {})}
        for uid, one in (results[place] for place in listed)
    ]


Order: TypeAlias = Callable[[Any, Outcome, int], tuple[Any, ...]]


def _ranking(data: ImageData) -> tuple[str, Order]:
    """What the score is called in the list, and the order of the list."""
    if isinstance(data, Detections):
        return "f1", lambda uid, one, place: (one.value, -_errors(one), place)
    if isinstance(data, PixelCounts):
        return "mean_iou", lambda uid, one, place: (one.value, str(uid))
    return "", lambda uid, one, place: (-_lead(one), place)


def _errors(outcome: Outcome) -> int:
    notes = outcome.notes or {}
    return 2 * int(notes["confused"]) + int(notes["invented"]) + int(notes["missed"])


def _lead(outcome: Outcome) -> float:
    """How far ahead of the true label the wrong one is."""
    notes = outcome.notes or {}
    return float(notes["score"]) - float(notes["score_of_groundtruth"])


def _is_wrong(data: ImageData, outcome: Outcome) -> bool:
    if isinstance(data, Detections):
        return _errors(outcome) > 0
    if isinstance(data, PixelCounts):
        return outcome.value is not None
    return outcome.value == 0.0 and "prediction" in (outcome.notes or {})


def _told(data: ImageData, notes: Mapping[str, Any]) -> Mapping[str, Any]:
    return {} if isinstance(data, PixelCounts) else notes
