"""Grids, such as the cells of tables, compared by the rows and columns that they have in common."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import numpy as np

from scoring.primitives.combine.item_pairs import MAX_PAIRS, too_long_reason
from scoring.primitives.combine.tables import sum_in_order
from scoring.ranges import ScoreRange
from scoring.registry import Scorer, bounds, matrix, primitive
from scoring.result import Unscored
from scoring.values import Score, key_of, numbered

A = TypeVar("A")
_Lines = list[tuple[int, int]]
"""Rows or columns of the reference and of the prediction that belong together, in order."""


@primitive(
    uses=("numpy",), topics=("tables",), aka=("grits", "grid table similarity", "most similar substructures", "2d lcs")
)
def align_grids(
    prediction: list[list[A]],
    reference: list[list[A]],
    /,
    *,
    scorer: Scorer[A],
    over: Literal["both", "reference", "prediction"] = "both",
) -> Score:
    """Pair rows and columns of two grids, in order, and return the sum of the scores of their cells over their number.

    Rows are paired so that the sum of the best alignments of their cells is greatest, columns likewise, and cells are
    paired where both their rows and their columns are: the factored form of the most similar substructures of two
    grids, which finds most of them. Cells of rows or columns without a partner count 0.

    Args:
        scorer: Compares two cells, from 0 to 1.
        over: Twice the sum is divided by the number of cells of both grids, or the sum by those of one: recall over
            the reference, precision over the prediction. A grid without cells has precision and recall 1.

    Raises:
        Unscored: when the rows of a grid differ in length, or there are more to compare than a million pairs of cells,
            4 million pairs of values within them, or 400 million pairs of characters of their texts.

    Examples:
        >>> same = lambda prediction, reference: float(prediction == reference)
        >>> align_grids([["a", "b"], ["c", "d"]], [["a", "b"], ["x", "y"], ["c", "d"]], scorer=same)
        0.8

    Source:
        Smock, Pesala, Abraham: GriTS: Grid table similarity metric for table structure recognition, arXiv:2203.12555;
        of several best pairings that of its released code.
    """
    (rows, columns), (height, width) = _shape(prediction, "prediction"), _shape(reference, "reference")
    found, expected = rows * columns, height * width
    whole = {"both": found + expected, "reference": expected, "prediction": found}[over]
    if not whole:
        return 1.0
    total = _total(prediction, reference, scorer) if found and expected else 0.0
    return (2.0 if over == "both" else 1.0) * total / whole


@bounds(align_grids)
def _(*, scorer: ScoreRange, **_: Any) -> ScoreRange:
    return scorer.hull(0.0, 1.0)


def _shape(grid: list[list[Any]], side: str) -> tuple[int, int]:
    if len({*map(len, grid)}) > 1:
        raise Unscored(f"the rows of the {side} differ in length, so it is no grid")
    return len(grid), len(grid[0]) if grid else 0


def _total(prediction: list[list[Any]], reference: list[list[Any]], scorer: Any) -> float:
    """Return the sum of the scores of all cells whose rows and columns are paired."""
    theirs, mine = ([cell for row in grid for cell in row] for grid in (prediction, reference))
    if len(mine) * len(theirs) > MAX_PAIRS:
        raise Unscored(f"grids of {len(theirs):,} and {len(mine):,} cells have more than {MAX_PAIRS:,} pairs of cells")
    # Equal cells, of which tables are full, are compared once.
    numbers = numbered(map(key_of, theirs), map(key_of, mine))
    (some, places), (others, other_places) = (
        np.unique(np.array(one), return_index=True, return_inverse=True)[1:] for one in numbers
    )
    distinct = [theirs[at] for at in some], [mine[at] for at in others]
    why = too_long_reason(*distinct, "optimal")
    if why is not None:
        raise Unscored(why)
    scores = np.asarray(matrix(scorer, *distinct), dtype=float)[places][:, other_places].T
    # By row and column of the reference, then of the prediction.
    cells = scores.reshape(len(reference), len(reference[0]), len(prediction), len(prediction[0]))
    rows, columns = _in_order(cells.transpose(0, 2, 1, 3)), _in_order(cells.transpose(1, 3, 0, 2))
    return sum_in_order(float(cells[row, column, other, over]) for row, other in rows for column, over in columns)


def _in_order(cells: Any) -> _Lines:
    """Return the lines of two grids that belong together; ``cells`` has the scores by both lines, then within them."""
    worth = _best_sums(cells)
    height, width = worth.shape
    best = np.zeros((height + 1, width + 1))
    for row in range(height):
        for column in range(width):
            paired = best[row, column] + worth[row, column]
            best[row + 1, column + 1] = max(paired, best[row, column + 1], best[row + 1, column])
    pairs: _Lines = []
    row, column = height, width
    while row and column:
        most = best[row, column]
        if most == best[row - 1, column - 1] + worth[row - 1, column - 1]:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif most == best[row - 1, column]:
            row -= 1
        else:
            column -= 1
    return pairs[::-1]


def _best_sums(cells: Any) -> Any:
    """Return, for each pair of lines, the greatest sum of scores of their cells that are paired in order."""
    shape, (height, width) = cells.shape[:2], cells.shape[2:]
    above = [np.zeros(shape)] * (width + 1)
    for row in range(height):
        line = [above[0]]
        for column in range(width):
            paired = above[column] + cells[:, :, row, column]
            line.append(np.maximum(np.maximum(paired, above[column + 1]), line[column]))
        above = line
    return above[width]
