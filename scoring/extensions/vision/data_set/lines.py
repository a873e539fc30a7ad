"""One result for each image: its score with the figures behind it, and the images with the lowest scores.

A single image can be explained: its ground truths and predictions, which were matched, and the outcome of each.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

import numpy as np

from scoring.data.rows.batch import id_text
from scoring.diagnostics.suggest import nearest
from scoring.errors import InputError
from scoring.extensions.vision.arrays import Ints, mean_or_nan, nan_to_none
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.data_set.table import ImageData, Images, TableMetric
from scoring.extensions.vision.detection.confusion import pair_up
from scoring.extensions.vision.detection.pairs import OverlapPairs, overlap_pairs
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.task import VisionTask
from scoring.extensions.vision.segmentation.pixels import PixelCounts, mean_ious
from scoring.outcomes import UNDECIDED, FieldColumn, Outcomes, Results
from scoring.result import Outcome
from scoring.statistics.breakdown import attributes_of

ImageScore: TypeAlias = tuple[float, dict[str, Any]]
"""A score, NaN if nothing can be scored, and the figures that it is made of."""

NO_LABEL = "neither side shows a label"


def image_scores(data: ImageData, task: VisionTask) -> list[ImageScore]:
    """Return the score of each image under one label key.

    Detection: F1 of the boxes paired at the settings' `worst_iou` and `worst_score`, 1 if there is nothing to find and
    nothing was found. Segmentation: the mean IoU of the labels that the image shows. Classification: 1 if the best
    label is the true one, else 0.
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
    data = table.row_datum[rows]
    columns = (data, table.truth[data], table.row_label[rows], table.row_score[rows], own[data])
    for datum, true, label, score, own_score in zip(*(column.tolist() for column in columns), strict=True):
        scores[datum] = (
            float(label == true),
            {"groundtruth": names[true], "prediction": names[label], "score": score, "score_of_groundtruth": own_score},
        )
    return scores


def _pixels(counts: PixelCounts) -> list[ImageScore]:
    common, truth, found = counts.each()
    sums = zip(*(part.sum(axis=1).tolist() for part in (common, truth, found)), strict=True)
    names = ("common_pixels", "true_pixels", "predicted_pixels")
    pairs = zip(mean_ious(common, truth, found, "observed"), sums, strict=True)
    return [(iou, dict(zip(names, row, strict=True))) for iou, row in pairs]


def image_results(keyed: Mapping[str, Images], task: VisionTask, attributes: Sequence[str] = ()) -> Results:
    """Return the result of each image: one field (a part with its own score) per label key, with the figures behind
    the score.

    The record's score is the mean over the label keys that the image has.

    Args:
        keyed: The images under each label key.
        task: The settings of the data set.
        attributes: Breakdowns and clusters whose values the results contain.
    """
    ids = list(dict.fromkeys(uid for images in keyed.values() for uid in images.ids))
    place = {uid: index for index, uid in enumerate(ids)}
    fields: dict[str, FieldColumn] = {}
    values = {part: [...] * len(ids) for name in attributes for part in attributes_of(name)}
    for key, images in keyed.items():
        places = [place[uid] for uid in images.ids]
        outcomes = Outcomes.nothing(len(ids))
        for index, (score, parts) in zip(places, image_scores(images.data, task), strict=True):
            is_none = score != score
            outcomes.put(
                index, Outcome(None, "not_applicable", NO_LABEL, parts) if is_none else Outcome(score, notes=parts)
            )
        fields[key] = FieldColumn(key, 1.0, outcomes, [None] * len(ids), [None] * len(ids))
        for name, column in values.items():
            for index, value in zip(places, images.column(name), strict=True):
                column[index] = value
    undecided, weights = bytearray([UNDECIDED]) * len(ids), array("d", [1.0]) * len(ids)
    return Results(
        ids, _joined(list(fields.values()), len(ids)), fields, undecided, weights, values, {}, [None] * len(ids), {}
    )


