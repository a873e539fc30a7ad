"""Kinds of detection errors per label and score threshold, with examples.

An item has a given kind for a range of score thresholds: a true positive up to its score, a missed object above the
score of the detection that matched it. So each kind is a list of half-open ranges, counted by two histograms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Floats, Ints, first_of_each, reaching
from scoring.extensions.vision.cells import ErrorKinds, NotedExample, kept_examples
from scoring.extensions.vision.detection.matches import ranked_rows
from scoring.extensions.vision.detection.pairs import match_one_to_one, overlap_pairs
from scoring.extensions.vision.detection.settings import Matching, MatchRules
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.draws import Share

KINDS = ("tp", "fp_hallucinations", "fp_misclassifications", "fn_misclassifications", "fn_no_predictions")


class _Ranges(Struct, frozen=True, eq=False):
    """The ground truths or detections (`items`: their indices) that can have a certain kind of outcome, each with its
    label; an item has this outcome at the score thresholds t with `above` < t <= `upto`. `found` is the ground truth
    that each true positive matches.
    """

    label: Ints
    above: Floats
    upto: Floats
    items: Ints  # positions of ground truths or detection rows
    found: Ints | None = None  # the ground truth matched by each true positive


def detailed_detections(
    table: Detections,
    *,
    matching: Matching,
    iou_threshold: float,
    score_thresholds: Sequence[float],
    max_examples: int | None = 0,
) -> ErrorKinds:
    """Classify detections and ground truths by kind of outcome at each score threshold, and return the counts of the
    kinds.

    A false positive over an object of another label is a misclassification, else a hallucination. A missed object
    under a detection of another label that reaches the threshold is a misclassification, else there was no prediction.
    `iou_threshold` is the overlap that matching requires; `matching` is that of `MatchRules`.

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
    by_kind = zip(KINDS, kinds, strict=True)
    noted = (one for name, kind in by_kind for one in _examples(table, name, kind, steps, max_examples))
    examples = kept_examples(noted, max_examples)
    first = steps[0] if steps else np.inf
    nothing, mistaken = (table.row_image[kind.items[kind.upto >= first]] for kind in kinds[1:3])
    invented = Share.of(table.order, nothing, np.concatenate((nothing, mistaken)))
    settings = {"iou_threshold": iou_threshold}
    return ErrorKinds(table.labels, KINDS, steps, counts, examples, max_examples, invented, settings)


def _kinds(table: Detections, rules: MatchRules, iou_threshold: float) -> tuple[_Ranges, ...]:
    rows, pairs, _ = ranked_rows(table, rules)
    near = pairs.where(pairs.overlap >= iou_threshold)
    matched = match_one_to_one(near.detection, near.truth, np.arange(near.detection.size), None, len(table.truth_ids))
    hits, found = rows[near.detection[matched]], near.truth[matched]
    other = overlap_pairs(table, rows, at_least=iou_threshold)
    other = other.where(table.row_label[other.detection] != table.truth_label[other.truth])
    score, label = table.row_score, table.row_label
    true, confused = np.zeros((2, score.size), dtype=np.bool_)
    true[hits], confused[other.detection] = True, True
    by, instead = np.full((2, len(table.truth_ids)), -np.inf)
    by[found] = score[hits]
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


def _examples(
    table: Detections, kind: str, ranges: _Ranges, steps: tuple[float, ...], limit: int | None
) -> Iterator[NotedExample]:
    of_truth = kind.startswith("fn")
    image = (table.truth_image if of_truth else table.row_image)[ranges.items]
    place = table.order[image]
    order = np.argsort(ranges.items, kind="stable")
    for threshold in steps:
        inside = order[(ranges.above[order] < threshold) & (threshold <= ranges.upto[order])]
        for i in inside[first_of_each(ranges.label[inside], place[inside], limit)].tolist():
            item = int(ranges.items[i])
            what = {"datum_id": table.images[image[i]]}
            if not of_truth:
                what["prediction_id"] = table.ids[table.row_shape[item]]
            if of_truth or ranges.found is not None:
                what["ground_truth_id"] = table.truth_ids[item if ranges.found is None else ranges.found[i]]
            yield (kind, threshold, table.labels.names[ranges.label[i]]), ((int(place[i]), item), what)
