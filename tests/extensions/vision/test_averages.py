"""Average precision by each interpolation, worked out by hand; matching and limits one rule at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from scoring.extensions.vision.detection.averages import mean_over_labels, precision_curves, recalls
from scoring.extensions.vision.detection.matches import match
from scoring.extensions.vision.detection.report import score_counts
from scoring.extensions.vision.detection.settings import MatchRules
from scoring.extensions.vision.detection.table import Detections
from scoring.packs.coco.documents import read_coco
from scoring.packs.coco.summary import COCO
from scoring.packs.valor.rules import VALOR


def table(truths: list[list[float]], found: list[tuple[float, list[float]]], **marks: Any) -> Detections:
    """One image, one label."""
    return read_coco(
        {
            "images": [{"id": 1}],
            "categories": [{"id": 1, "name": "cat"}],
            "annotations": [
                {"id": i, "image_id": 1, "category_id": 1, "bbox": box, **marks.get(f"t{i}", {})}
                for i, box in enumerate(truths)
            ],
        },
        [{"image_id": 1, "category_id": 1, "bbox": box, "score": score} for score, box in found],
    )


A, B, NOTHING = [0.0, 0, 10, 10], [50.0, 50, 10, 10], [80.0, 80, 5, 5]
#: A true positive, a false one, a true one: precision 1 up to recall 1/2, then 2/3.
THREE = table([A, B], [(0.9, A), (0.8, NOTHING), (0.7, B)])


@pytest.mark.parametrize(
    ("interpolation", "value"),
    [
        ("area", (1 + 2 / 3) / 2),
        ("voc_11", (6 + 5 * 2 / 3) / 11),
        ("tolerant_101", (51 + 50 * 2 / 3) / 101),
        ("floor_101", (51 + 50 * 2 / 3) / 101),
        ("coco_101", (51 + 50 * 2 / 3) / 101),
    ],
)
def test_interpolations(interpolation: Any, value: float) -> None:
    curves = precision_curves(match(THREE, VALOR), interpolation=interpolation)
    assert curves.average[0, 0] == pytest.approx(value, abs=1e-12)
    if interpolation == "voc_11":
        assert curves.score[0, :, 0].tolist() == [0.9] * 6 + [0.7] * 5


def test_recall_at_a_score_and_a_limit() -> None:
    matches = match(THREE, COCO)
    assert recalls(matches, at_score=0.8)[0, 0] == 0.5
    assert recalls(matches, max_detections=1)[0, 0] == 0.5
    assert recalls(matches)[0, 0] == 1.0


def test_only_the_best_detections_of_an_image_are_matched() -> None:
    rules = replace(COCO, max_detections=2)
    assert recalls(match(THREE, rules))[0, 0] == 0.5
    assert match(THREE, rules).label.size == 2


def test_a_crowd_takes_any_number_and_counts_for_none() -> None:
    data = table([A, [0.0, 0, 100, 100]], [(0.9, A), (0.8, B), (0.7, NOTHING)], t1={"iscrowd": 1})
    counts = score_counts(match(data, COCO), iou_threshold=0.5, score_thresholds=[0.0])["cat"]
    assert (counts["tp"], counts["fp"], counts["fn"]) == ([1], [0], [0])


def test_an_ignored_object_is_taken_once() -> None:
    data = table([A], [(0.9, A), (0.8, A)], t0={"ignore": 1})
    heeded = replace(COCO, ignore_marks=True)  # pycocotools heeds crowd marks alone
    counts = score_counts(match(data, heeded), iou_threshold=0.5, score_thresholds=[0.0])["cat"]
    assert (counts["tp"], counts["fp"], counts["fn"]) == ([0], [1], [0])


def test_area_ranges_ignore_what_lies_outside() -> None:
    data = table([A, [40.0, 40, 50, 50]], [(0.9, A), (0.8, [40.0, 40, 50, 50]), (0.7, [0.0, 60, 40, 40])])
    matches = match(data, COCO)
    small = score_counts(matches, iou_threshold=0.5, score_thresholds=[0.0], area="small")["cat"]
    assert (small["tp"], small["fp"], small["fn"]) == ([1], [0], [0])
    medium = score_counts(matches, iou_threshold=0.5, score_thresholds=[0.0], area="medium")["cat"]
    assert (medium["tp"], medium["fp"], medium["fn"]) == ([1], [1], [0])


def test_labels_without_objects() -> None:
    matches = match(table([], [(0.9, A)]), VALOR)
    average = precision_curves(matches, interpolation="tolerant_101").average[0]
    assert np.isnan(mean_over_labels(average, matches.observed, "leave_out"))
    assert mean_over_labels(average, matches.observed, "zero") == 0.0


def test_impossible_settings() -> None:
    with pytest.raises(ValueError, match=r"IoU thresholds must be in \(0, 1\]"):
        MatchRules(iou_thresholds=(0.0,))
    with pytest.raises(ValueError, match=r"not matched at IoU 0\.3; the thresholds are 0\.5"):
        score_counts(match(THREE, VALOR), iou_threshold=0.3, score_thresholds=[0.0])
    with pytest.raises(ValueError, match="different rules cannot be merged"):
        match(THREE, VALOR).merge(match(THREE, COCO))
