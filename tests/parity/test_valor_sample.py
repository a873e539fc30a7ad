"""Small data sets of our own whose values follow from the rules by hand; they need no golden folder.

Everything goes through the packs and primitives, as a task would use them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.metrics.classification import label_curve, label_report, label_roc_auc
from scoring.extensions.vision.metrics.detection import detection_ap
from scoring.extensions.vision.metrics.segmentation import pixel_report
from scoring.extensions.vision.segmentation.pixels import LabelMap, count_pixels
from scoring.packs.coco.documents import read_coco
from tests.support.golden import read_jsonl

DATA = Path(__file__).parent / "data"
AP: dict[str, dict[str, Any]] = {
    "coco": {},
    "valor": {
        "matching": "best_only",
        "ties": "overlap",
        "max_detections": None,
        "crowd": False,
        "minimum_score": 1e-9,
        "interpolation": "tolerant_101",
    },
    "valor-lite": {
        "matching": "best_only",
        "ties": "overlap_any_label",
        "several_labels": "drop_unmatched",
        "max_detections": None,
        "crowd": False,
        "minimum_score": 1e-9,
        "interpolation": "floor_101",
        "without_truth": "zero",
    },
}


def rows(name: str) -> list[Any]:
    return list(read_jsonl(DATA / f"valor_{name}.jsonl"))


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("row", rows("detection"), ids=lambda row: row["note"][:40])
def test_detection(row: Any) -> None:
    table = read_coco(row["truth"], row["results"])
    for rule, options in AP.items():
        assert detection_ap(table, iou_thresholds=[0.5], **options).value() == near(row["ap50"][rule]), rule


@pytest.mark.parametrize("row", rows("classification"), ids=lambda row: row["note"][:40])
def test_classification(row: Any) -> None:
    table = Classifications.from_data(
        Datum(uid, truth, list(scores), list(scores.values())) for uid, truth, scores in row["data"]
    )
    assert label_report(table).value() == near(row["accuracy"])
    rules: dict[str, Literal["rank_last", "leave_out"]] = {"valor": "rank_last", "valor-lite": "leave_out"}
    for rule, unlisted in rules.items():
        found = label_roc_auc(table, unlisted=unlisted).details()["per_label"]
        assert found == {label: near(area) for label, area in row["auc"][rule].items()}
    curve = label_curve(table, thresholds=[0.5]).details()["labels"]
    lite = label_report(table, thresholds=[0.5], hard_max=False, counting="listed_pairs").details()["labels"][0]
    for label, wanted in row["tp_fn_at_half"]["valor"].items():
        assert [curve[label]["tp"][0], curve[label]["fn"][0]] == wanted
    for label, wanted in row["tp_fn_at_half"]["valor-lite"].items():
        assert [lite[label]["tp"], lite[label]["fn"]] == wanted


@pytest.mark.parametrize("row", rows("segmentation"), ids=lambda row: row["note"][:40])
def test_segmentation(row: Any) -> None:
    images = [LabelMap(str(i), np.array(a), np.array(b)) for i, (a, b) in enumerate(row["images"])]
    counts = count_pixels(images, row["labels"])
    rules: dict[str, Literal["ground_truth", "declared"]] = {"valor": "ground_truth", "valor-lite": "declared"}
    for rule, over in rules.items():
        found = pixel_report(counts, average_over=over)
        assert found.value() == near(row["mean_iou"][rule])
        assert found.details()["accuracy"] == near(row["accuracy"])
