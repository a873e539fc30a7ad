"""Kinds of detection errors per label and score threshold, with examples.

Whatever the kind, an item has it for a range of score thresholds: a true positive up to its score, a missed object
from above the score of what found it. So each kind is a list of half-open ranges, counted by two histograms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.vision.arrays import Floats, Ints, reaching
from scoring.vision.cells import ErrorKinds, Examples, KeptExample, first_examples
from scoring.vision.detection.matches import ranked_rows
from scoring.vision.detection.matching import settle
from scoring.vision.detection.pairs import image_pairs
from scoring.vision.detection.settings import Matching, MatchRules
from scoring.vision.detection.table import Detections
from scoring.vision.draws import Share

KINDS = ("tp", "fp_hallucinations", "fp_misclassifications", "fn_misclassifications", "fn_no_predictions")


@dataclass(frozen=True, eq=False)
class _Ranges:
    """Items that have a kind at score thresholds in (above, up to]."""

    label: Ints
    above: Floats
    upto: Floats
    items: Ints  # positions of ground truths or detection rows
    found: Ints | None = None  # the ground truth that each true positive found


def detailed_detections(
    table: Detections,
    *,
    matching: Matching,
    iou_threshold: float,
    score_thresholds: Sequence[float],
    max_examples: int | None = 0,
) -> ErrorKinds:
    """Sort detections and ground truths into their kinds of outcome.

    A false positive over an object of another label is a misclassification, else a hallucination. A missed object
    under a qualified detection of another label is a misclassification, else there was no prediction.

    Source:
        Valor metrics document, DetailedPrecisionRecallCurve, object detection tasks.
    """
    rules = MatchRules(matching, "overlap", iou_thresholds=(iou_threshold,))
    kinds = _kinds(table, rules, iou_threshold)
    steps, width = tuple(score_thresholds), len(table.labels)
    counts = np.array(
        [
            reaching(kind.label, kind.upto, steps, width)
            - reaching(kind.label, np.minimum(kind.above, kind.upto), steps, width)
            for kind in kinds
        ]
    )
    examples: Examples = {}
    for number, kind in enumerate(kinds if max_examples != 0 else ()):
        _add_examples(examples, table, KINDS[number], kind, steps, max_examples)
    first = steps[0] if steps else np.inf
    nothing, mistaken = (table.row_image[kind.items[kind.upto >= first]] for kind in kinds[1:3])
    invented = Share.of(table.order, nothing, np.concatenate((nothing, mistaken)))
    settings = {"iou_threshold": iou_threshold}
    return ErrorKinds(table.labels, KINDS, steps, counts, examples, max_examples, invented, settings)


def _kinds(table: Detections, rules: MatchRules, iou_threshold: float) -> tuple[_Ranges, ...]:
    rows, pairs, _ = ranked_rows(table, rules)
    near = pairs.where(pairs.overlap >= iou_threshold)
    matched = settle(near.detection, near.truth, np.arange(near.detection.size), None, len(table.truth_ids))
    hits, found = rows[near.detection[matched]], near.truth[matched]
    other = image_pairs(table, rows, at_least=iou_threshold)
    other = other.where(table.row_label[other.detection] != table.truth_label[other.truth])
    score, label = table.row_score, table.row_label
    true = np.zeros(score.size, dtype=np.bool_)
    true[hits] = True
    confused = np.zeros(score.size, dtype=np.bool_)
    confused[other.detection] = True
    by = np.full(len(table.truth_ids), -np.inf)
    by[found] = score[hits]
    instead = np.full(len(table.truth_ids), -np.inf)
    np.maximum.at(instead, other.truth, score[other.detection])
    truths = np.arange(len(table.truth_ids))

    def up_to_score(chosen: Ints, objects: Ints | None = None) -> _Ranges:
        return _Ranges(label[chosen], np.full(chosen.size, -np.inf), score[chosen], chosen, objects)

    return (
        up_to_score(hits, found),
        up_to_score(np.flatnonzero(~true & ~confused)),
        up_to_score(np.flatnonzero(~true & confused)),
        _Ranges(table.truth_label, by, instead, truths),
        _Ranges(table.truth_label, np.maximum(by, instead), np.full(truths.size, np.inf), truths),
    )


def _add_examples(
    examples: Examples, table: Detections, kind: str, ranges: _Ranges, steps: tuple[float, ...], limit: int | None
) -> None:
    of_truth = kind.startswith("fn")
    image = (table.truth_image if of_truth else table.row_image)[ranges.items]
    place = table.order[image]
    order = np.lexsort((ranges.items, place, ranges.label))
    for threshold in steps:
        inside = order[(ranges.above[order] < threshold) & (threshold <= ranges.upto[order])]
        for label in np.unique(ranges.label[inside]).tolist():
            chosen = inside[ranges.label[inside] == label][:limit]
            found: list[KeptExample] = []
            for i in chosen.tolist():
                what = {"datum_id": table.images[int(image[i])], **_ids(table, of_truth, ranges, i)}
                found.append(((int(place[i]), int(ranges.items[i])), what))
            examples[kind, threshold, table.labels.names[label]] = first_examples(found, limit)


def _ids(table: Detections, of_truth: bool, ranges: _Ranges, position: int) -> dict[str, Any]:
    item = int(ranges.items[position])
    if of_truth:
        return {"ground_truth_id": table.truth_ids[item]}
    ids = {"prediction_id": table.ids[int(table.row_shape[item])]}
    if ranges.found is not None:
        ids["ground_truth_id"] = table.truth_ids[int(ranges.found[position])]
    return ids
