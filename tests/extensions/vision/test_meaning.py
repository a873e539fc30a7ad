"""What moves the meaning of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.compiler.test_meaning import digest

LABELS = "car\ntree\n"
IMAGES = {
    "kind": "task",
    "name": "t",
    "records": "detection",
    "groundtruth": "truth.json",
    "labels": "labels.txt",
    "label_map": {"auto": "car"},
    "filters": {"images": {"split": "test"}},
    "settings": {"rasterise": True},
    "metrics": ["detection_ap"],
}


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"groundtruth": "other.json"}, False),
        ({"settings": {"rasterise": True, "worst": 3}}, False),
        ({"labels": ["car", "tree"]}, False),
        ({"by": ["night"]}, False),
        ({"labels": ["car", "bush"]}, True),
        ({"label_map": {"auto": "tree"}}, True),
        ({"filters": {"images": {"split": "train"}}}, True),
        ({"settings": {"rasterise": False}}, True),
        ({"records": "classification", "metrics": ["label_report"], "settings": {}}, True),
        ({"metrics": ["detection_ar"]}, True),
    ],
    ids=str,
)
def test_what_a_data_set_is_scored_by(change: dict[str, Any], moves: bool, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text(LABELS)
    (tmp_path / "truth.json").write_text("{}")
    (tmp_path / "other.json").write_text("{}")
    assert (digest(tmp_path, {**IMAGES, **change}) != digest(tmp_path, IMAGES)) is moves


def test_another_file_of_labels_is_another_meaning(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text("{}")
    (tmp_path / "labels.txt").write_text(LABELS)
    before = digest(tmp_path, IMAGES)
    (tmp_path / "labels.txt").write_text(LABELS + "bush\n")
    assert digest(tmp_path, IMAGES) != before
