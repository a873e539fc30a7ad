"""Boxes and shapes that are read out of answers, and compared."""

from __future__ import annotations

import math
from typing import Any

import pytest

import scoring
from scoring.extensions.vision.primitives.boxes import iou, to_box, to_boxes
from scoring.result import Unparsed


@pytest.mark.parametrize(
    ("value", "boxes"),
    [
        ("(0, 0, 1, 1)", [(0, 0, 1, 1)]),
        ("[[0, 0, 1, 1], null, (1, 2)]", None),
        ("[[0, 0, 1, 1], null]", [(0, 0, 1, 1)]),
        ([(0, 0, 1, 1), (0, 0, 1, True)], [(0, 0, 1, 1)]),
        ("[]", []),
        ("[(0, 0, 1, 1, 5), (0, 0, 2, 2)]", [(0, 0, 2, 2)]),
    ],
)
def test_to_boxes_keeps_what_is_a_box(value: Any, boxes: list[tuple[float, ...]] | None) -> None:
    if boxes is None:
        assert to_boxes(value, failed="empty") == []
    else:
        assert to_boxes(value) == boxes


@pytest.mark.parametrize("value", ["no", None, 5, "(0, 0, 1)", [[0, 0, math.inf, 1]], [[0, 0, 1, 1]] * 1001])
def test_what_holds_no_box_is_refused(value: Any) -> None:
    with pytest.raises(Unparsed):
        to_boxes(value)


def test_one_box() -> None:
    assert to_box("[(0, 0, 1, 1)]") == (0, 0, 1, 1)
    with pytest.raises(Unparsed, match="one box"):
        to_box("[(0, 0, 1, 1), (0, 0, 2, 2)]")


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ((0, 0, 1, 1), (0, 0, 1, 1), 1.0),
        ((0, 0, 2, 2), (1, 1, 3, 3), 1 / 7),
        ((0, 0, 1, 1), (1, 0, 2, 1), 0.0),
        ((1, 1, 0, 0), (1, 1, 0, 0), 0.0),
        ((0, 0, 0, 0), (0, 0, 0, 0), 0.0),
    ],
)
def test_iou(one: Any, other: Any, score: float) -> None:
    assert iou(one, other) == pytest.approx(score)
    assert iou(other, one) == pytest.approx(score)


SQUARE = [[0, 0, 4, 0, 4, 4, 0, 4]]
BLOCK = {"size": [6, 6], "counts": [0, 4, 2, 4, 2, 4, 2, 4, 14]}


def test_shapes_of_two_kinds_are_compared_as_the_less_detailed_one() -> None:
    compare = scoring.scorer("shape_iou")
    assert compare.score({"bbox": [0, 0, 4, 4]}, {"segmentation": SQUARE}).value == 1.0
    assert compare.score(SQUARE, {"rbox": [2, 2, 4, 4, 90]}).value == pytest.approx(1.0)
    assert compare.score(BLOCK, {"mask": [[1] * 4 + [0] * 2] * 4 + [[0] * 6] * 2}).value == 1.0
    # The hull of a mask's pixels ends at the upper left corner of the last one.
    assert compare.score(BLOCK, SQUARE).value == 9 / 16
    assert scoring.scorer('shape_iou(geometry="box")').score(BLOCK, SQUARE).value == 1.0
    assert scoring.scorer("shape_iou(size=[6, 6])").score(BLOCK, SQUARE).value == 1.0
    assert compare.score({"bbox": [0, 0, 0, 0]}, {"bbox": [0, 0, 0, 0]}).value == 0.0


def test_areas_and_conversions() -> None:
    area = scoring.parser("shape_area")
    assert [area.parse(one) for one in ({"bbox": [1, 1, 2, 3]}, SQUARE, BLOCK, {"rbox": [0, 0, 2, 3, 30]})] == [
        6.0, 16.0, 16.0, pytest.approx(6.0)
    ]  # fmt: skip
    assert scoring.parser('shape_as(geometry="mask", size=[6, 6]) | shape_as(geometry="box")').parse(SQUARE) == {
        "bbox": [0.0, 0.0, 4.0, 4.0]
    }
    drawn = scoring.parser('shape_as(geometry="mask", size=[6, 6])').parse(SQUARE)
    assert scoring.scorer("shape_iou").score(drawn, BLOCK).value == 1.0


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ("[0, 0]", "no shape: Text"),
        ([0, 0, 4, 4], "not a polygon"),
        ({"box": [0, 0, 1, 1]}, "a shape has `bbox`"),
        ({"bbox": [0, 0, -1, 1]}, "negative size"),
        ({"bbox": [0, 0, math.nan, 1]}, "not a finite number"),
        ({"mask": [[0, 2]]}, "rows of 0 and 1"),
        ({"mask": [[0, 1], [1]]}, "rows of 0 and 1"),
        ({"size": [2, 2], "counts": [5]}, "add up to 5, not to 2 × 2"),
        ({"size": [10**9, 10**9], "counts": [10**18]}, "sides of up to"),
        ([[0, 0, 1]], "odd number"),
        ([list(range(3_000))], "more than 1,000 corners"),
    ],
)
def test_what_is_no_shape_is_the_fault_of_its_side(shape: Any, reason: str) -> None:
    good = {"bbox": [0, 0, 1, 1]}
    mine, theirs = scoring.scorer("shape_iou").score(shape, good), scoring.scorer("shape_iou").score(good, shape)
    assert (mine.status, theirs.status) == ("unparsed", "unscored")
    assert reason in (mine.reason or "")
    assert reason in (theirs.reason or "")


def test_outlines_that_cross_without_end_are_refused_in_bounded_time() -> None:
    knot = [[(place * place * 7919 + side) % 997 for place in range(480) for side in (0, 389 * place)]]
    found = scoring.scorer("shape_iou").score(knot, [[number + 1 for number in knot[0]]])
    assert found.status == "unscored"
    assert "cross so often" in (found.reason or "")