def _joined(fields: Sequence[FieldColumn], size: int) -> Outcomes:
    """Return the outcomes of `size` images, of which each has the mean score of its fields."""
    columns = [field.outcomes.values for field in fields]
    means = np.full(size, math.nan)
    if len(columns) == 1:
        means[:] = columns[0]
    else:
        for index, row in enumerate(zip(*columns, strict=True)):
            means[index] = mean_or_nan([score for score in row if score == score])
    nothing = Outcome(None, "not_applicable", NO_LABEL)
    return Outcomes.of_arrays(means, dict.fromkeys(np.flatnonzero(np.isnan(means)).tolist(), nothing))


def worst(data: ImageData, results: Sequence[tuple[Any, Outcome]], limit: int) -> list[dict[str, Any]]:
    """Return the images with the lowest scores, worst first, each with the errors on it.

    Args:
        data: The data, whose type determines the kind of scores.
        results: The id of each image and its outcome under one label key, in the order of the data.
        limit: The maximum number of images to list.
    """
    name = "f1" if isinstance(data, Detections) else "mean_iou" if isinstance(data, PixelCounts) else ""
    ranked = [(rank, place) for place, (uid, one) in enumerate(results) if (rank := _rank(data, uid, one)) is not None]
    return [
        {
            "id": results[place][0],
            **({name: results[place][1].value} if name else {}),
            **(({} if isinstance(data, PixelCounts) else results[place][1].notes) or {}),
        }
        for _, place in nsmallest(limit, ranked)
    ]


def _rank(data: ImageData, uid: Any, outcome: Outcome) -> tuple[Any, ...] | None:
    """Return a key that sorts images from worst to best; None if nothing is wrong with the image.

    Args:
        data: The data, whose type determines what an error is.
        uid: The id of the image.
        outcome: Its score and the figures behind it.
    """
    notes = outcome.notes or {}
    if isinstance(data, Detections):
        errors = 2 * int(notes["confused"]) + int(notes["invented"]) + int(notes["missed"])
        return (outcome.value, -errors) if errors > 0 else None
    if isinstance(data, PixelCounts):
        return None if outcome.value is None else (outcome.value, str(uid))
    # The margin by which the wrong label's score exceeds that of the true label.
    is_wrong = outcome.value == 0.0 and "prediction" in notes
    return (float(notes["score_of_groundtruth"]) - float(notes["score"]),) if is_wrong else None


# ---- explaining one image


def explain_image(
    task: VisionTask, metrics: Mapping[str, TableMetric], keyed: Mapping[str, Images], image: str | None = None
) -> dict[str, Any]:
    """Return an explanation of one image as plain data: its score and attributes, and for each label key its objects
    and predictions with their outcomes, and the metrics computed on this image alone.

    Args:
        task: The settings of the data set.
        metrics: The metrics by their expressions.
        keyed: The images under each label key.
        image: The id of the image; None for the first one.

    Raises:
        InputError: when the data has no image with this id, or no image at all.
    """
    uid = _image_id(keyed, image)
    alone = {key: images.select([list(images.ids).index(uid)]) for key, images in keyed.items() if uid in images.ids}
    (result,) = image_results(alone, task)
    return {
        "id": uid,
        "records": task.records,
        **result.outcome.to_json(),
        "attributes": dict(next(iter(alone.values())).attributes[0]),
        "keys": {
            key: {
                **result.fields[key].outcome.to_json(),
                **_story(images.data, task),
                "metrics": {text: metric(images.data).value() for text, metric in metrics.items()},
            }
            for key, images in alone.items()
        },
    }


def _image_id(keyed: Mapping[str, Images], image: str | None) -> Any:
    ids = list(dict.fromkeys(uid for images in keyed.values() for uid in images.ids))
    names = {str(id_text(uid)): uid for uid in ids}
    if not ids:
        raise InputError("the data set holds no image")
    if image is None:
        return ids[0]
    if image not in names:
        close = nearest(image, list(names))
        hint = f"; did you mean `{close}`?" if close else ""
        raise InputError(f"no image has the id `{image}`{hint}")
    return names[image]


