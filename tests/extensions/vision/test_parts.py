"""The law of every statistic: a data set scored in parts and merged equals it scored whole, to the bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.extensions.vision.classification.confusion import confusion
from scoring.extensions.vision.classification.counts import count
from scoring.extensions.vision.classification.detailed import detailed_curve
from scoring.extensions.vision.classification.roc import roc_scores
from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.detection.averages import precision_curves, recalls
from scoring.extensions.vision.detection.confusion import count_detection_confusion
from scoring.extensions.vision.detection.detailed import detailed_detections
from scoring.extensions.vision.detection.matches import match
from scoring.extensions.vision.detection.report import score_counts
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.geometry.shapes import Boxes
from scoring.extensions.vision.vocabulary import Vocabulary
from scoring.packs.coco.summary import COCO, coco_summary
from scoring.packs.valor.rules import VALOR, VALOR_LITE

THRESHOLDS = (0.05, 0.5, 0.75)
SCORES = st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.5000001, 0.75, 1.0])
LABELS = st.sampled_from("abcd")


@st.composite
def data(draw: Any) -> list[Datum]:
    rows = draw(st.lists(st.tuples(LABELS, st.lists(st.tuples(LABELS, SCORES), max_size=4)), max_size=10))
    return [
        Datum(f"d{i}", truth, [label for label, _ in found], [score for _, score in found])
        for i, (truth, found) in enumerate(rows)
    ]


@st.composite
def detections(draw: Any) -> Detections:
    images = draw(st.integers(0, 5))
    sides = []
    for _ in range(2):
        place = st.tuples(
            st.integers(0, max(images - 1, 0)),
            st.integers(0, 2),
            st.integers(0, 6),
            st.integers(0, 6),
            st.integers(0, 5),
            st.integers(1, 5),
            SCORES,
            st.booleans(),
        )
        rows = draw(st.lists(place, max_size=12)) if images else []
        sides.append(np.array(rows, dtype=np.float64).reshape(-1, 8))
    truth, found = sides
    shapes, boxes = Boxes.from_rows(truth[:, 2:6] * 10), Boxes.from_rows(found[:, 2:6] * 10)
    return Detections(
        tuple(range(images)),
        np.arange(images, dtype=np.int64),
        Vocabulary.declared("xyz"),
        tuple(range(len(truth))),
        truth[:, 0].astype(np.int64),
        truth[:, 1].astype(np.int64),
        shapes.areas(),
        truth[:, 7] > 0.9,
        np.zeros(len(truth), dtype=np.bool_),
        shapes,
        tuple(range(len(found))),
        np.arange(len(found)),
        found[:, 0].astype(np.int64),
        found[:, 1].astype(np.int64),
        found[:, 6],
        boxes.areas(),
        boxes,
    )


def plainly(value: Any) -> Any:
    """A result with NaN made comparable."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return repr(value)


def check(whole: Any, parts: list[Any], read: Any) -> None:
    for order in (parts, parts[::-1]):
        merged = order[0]
        for part in order[1:]:
            merged = merged.merge(pickle.loads(pickle.dumps(part)))
        assert plainly(read(merged)) == plainly(read(whole))


@pytest.mark.property
@settings(max_examples=25)
@given(data(), st.integers(1, 3))
def test_classification(rows: list[Datum], number: int) -> None:
    whole = Classifications.from_data(rows)
    mask = np.arange(len(rows)) % number
    # Parts that know the labels of the whole, and parts read on their own that do not.
    known = [whole.part(mask == i) for i in range(number)]
    size = -(-len(rows) // number)
    apart = [Classifications.from_data(rows[i * size : (i + 1) * size], first=i * size) for i in range(number)]
    for parts in (known, apart):
        for hard in (True, False):
            for counting in ("one_vs_rest", "listed_pairs"):
                options: dict[str, Any] = {"thresholds": THRESHOLDS, "hard_max": hard, "counting": counting}
                check(
                    count(whole, **options),
                    [count(p, **options) for p in parts],
                    lambda c: (c.labels.names, [c.at(i) for i in range(3)], c.accuracy(0)),
                )
            check(
                confusion(whole, threshold=0.5, hard_max=hard, ignore_zero=True, max_examples=2),
                [confusion(p, threshold=0.5, hard_max=hard, ignore_zero=True, max_examples=2) for p in parts],
                lambda c: c.result(),
            )
        for unlisted in ("rank_last", "leave_out"):
            check(
                roc_scores(whole, unlisted=unlisted),
                [roc_scores(p, unlisted=unlisted) for p in parts],
                lambda r: r.result(),
            )
        check(
            detailed_curve(whole, thresholds=THRESHOLDS, max_examples=2),
            [detailed_curve(p, thresholds=THRESHOLDS, max_examples=2) for p in parts],
            lambda d: d.result(),
        )


@pytest.mark.property
@settings(max_examples=25)
@given(detections(), st.integers(1, 3))
def test_detection(whole: Detections, number: int) -> None:
    mask = np.arange(len(whole)) % number
    parts = [whole.part(mask == i) for i in range(number)]
    check(match(whole, COCO), [match(p, COCO) for p in parts], coco_summary)
    readings = ((VALOR, "tolerant_101"), (VALOR_LITE, "floor_101"), (VALOR, "area"), (VALOR, "voc_11"))
    for rules, interpolation in readings:
        matches, apart = match(whole, rules), [match(p, rules) for p in parts]
        check(matches, apart, lambda m, i=interpolation: precision_curves(m, interpolation=i).average)
        check(matches, apart, lambda m: recalls(m, at_score=0.5))
        check(matches, apart, lambda m: score_counts(m, iou_threshold=0.5, score_thresholds=THRESHOLDS))
    for pairing in ("at_threshold", "before_threshold"):
        options: dict[str, Any] = {"iou_threshold": 0.5, "score_threshold": 0.25, "pairing": pairing, "max_examples": 2}
        check(
            count_detection_confusion(whole, **options),
            [count_detection_confusion(p, **options) for p in parts],
            lambda c: c.result(),
        )
    detail: dict[str, Any] = {
        "matching": "next_free",
        "iou_threshold": 0.5,
        "score_thresholds": THRESHOLDS,
        "max_examples": 2,
    }
    check(detailed_detections(whole, **detail), [detailed_detections(p, **detail) for p in parts], lambda d: d.result())
