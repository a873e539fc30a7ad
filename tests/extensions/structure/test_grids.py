"""Grids compared by what rows and columns they share, by hand; `tests/parity/test_trees.py` holds them to GriTS."""

from __future__ import annotations

import time
from typing import Any

import pytest

import scoring
from scoring.extensions.structure.grids import align_grids
from scoring.extensions.structure.tables import cell_spans
from scoring.result import Unparsed, Unscored


def same(prediction: Any, reference: Any) -> float:
    return float(prediction == reference)


GRID = [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]]


def test_rows_and_columns_that_are_left_out_count_nothing() -> None:
    part = [[row[0], row[2]] for row in (GRID[0], GRID[2])]
    assert align_grids(GRID, GRID, scorer=same) == 1
    assert align_grids(part, GRID, scorer=same) == 2 * 4 / (4 + 9)
    assert align_grids(part, GRID, scorer=same, over="prediction") == 1
    assert align_grids(part, GRID, scorer=same, over="reference") == 4 / 9
    assert align_grids(GRID[::-1], GRID, scorer=same) == 1 / 3  # one row: none may change places


@pytest.mark.parametrize("grid", [[], [[]], [[], []]])
def test_a_grid_without_cells(grid: list[list[Any]]) -> None:
    assert align_grids(grid, grid, scorer=same) == 1
    for over, both in (("both", 0), ("prediction", 1), ("reference", 0)):
        assert align_grids(grid, GRID, scorer=same, over=over) == both  # type: ignore[arg-type]


def test_what_is_no_grid_is_unscored() -> None:
    for sides in ((GRID, [["a"], []]), ([["a"], ["b", "c"]], GRID)):
        with pytest.raises(Unscored, match="differ in length"):
            align_grids(*sides, scorer=same)
    scorer = scoring.scorer("align_grids(levenshtein)")
    for value in (None, 3, "ab", [["a"], 3], {"a": 1}, [[1]], [[None]]):
        assert scorer.score(value, [["a"]]).value is None


def test_equal_cells_are_compared_once() -> None:
    asked: list[tuple[str, str]] = []

    def counting(prediction: str, reference: str) -> float:
        asked.append((prediction, reference))
        return same(prediction, reference)

    assert align_grids([["a", "a"], ["b", "a"]], [["a", "a"], ["a", "b"]], scorer=counting) > 0
    assert len(asked) == len(set(asked)) == 4


def test_true_is_not_one() -> None:
    scorer = scoring.scorer("align_grids(equal)")
    assert scorer.score([[True, 1]], [[1, True]]).value == 0.5


def test_work_is_bounded() -> None:
    with pytest.raises(Unscored, match="pairs of cells"):
        align_grids([["a"] * 2_000], [["a"] * 2_000], scorer=same)
    start = time.process_time()
    assert align_grids([["a"] * 1_000], [["a"] * 1_000], scorer=same) == 1
    assert time.process_time() - start < 60
    long = [[f"{place}" * 30_000 for place in range(3)]]
    with pytest.raises(Unscored, match="characters"):
        align_grids(long, long[::-1], scorer=same)


def test_spans_of_cells() -> None:
    text = "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>"
    assert cell_spans(text) == [[(0, 0, 1, 2), (0, 0, 1, 1)], [(0, -1, 1, 1), (0, 0, 1, 1)]]
    two = "<table><tr><td>1</table> and <table><tr><td colspan=2>2</table>"
    assert cell_spans(two, pick="last") == [[(0, 0, 2, 1), (-1, 0, 1, 1)]]
    for wrong in ("", "no table", "<table><tr><td colspan=x>1", "<table><tr><td colspan=1000000>1"):
        with pytest.raises(Unparsed):
            cell_spans(wrong)