def _story(data: ImageData, task: VisionTask) -> dict[str, Any]:
    if isinstance(data, Detections):
        return _story_of_boxes(data, task.worst_iou, task.worst_score)
    return _story_of_pixels(data) if isinstance(data, PixelCounts) else _story_of_labels(data)


def _story_of_boxes(table: Detections, iou_threshold: float, score_threshold: float) -> dict[str, Any]:
    """Return, for a table of one image, the ground truths and the detections, each with its outcome at the thresholds,
    the detection or ground truth paired with it, and the one that it overlaps most.
    """
    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing="at_threshold")
    names, rows = table.labels.names, np.arange(table.row_score.size)
    pairs = overlap_pairs(table, rows)
    takes = dict(zip(found.rows.tolist(), found.truths.tolist(), strict=True))
    taken = {truth: row for row, truth in takes.items()}

    def same(row: int, truth: int) -> str:
        return "found" if table.row_label[row] == table.truth_label[truth] else "confused"

    def detection(row: int) -> dict[str, Any]:
        truth = takes.get(row)
        low = table.row_score[row] < score_threshold
        return {
            "id": table.ids[int(table.row_shape[row])],
            "label": names[int(table.row_label[row])],
            "score": float(table.row_score[row]),
            "became": ("below the score" if low else "invented") if truth is None else same(row, truth),
            "takes": None if truth is None else table.truth_ids[truth],
            **_nearest(pairs, pairs.detection == row, pairs.truth, table.truth_ids),
        }

    def ground_truth(truth: int) -> dict[str, Any]:
        row = taken.get(truth)
        marks = {"crowd": table.truth_crowd[truth], "ignore": table.truth_ignore[truth]}
        return {
            "id": table.truth_ids[truth],
            "label": names[int(table.truth_label[truth])],
            "became": "missed" if row is None else same(row, truth),
            "taken_by": None if row is None else table.ids[int(table.row_shape[row])],
            **_nearest(pairs, pairs.truth == truth, table.row_shape[pairs.detection], table.ids),
            **{name: True for name, mark in marks.items() if mark},
        }

    return {
        "iou_threshold": iou_threshold,
        "score_threshold": score_threshold,
        "groundtruths": [ground_truth(truth) for truth in range(len(table.truth_ids))],
        "detections": [detection(row) for row in np.argsort(-table.row_score, kind="stable").tolist()],
    }


def _nearest(pairs: OverlapPairs, own: Any, other: Ints, ids: Any) -> dict[str, Any]:
    """Return, under `nearest` and `overlap`, the id of the item that overlaps a given item most, whatever its label;
    None and 0 if none does.

    Args:
        pairs: The overlapping pairs of detections and ground truths.
        own: A mask of the pairs that contain the given item.
        other: The index of the other item of each pair.
        ids: The ids of the other items.
    """
    if not own.any():
        return {"nearest": None, "overlap": 0.0}
    best = int(np.flatnonzero(own)[np.argmax(pairs.overlap[own])])
    return {"nearest": ids[int(other[best])], "overlap": float(pairs.overlap[best])}


def _story_of_labels(table: Classifications) -> dict[str, Any]:
    names = table.labels.names
    order = np.argsort(-table.row_score, kind="stable").tolist()
    scores = [{"label": names[int(table.row_label[row])], "score": float(table.row_score[row])} for row in order]
    return {"groundtruth": names[int(table.truth[0])], "scores": scores}


def _story_of_pixels(counts: PixelCounts) -> dict[str, Any]:
    names = ("background", *counts.labels)
    cells = zip(*np.divmod(counts.cell, len(names)), counts.pixels, strict=True)
    per_label = {
        label: row for label, row in counts.per_label().items() if row["true_pixels"] + row["predicted_pixels"]
    }
    return {
        "labels": per_label,
        "pixels": [
            {"groundtruth": names[int(true)], "prediction": names[int(found)], "pixels": int(pixels)}
            for true, found, pixels in cells
        ],
        "accuracy": nan_to_none(counts.accuracy()),
    }
