"""Valor semantic segmentation: every golden data set against valor-lite@0.39 and the older service's formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scoring.extensions.vision.segmentation.pixels import LabelMap, PixelCounts, count_pixels
from tests.support.golden import golden_dir, read_jsonl

TOLERANCE = 1e-9
FOLDER = golden_dir()
ROWS = list(read_jsonl(FOLDER / "valor" / "semantic_segmentation.jsonl")) if FOLDER else []
pytestmark = pytest.mark.skipif(not ROWS, reason="no golden folder")
each = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['kind']}")


def label_map(mask: Any, image: Any) -> Any:
    if isinstance(mask, list):
        return np.array(mask, dtype=np.int64)
    values, lengths = np.array(mask["row_major_rle"], dtype=np.int64).T
    return np.repeat(values, lengths).reshape(image["height"], image["width"])


def images(row: Any) -> list[LabelMap]:
    return [LabelMap(i["uid"], label_map(i["groundtruth"], i), label_map(i["prediction"], i)) for i in row["images"]]


def counts(row: Any) -> PixelCounts:
    return count_pixels(images(row), row["labels"])


@each
def test_lite(row: Any) -> None:
    found, wanted = counts(row), row["expected"]["valor_lite"]
    assert found.matrix.tolist() == wanted["pixel_counts"]["matrix_gt_rows_pd_cols"]
    info = wanted["info"]
    assert (len(found), int(found.matrix.sum())) == (info["n_datums"], info["n_pixels"])
    assert (int(found.truth.sum()), int(found.found.sum())) == (info["n_gt_pixels"], info["n_pd_pixels"])
    assert found.mean_iou("declared") == pytest.approx(wanted["mIOU"], abs=TOLERANCE, rel=0)
    assert found.accuracy() == pytest.approx(wanted["accuracy"], abs=TOLERANCE, rel=0)
    table = found.per_label()
    for name in ("precision", "recall", "f1", "iou"):
        mine = {label: values[name] for label, values in table.items()}
        assert mine == pytest.approx(wanted[name], abs=TOLERANCE, rel=0)
    for key, cells in found.confusion().items():
        for label, values in cells.items():
            for inner, value in values.items():
                other = wanted["confusion_matrix"][key][label][inner]
                if isinstance(value, dict):
                    value, other = value["iou"], other["iou"]
                assert value == pytest.approx(other, abs=TOLERANCE, rel=0)
    if "mIOU_if_only_observed_labels_are_declared" in wanted:
        observed = wanted["mIOU_if_only_observed_labels_are_declared"]
        assert found.mean_iou("observed") == pytest.approx(observed, abs=TOLERANCE, rel=0)


@each
def test_service_formula(row: Any) -> None:
    found, wanted = counts(row), row["expected"]["service_formula"]
    table = found.per_label()
    for name in ("precision", "recall", "f1", "iou"):
        mine = {label: table[label][name] for label in wanted[name]}
        assert mine == pytest.approx(wanted[name], abs=TOLERANCE, rel=0)
    assert found.mean_iou("ground_truth") == pytest.approx(wanted["mIOU"], abs=TOLERANCE, rel=0)


def test_differences_between_sources() -> None:
    """The sources disagree on the mean only: which labels it averages."""
    for row in ROWS:
        lite, service = row["expected"]["valor_lite"], row["expected"]["service_formula"]
        if abs(lite["mIOU"] - service["mIOU"]) > TOLERANCE:
            found = counts(row)
            assert (found.truth == 0).any(), row["id"]


@each
def test_parts_merge_to_the_whole(row: Any) -> None:
    whole = counts(row)
    parts = [count_pixels([image], row["labels"]) for image in images(row)]
    merged = PixelCounts.empty(row["labels"])
    for part in reversed(parts):
        merged = merged.merge(part)
    assert merged.result("declared") == whole.result("declared")
