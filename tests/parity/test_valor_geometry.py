"""Valor geometry: overlaps and conversions of every golden pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scoring
from scoring.extensions.vision.geometry.convert import convert_shapes, hulls, least_detailed
from scoring.extensions.vision.geometry.polygon import Polygons, rotated_boxes
from scoring.extensions.vision.geometry.rle import Masks, compress
from scoring.extensions.vision.geometry.shapes import Boxes, Shapes
from tests.support.golden import golden_dir, read_jsonl

FOLDER = golden_dir()
ROWS = list(read_jsonl(FOLDER / "valor" / "geometry.jsonl")) if FOLDER else []
needs_golden = pytest.mark.skipif(not ROWS, reason="no golden folder")
TOLERANCE = 1e-9


def shapes(row: Any, side: str) -> Shapes:
    if row["kind"] == "bbox_iou":
        return Boxes.from_rows(np.array([row[f"{side}_xywh"]], dtype=np.float64))
    if row["kind"] == "polygon_iou":
        return Polygons.from_flat([[row[side]]])
    return Masks.from_bitmaps([np.array(row[side], dtype=np.bool_)])


@needs_golden
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['kind']}")
def test_pair(row: Any) -> None:
    a, b = shapes(row, "a"), shapes(row, "b")
    zero = np.zeros(1, dtype=np.int64)
    assert a.overlaps(b, zero, zero, None)[0] == pytest.approx(row["iou"], abs=TOLERANCE, rel=0)
    if isinstance(a, Polygons):
        assert a.areas()[0] == pytest.approx(row["area_a"], abs=TOLERANCE, rel=0)
        assert b.areas()[0] == pytest.approx(row["area_b"], abs=TOLERANCE, rel=0)
        x, y, w, h = a.boxes().rows()[0].tolist()
        assert [x, y, x + w, y + h] == pytest.approx(row["envelope_a"], abs=TOLERANCE, rel=0)
    if isinstance(a, Masks):
        x, y, w, h = a.boxes().rows()[0].tolist()
        assert [x, x + w, y, y + h] == row["a_to_box_xmin_xmax_ymin_ymax"]
        area = row["a_to_polygon_convex_hull_area_of_pixel_corners"]
        assert hulls(a).areas()[0] == pytest.approx(area, abs=TOLERANCE, rel=0)


def stated(row: Any, side: str) -> Any:
    """A shape as the language reads it."""
    if row["kind"] == "bbox_iou":
        return {"bbox": row[f"{side}_xywh"]}
    return [row[side]] if row["kind"] == "polygon_iou" else {"mask": row[side]}


@needs_golden
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['kind']}")
def test_pair_in_the_language(row: Any) -> None:
    a, b = stated(row, "a"), stated(row, "b")
    assert scoring.scorer("valor-lite@0.39:iou").score(a, b).value == pytest.approx(row["iou"], abs=TOLERANCE, rel=0)
    if row["kind"] == "bbox_iou":
        return
    area, box = scoring.parser("shape_area"), scoring.parser('shape_as(geometry="box")')
    x, y, w, h = box.parse(a)["bbox"]
    if row["kind"] == "polygon_iou":
        assert area.parse(a) == pytest.approx(row["area_a"], abs=TOLERANCE, rel=0)
        assert [x, y, x + w, y + h] == pytest.approx(row["envelope_a"], abs=TOLERANCE, rel=0)
    else:
        assert [x, x + w, y, y + h] == row["a_to_box_xmin_xmax_ymin_ymax"]
        hull = scoring.parser('shape_as(geometry="polygon")').parse(a)
        wanted = row["a_to_polygon_convex_hull_area_of_pixel_corners"]
        assert area.parse(hull) == pytest.approx(wanted, abs=TOLERANCE, rel=0)


def test_conversion_goes_only_to_less_detail() -> None:
    assert least_detailed("mask", "polygon", "mask") == "polygon"
    assert least_detailed("box", "mask") == "box"
    with pytest.raises(ValueError, match="a box does not determine its mask"):
        convert_shapes(Boxes.from_rows(np.ones((1, 4))), "mask")


def test_rotated_box_overlaps_itself_and_its_quarter_turn() -> None:
    boxes = rotated_boxes(np.array([[5, 5, 4, 2, 30.0], [5, 5, 4, 2, 120.0]]))
    zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    assert boxes.overlaps(boxes, zero, zero)[0] == pytest.approx(1.0, abs=TOLERANCE)
    assert boxes.overlaps(boxes, zero, one)[0] == pytest.approx(4 / 12, abs=TOLERANCE)


def test_run_lengths_survive_both_ways() -> None:
    generator = np.random.default_rng(5)
    bitmaps = [generator.random((9, 7)) < share for share in (0.0, 0.3, 0.7, 1.0)]
    masks = Masks.from_bitmaps(bitmaps)
    texts = [compress(masks.counts(i)) for i in range(4)]
    back = Masks.from_counts([(9, 7)] * 4, texts)
    for index, bitmap in enumerate(bitmaps):
        assert (back.bitmap(index) == bitmap).all()


def test_broken_run_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 5, not to 2 × 3"):
        Masks.from_counts([(2, 3)], [[1, 4]])
    with pytest.raises(ValueError, match="outside COCO's alphabet"):
        Masks.from_counts([(2, 3)], ["é"])
    with pytest.raises(ValueError, match="middle of a number"):
        Masks.from_counts([(2, 3)], ["P"])
