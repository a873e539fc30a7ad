"""Spans that cross, by hand; `tests/parity/test_trees.py` holds them to EVALB."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.extensions.sequences.spans import crossing_spans
from scoring.result import Unscored


@pytest.mark.parametrize(
    ("one", "other", "crosses"),
    [
        ([0, 2], [2, 3], True),
        ([2, 3], [0, 2], True),
        ([0, 2], [3, 4], False),
        ([0, 2], [0, 4], False),
        ([1, 2], [0, 4], False),
        ([0, 4], [1, 2], False),
        ([0, 2], [0, 2], False),
        ([1, 1], [0, 1], False),
        ([0, 3], [3, 3], False),
    ],
)
def test_spans_cross_if_each_has_a_part_of_its_own(one: list[int], other: list[int], crosses: bool) -> None:
    assert crossing_spans([["A", *one]], [["B", *other]]) == crosses


def test_predicted_spans_are_counted_however_many_they_cross() -> None:
    assert crossing_spans([[0, 1], [0, 1], [1, 2]], [[1, 2], [1, 3]]) == 2
    assert crossing_spans([], [[1, 2]]) == crossing_spans([[1, 2]], []) == 0


@pytest.mark.parametrize("item", ["ab", 3, [], [1], ["A", 1], ["A", 1.0, 2], ["A", True, 2], ["A", 3, 2], None])
def test_what_is_no_span_is_unscored(item: Any) -> None:
    with pytest.raises(Unscored, match="which is no span"):
        crossing_spans([item], [])


def test_work_is_bounded() -> None:
    with pytest.raises(Unscored, match="pairs"):
        crossing_spans([["A", 0, 1]] * 3_000, [["A", place, place + 1] for place in range(3_000)])
