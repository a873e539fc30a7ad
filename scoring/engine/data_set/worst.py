"""The images and data on which a model does worst, for people to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.vision.classification.table import Classifications
from scoring.vision.detection.confusion import pair_up
from scoring.vision.detection.table import Detections


def worst_images(table: Detections, limit: int, iou_threshold: float, score_threshold: float) -> list[dict[str, Any]]:
    """Images with the lowest F1, and of equal ones those with the most errors.

    Args:
        table: The data.
        limit: How many to list.
        iou_threshold: Overlap from which a detection finds an object.
        score_threshold: Score from which a detection counts.
    """
    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing="at_threshold")
    size = len(table)
    image = table.row_image[found.rows]
    right = table.row_label[found.rows] == table.truth_label[found.truths]
    hits = np.bincount(image[right], minlength=size)
    confused = np.bincount(image[~right], minlength=size)
    invented = np.bincount(table.row_image[found.invented], minlength=size)
    missed = np.bincount(table.truth_image[found.missed], minlength=size)
    errors = 2 * confused + invented + missed
    f1 = np.divide(2 * hits, 2 * hits + errors, out=np.ones(size), where=errors > 0)
    order = np.lexsort((table.order, -errors, f1))[:limit]
    return [
        {
            "id": table.images[i],
            "f1": float(f1[i]),
            "found": int(hits[i]),
            "confused": int(confused[i]),
            "invented": int(invented[i]),
            "missed": int(missed[i]),
        }
        for i in order.tolist()
        if errors[i]
    ]


def worst_classifications(table: Classifications, limit: int) -> list[dict[str, Any]]:
    """Data whose best label is wrong, those first where it is furthest ahead of the true one.

    Args:
        table: The data.
        limit: How many to list.
    """
    rows = table.best_rows()
    data = table.row_datum[rows]
    own = np.zeros(len(table))
    match = table.matching
    np.maximum.at(own, table.row_datum[match], table.row_score[match])
    lead = table.row_score[rows] - own[data]
    wrong = np.flatnonzero(table.row_label[rows] != table.truth[data])
    order = wrong[np.lexsort((table.order[data[wrong]], -lead[wrong]))][:limit]
    names = table.labels.names
    return [
        {
            "id": table.ids[data[i]],
            "groundtruth": names[table.truth[data[i]]],
            "prediction": names[table.row_label[rows[i]]],
            "score": float(table.row_score[rows[i]]),
            "score_of_groundtruth": float(own[data[i]]),
        }
        for i in order.tolist()
    ]
