"""The story of one image: its ground truths and predictions, which met which, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scoring.data.rows.join import id_text
from scoring.data.rows.row import InputError
from scoring.data.sets.task import VisionTask
from scoring.diagnostics.suggest import did_you_mean
from scoring.engine.data_set.lines import image_results
from scoring.engine.data_set.table import ImageData, Images, TableMetric
from scoring.vision.arrays import Ints, plain
from scoring.vision.classification.table import Classifications
from scoring.vision.detection.confusion import pair_up
from scoring.vision.detection.pairs import OverlapPairs, overlap_pairs
from scoring.vision.detection.table import Detections
from scoring.vision.segmentation.pixels import PixelCounts


def explain_image(
    task: VisionTask, metrics: Mapping[str, TableMetric], keyed: Mapping[str, Images], image: str | None = None
) -> dict[str, Any]:
    """What happened to one image, as plain data.

    Args:
        task: The settings of the data set.
        metrics: The metrics by their text; each is computed of this image alone.
        keyed: All images under each label key.
        image: Its id; the first image where left out.

    Raises:
        InputError: when there is no such image.
    """
    uid = _named(keyed, image)
    alone = {key: images.select([list(images.ids).index(uid)]) for key, images in keyed.items() if uid in images.ids}
    _, (result,) = image_results(alone, task)
    return {
        "id": uid,
        "records": task.records,
        **result.outcome.to_json(),
        "attributes": dict(next(iter(alone.values())).attributes[0]),
        "keys": {
            key: {
                **result.fields[key].outcome.to_json(),
                **_told(images.data, task),
                "metrics": {text: metric(images.data).value() for text, metric in metrics.items()},
            }
            for key, images in alone.items()
        },
    }


def _named(keyed: Mapping[str, Images], image: str | None) -> Any:
    ids = list(dict.fromkeys(uid for images in keyed.values() for uid in images.ids))
    names = {str(id_text(uid)): uid for uid in ids}
    if not ids:
        raise InputError("the data set holds no image")
    if image is None:
        return ids[0]
    if image not in names:
        close = did_you_mean(image, list(names))
        hint = f"; did you mean `{close}`?" if close else ""
        raise InputError(f"no image has the id `{image}`{hint}")
    return names[image]


def _told(data: ImageData, task: VisionTask) -> dict[str, Any]:
    if isinstance(data, Detections):
        return _boxes(data, task.worst_iou, task.worst_score)
    return _pixels(data) if isinstance(data, PixelCounts) else _labels(data)


def _boxes(table: Detections, iou_threshold: float, score_threshold: float) -> dict[str, Any]:
    """Each object and each detection with the other side that it overlaps most, and what it became."""
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
    """What is overlapped most, whatever its label."""
    if not own.any():
        return {"nearest": None, "overlap": 0.0}
    best = int(np.flatnonzero(own)[np.argmax(pairs.overlap[own])])
    return {"nearest": ids[int(other[best])], "overlap": float(pairs.overlap[best])}


def _labels(table: Classifications) -> dict[str, Any]:
    names = table.labels.names
    order = np.argsort(-table.row_score, kind="stable").tolist()
    scores = [{"label": names[int(table.row_label[row])], "score": float(table.row_score[row])} for row in order]
    return {"groundtruth": names[int(table.truth[0])], "scores": scores}


def _pixels(counts: PixelCounts) -> dict[str, Any]:
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
        "accuracy": plain(counts.accuracy()),
    }
