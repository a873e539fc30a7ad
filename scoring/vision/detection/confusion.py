"""Confusion matrix of a detection data set: which objects are taken for which, across labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints
from scoring.vision.cells import CELLS, Confusion, Examples, KeptExample, first_examples
from scoring.vision.detection.matching import settle
from scoring.vision.detection.pairs import OverlapPairs, image_pairs
from scoring.vision.detection.table import Detections
from scoring.vision.draws import Share

#: `at_threshold`: only overlaps and scores that reach the thresholds compete. `before_threshold`: all compete, and
#: the winners are looked at afterwards, so that a poor overlap may take an object from a good one.
Pairing = Literal["at_threshold", "before_threshold"]
#: Under `before_threshold` a detection of score 0 is in no cell.
ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class PairedUp:
    """Who was paired with whom: rows with their ground truth, rows and ground truths left alone."""

    rows: Ints
    truths: Ints
    invented: Ints
    missed: Ints


def pair_up(table: Detections, *, iou_threshold: float, score_threshold: float, pairing: Pairing) -> PairedUp:
    """Pair detections and ground truths of an image one to one, whatever their labels: best score, then overlap."""
    enough = table.row_score >= score_threshold
    if pairing == "before_threshold":
        enough &= table.row_score > ZERO
    qualified = np.flatnonzero(enough)
    competing = np.arange(table.row_score.size) if pairing == "before_threshold" else qualified
    pairs = image_pairs(table, competing)
    if pairing == "at_threshold":
        pairs = pairs.where(pairs.overlap >= iou_threshold)
    shape, truth, overlap = _winners(table, pairs)
    near = overlap >= iou_threshold
    partner = np.full(len(table.shapes), -1, dtype=np.int64)
    partner[shape[near]] = truth[near]
    with_partner = partner[table.row_shape[qualified]] >= 0
    rows = qualified[with_partner]
    truths = partner[table.row_shape[rows]]
    found: Bools = np.zeros(len(table.truth_ids), dtype=np.bool_)
    found[truths] = True
    return PairedUp(rows, truths, qualified[~with_partner], np.flatnonzero(~found))


def _winners(table: Detections, pairs: OverlapPairs) -> tuple[Ints, Ints, Floats]:
    """Pairs of shapes and ground truths that remain when each takes its best; a shape's score is its rows' best."""
    shape = table.row_shape[pairs.detection]
    best = np.full(len(table.shapes), -np.inf)
    np.maximum.at(best, table.row_shape, table.row_score)
    order = np.lexsort((pairs.truth, shape, -pairs.overlap, -best[shape]))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    by_shape = np.lexsort((rank, shape))
    shape, truth, overlap = shape[by_shape], pairs.truth[by_shape], pairs.overlap[by_shape]
    matched = settle(shape, truth, rank[by_shape], None, len(table.truth_ids))
    return shape[matched], truth[matched], overlap[matched]


def detection_confusion(
    table: Detections, *, iou_threshold: float, score_threshold: float, pairing: Pairing, max_examples: int | None = 0
) -> Confusion:
    """Count which objects are taken for which."""
    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing=pairing)
    return confusion_of(table, found, max_examples)


def confusion_of(table: Detections, found: PairedUp, max_examples: int | None) -> Confusion:
    """The counts of pairs that were found."""
    width = len(table.labels)
    cell = table.truth_label[found.truths] * width + table.row_label[found.rows]
    matrix = np.bincount(cell, minlength=width * width).reshape(width, width)
    alone = table.truth_label[found.missed], table.row_label[found.invented]
    lists = np.stack([np.bincount(labels, minlength=width) for labels in alone])
    examples = {} if max_examples == 0 else _examples(table, found, max_examples)
    images = table.row_image[found.rows]
    hits = images[table.truth_label[found.truths] == table.row_label[found.rows]]
    images_alone = table.truth_image[found.missed], table.row_image[found.invented]
    right = Share.of(table.order, hits, np.concatenate((images, *images_alone)))
    return Confusion(table.labels, matrix, lists, examples, max_examples, right)


def _examples(table: Detections, found: PairedUp, limit: int | None) -> Examples:
    names = table.labels.names
    collected: dict[tuple[object, ...], list[KeptExample]] = {}

    def note(cell: tuple[object, ...], image: int, item: int, what: dict[str, Any]) -> None:
        datum = {"datum_id": table.images[image], **what}
        collected.setdefault(cell, []).append(((int(table.order[image]), item), datum))

    for row, truth in zip(found.rows.tolist(), found.truths.tolist(), strict=True):
        ids = {"ground_truth_id": table.truth_ids[truth], "prediction_id": table.ids[int(table.row_shape[row])]}
        pair = (CELLS[0], names[int(table.truth_label[truth])], names[int(table.row_label[row])])
        note(pair, int(table.row_image[row]), row, ids)
    for truth in found.missed.tolist():
        cell = (CELLS[1], names[int(table.truth_label[truth])])
        note(cell, int(table.truth_image[truth]), truth, {"ground_truth_id": table.truth_ids[truth]})
    for row in found.invented.tolist():
        cell = (CELLS[2], names[int(table.row_label[row])])
        note(cell, int(table.row_image[row]), row, {"prediction_id": table.ids[int(table.row_shape[row])]})
    return {cell: first_examples(examples, limit) for cell, examples in collected.items()}


def outcomes_by_image(table: Detections, found: PairedUp) -> list[dict[str, Any]]:
    """True positives, false positives and false negatives of each image that holds anything.

    A pair of different labels makes a false positive and a false negative. A detection with several labels is a false
    positive for each that is wrong.
    """
    images: list[dict[str, Any]] = [
        {"datum_id": image, "true_positives": [], "false_positives": [], "false_negatives": []}
        for image in table.images
    ]
    missed = found.missed.tolist()
    wrong = list(found.invented.tolist())
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
    """The same, each with the place of its image in the data set."""
    places = table.order[_used(table)].tolist()
    return tuple(zip(places, outcomes_by_image(table, found), strict=True))


def _used(table: Detections) -> list[int]:
    return list(np.union1d(table.truth_image, table.row_image).tolist())
