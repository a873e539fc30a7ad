"""Numbers and boxes that are read out of answers, and compared."""

from __future__ import annotations

import math
from typing import Any

import pytest

from scoring.primitives.geometry.boxes import iou, to_box, to_boxes
from scoring.primitives.numbers.compare import absolute_error, equal_if_positive, relative_closeness, within
from scoring.primitives.numbers.read import integer, number
from scoring.result import NotApplicable, Unparsed


@pytest.mark.parametrize(
    ("value", "found"),
    [("7", 7), (" -1,234.5 ", -1234.5), ("+.5", 0.5), ("3e2", 300), ("5.", 5), ("−2", -2), (3, 3), ("046", 46)],
)
def test_number_reads_plain_notations(value: Any, found: float) -> None:
    assert number(value) == found


@pytest.mark.parametrize(
    "value",
    ["", ".", "-", "abc", "1 2", "0x1f", "1_0", "12%", "1,23", "nan", "1e999", "9" * 500, True, None, [1], math.inf],
)
def test_number_refuses_the_rest(value: Any) -> None:
    with pytest.raises(Unparsed):
        number(value)


def test_percentages_and_whole_numbers() -> None:
    assert number("12.5 %", percent=True) == 0.125
    assert integer("4.0") == 4
    with pytest.raises(Unparsed, match="whole"):
        integer("4.5")
    with pytest.raises(Unparsed, match="finite"):
        number(10**400)


def test_comparators_of_numbers() -> None:
    assert within(0.3, 0.1 + 0.2) == 1.0
    assert within(101.0, 100.0, relative=0.01) == 1.0
    assert within(98.9, 100.0, relative=0.01) == 0.0
    assert within(0.0, 0.0) == 1.0
    assert relative_closeness(5, 10) == 0.5
    assert relative_closeness(-10, 10) == 0.0
    assert relative_closeness(1, 0) == 0.0
    assert absolute_error(1, -1) == 2.0
    assert equal_if_positive(3, 3) == 1.0
    assert equal_if_positive(-1, 3) == 0.0
    with pytest.raises(NotApplicable) as reason:
        equal_if_positive(0, -1)
    assert reason.value.mark == -1.0


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
