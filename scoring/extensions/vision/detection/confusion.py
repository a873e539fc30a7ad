"""Confusion matrix of a detection data set: which labels of objects are detected as which, across labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Ints, first_of_each, positions
from scoring.extensions.vision.cells import CELLS, Confusion, NotedExample, kept_examples
from scoring.extensions.vision.detection.pairs import match_one_to_one, overlap_pairs
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.draws import Share

#: `at_threshold`: only overlaps and scores that reach the thresholds compete. `before_threshold`: all compete, and
#: the thresholds apply to the winners, so that a poor overlap may take an object from a good one.
Pairing = Literal["at_threshold", "before_threshold"]
#: Under `before_threshold` a detection of score 0 is not counted in any cell.
ZERO = 1e-9


class PairedUp(Struct, frozen=True, eq=False):
    """The result of pairing: detection rows and the ground truths that they are paired with, then the rows (`invented`)
    and the ground truths (`missed`) without a partner.
    """

    rows: Ints
    truths: Ints
    invented: Ints
    missed: Ints


def pair_up(table: Detections, *, iou_threshold: float, score_threshold: float, pairing: Pairing) -> PairedUp:
    """Pair the detections and ground truths of each image one to one, whatever their labels: the best score first, then
    the largest overlap.

    Args:
        table: The data.
        iou_threshold: The least overlap of a pair.
        score_threshold: The least score of a detection that is paired.
        pairing: Whether only overlaps and scores that reach the thresholds compete ("at_threshold"), or all do and the
            thresholds are then applied to the pairs ("before_threshold").
    """
    enough = table.row_score >= score_threshold
    if pairing == "before_threshold":
        enough &= table.row_score > ZERO
    qualified = np.flatnonzero(enough)
    competing = np.arange(table.row_score.size) if pairing == "before_threshold" else qualified
    pairs = overlap_pairs(table, competing).numbered(table.row_shape)
    if pairing == "at_threshold":
        pairs = pairs.where(pairs.overlap >= iou_threshold)
    best = np.full(len(table.shapes), -np.inf)  # a shape's score is the highest of its rows
    np.maximum.at(best, table.row_shape, table.row_score)
    order = np.lexsort((pairs.truth, pairs.detection, -pairs.overlap, -best[pairs.detection]))
    _, rank = positions(order, order.size)
    by_shape = np.lexsort((rank, pairs.detection))
    pairs = pairs.where(by_shape)
    pairs = pairs.where(match_one_to_one(pairs.detection, pairs.truth, rank[by_shape], None, len(table.truth_ids)))
    pairs = pairs.where(pairs.overlap >= iou_threshold)
    partner = np.full(len(table.shapes), -1, dtype=np.int64)
    partner[pairs.detection] = pairs.truth
    with_partner = partner[table.row_shape[qualified]] >= 0
    rows = qualified[with_partner]
    truths = partner[table.row_shape[rows]]
    missed = np.flatnonzero(np.bincount(truths, minlength=len(table.truth_ids)) == 0)
    return PairedUp(rows, truths, qualified[~with_partner], missed)


def count_detection_confusion(
    table: Detections, *, iou_threshold: float, score_threshold: float, pairing: Pairing, max_examples: int | None = 0
) -> Confusion:
    """Return the confusion matrix of the labels of objects (true) and of the detections paired with them (predicted),
    with at most `max_examples` examples per cell (None: all); the other settings are those of `pair_up`.
    """
    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing=pairing)
    return confusion_of(table, found, max_examples)


def confusion_of(table: Detections, found: PairedUp, max_examples: int | None) -> Confusion:
    """Return the confusion matrix of the given pairs, with at most `max_examples` examples per cell (None: all)."""
    width = len(table.labels)
    cell = table.truth_label[found.truths] * width + table.row_label[found.rows]
    matrix = np.bincount(cell, minlength=width * width).reshape(width, width)
    alone = table.truth_label[found.missed], table.row_label[found.invented]
    lists = np.stack([np.bincount(labels, minlength=width) for labels in alone])
    examples = kept_examples(_examples(table, found, max_examples), max_examples)
    images = table.row_image[found.rows]
    hits = images[table.truth_label[found.truths] == table.row_label[found.rows]]
    images_alone = table.truth_image[found.missed], table.row_image[found.invented]
    right = Share.of(table.order, hits, np.concatenate((images, *images_alone)))
    return Confusion(table.labels, matrix, lists, examples, max_examples, right)


def _examples(table: Detections, found: PairedUp, limit: int | None) -> Iterator[NotedExample]:
    names = table.labels.names
    row_place, truth_place = table.order[table.row_image], table.order[table.truth_image]

    def noted(kind: str, row: int | None, truth: int | None) -> NotedExample:
        labels, ids, image, item = [], {}, 0, 0
        if truth is not None:
            image, item = int(table.truth_image[truth]), truth
            labels.append(names[table.truth_label[truth]])
            ids["ground_truth_id"] = table.truth_ids[truth]
        if row is not None:
            image, item = int(table.row_image[row]), row
            labels.append(names[table.row_label[row]])
            ids["prediction_id"] = table.ids[table.row_shape[row]]
        return (kind, *labels), ((int(table.order[image]), item), {"datum_id": table.images[image], **ids})

    cell = table.truth_label[found.truths] * len(names) + table.row_label[found.rows]
    for at in first_of_each(cell, row_place[found.rows], limit):
        yield noted(CELLS[0], int(found.rows[at]), int(found.truths[at]))
    for at in first_of_each(table.truth_label[found.missed], truth_place[found.missed], limit):
        yield noted(CELLS[1], None, int(found.missed[at]))
    for at in first_of_each(table.row_label[found.invented], row_place[found.invented], limit):
        yield noted(CELLS[2], int(found.invented[at]), None)


def outcomes_by_image(table: Detections, found: PairedUp) -> list[dict[str, Any]]:
    """Return the ids of true positives, false positives and false negatives of each image that has objects or
    detections.

    A pair of different labels makes a false positive and a false negative. A detection with several labels is a false
    positive for each wrong label.
    """
    images: list[dict[str, Any]] = [
        {"datum_id": image, "true_positives": [], "false_positives": [], "false_negatives": []}
        for image in table.images
    ]
    missed, wrong = found.missed.tolist(), found.invented.tolist()
    for row, truth in zip(found.rows.tolist(), found.truths.tolist(), strict=True):
        if table.row_label[row] == table.truth_label[truth]:
            pair = [table.truth_ids[truth], table.ids[int(table.row_shape[row])]]
            known = images[int(table.row_image[row])]["true_positives"]
            known.extend([pair] if pair not in known else [])
        else:
            wrong.append(row)
            missed.append(truth)
    seen = {(int(table.row_shape[row]), int(table.row_label[row])): row for row in sorted(wrong, reverse=True)}
    for row in sorted(seen.values()):
        images[int(table.row_image[row])]["false_positives"].append(table.ids[int(table.row_shape[row])])
    for truth in sorted(set(missed)):
        images[int(table.truth_image[truth])]["false_negatives"].append(table.truth_ids[truth])
    return [images[image] for image in _used(table)]


def examples_by_place(table: Detections, found: PairedUp) -> tuple[tuple[int, dict[str, Any]], ...]:
    """Return what `outcomes_by_image` returns, each entry preceded by its image's place in the data set."""
    return tuple(zip(table.order[_used(table)].tolist(), outcomes_by_image(table, found), strict=True))


def _used(table: Detections) -> Ints:
    return np.union1d(table.truth_image, table.row_image)
