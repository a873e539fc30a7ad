"""Sums and maxima of groups of scores, and the assignment of rows to columns of a table of scores.

A table is a list of rows, or an array; small tables are lists, which need no libraries.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sized
from functools import reduce
from operator import add
from typing import Any

from scoring.registry.pairs import PairScores, ScoreTable

RowsAndColumns = tuple[list[int], list[int]]
"""The rows and the columns of the chosen pairs, in ascending order of rows."""


def sum_in_order(scores: Iterable[float]) -> float:
    """Return the sum, added from left to right with a rounding at each step, unlike `sum` from Python 3.12 on."""
    return reduce(add, scores, 0.0)


def greatest(values: Any, starts: Any) -> Any:
    """Return the greatest member of every group, as `max` would, NaN included; no group may be empty.

    Args:
        values: The members of all groups, one group after another.
        starts: The index of the first member of each group.

    Examples:
        >>> import numpy
        >>> greatest(numpy.array([0.1, 0.7, 0.2]), numpy.array([0, 2])).tolist()
        [0.7, 0.2]
    """
    import numpy as np

    if not np.isnan(values).any():
        return np.maximum.reduceat(values, starts)
    return np.array([max(group.tolist()) for group in np.split(values, starts[1:])])


def group_spans(groups: Iterable[Sized]) -> tuple[Any, Any]:
    """Return the size of each group, and the index of its first member among the members of all groups."""
    import numpy as np

    sizes = np.array(list(map(len, groups)), dtype=np.int64)
    return sizes, np.cumsum(sizes) - sizes


def groups(
    found: PairScores, indices: Iterable[int], scores: PairScores, sizes: Any
) -> Iterator[tuple[int, int, slice]]:
    """Yield, for each group of pairs, its number, its index in ``found`` and the slice of its scores in ``scores``.

    ``indices`` and ``sizes`` have the index in ``found`` and the number of pairs of each group. A group in which a pair
    failed is not yielded; instead the failure is stored in ``found`` at the group's index.
    """
    failed, end = scores.first_failures(sizes), 0
    for at, (index, size) in enumerate(zip(indices, sizes.tolist(), strict=True)):
        start, end = end, end + size
        if at in failed:
            found.failed[index] = failed[at]
        else:
            yield at, index, slice(start, end)


def best_rows(table: ScoreTable, *, by_column: bool = False) -> list[float]:
    """Return the greatest score of every row, or of every column.

    Examples:
        >>> best_rows([[0.1, 0.7], [0.2, 0.0]]), best_rows([[0.1, 0.7], [0.2, 0.0]], by_column=True)
        ([0.7, 0.2], [0.2, 0.7])
    """
    if isinstance(table, list):
        return [max(line) for line in (zip(*table, strict=True) if by_column else table)]
    lines = table.T if by_column else table
    found: list[float] = greatest(lines.ravel(), range(0, lines.size, lines.shape[1])).tolist()
    return found


def greedy_pairs(table: ScoreTable) -> RowsAndColumns:
    """Return the rows and columns found by always taking the best remaining pair, in a tie the earliest one.

    Examples:
        >>> greedy_pairs([[0.9, 0.8], [0.8, 0.1]])
        ([0, 1], [0, 1])
    """
    import numpy as np

    scores = np.asarray(table)
    ranked = np.argsort(-scores, axis=None, kind="stable")
    column_of: dict[int, int] = {}
    free_rows, free_columns = (np.ones(size, dtype=bool) for size in scores.shape)
    for start in range(0, ranked.size, _STRETCH):
        rows, columns = np.divmod(ranked[start : start + _STRETCH], scores.shape[1])
        free = free_rows[rows] & free_columns[columns]
        while free.any():
            rows, columns = rows[free], columns[free]
            row, column = int(rows[0]), int(columns[0])
            column_of[row] = column
            free_rows[row] = free_columns[column] = False
            free = (rows != row) & (columns != column)
        if len(column_of) == min(scores.shape):
            break
    return sorted(column_of), [column_of[row] for row in sorted(column_of)]


# How many pairs are processed together: enough to make arrays worthwhile, few enough to be filtered at every choice.
_STRETCH = 2_048


def optimal_pairs(table: ScoreTable) -> RowsAndColumns:
    """Return the one-to-one assignment with the greatest sum, as rows and columns; among several, that of SciPy.

    Importing SciPy takes longer than solving hundreds of small tables, so SciPy is used only if it is imported already
    or the work is large enough. Both implementations do the same steps in the same order, so their results are equal.

    Examples:
        >>> optimal_pairs([[0.9, 0.8], [0.8, 0.1]])
        ([0, 1], [1, 0])

    Source:
        D. F. Crouse: On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace and
        Electronic Systems 52(4), 2016; SciPy's `linear_sum_assignment`.
    """
    rows, columns = len(table), len(table[0])
    if rows == 1:
        return [0], [max(range(columns), key=table[0].__getitem__)]
    if columns == 1:
        return [max(range(rows), key=lambda row: table[row][0])], [0]
    at_hand = "scipy.optimize" in sys.modules and (rows * columns > 16 or not isinstance(table, list))
    if at_hand or rows * columns > _SMALL or _Spent.left <= 0:
        return _by_scipy(table)
    costs = [[-score for score in row] for row in (table if isinstance(table, list) else table.tolist())]
    if not all(math.isfinite(sum_in_order(map(abs, row))) for row in costs):
        return _by_scipy(table)
    if rows <= columns:
        return list(range(rows)), _solved(costs)
    row_of = _solved([list(column) for column in zip(*costs, strict=True)])
    ordered = sorted(range(columns), key=row_of.__getitem__)
    return [row_of[column] for column in ordered], ordered


def _by_scipy(table: ScoreTable) -> RowsAndColumns:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return rows.tolist(), columns.tolist()


class _Spent:
    """A counter of the steps that assignments may still take in Python before it pays off to import SciPy.

    The import takes a quarter of a second.
    """

    left = 2_000_000


_SMALL = 2_500
"""Tables with more cells than this (50 by 50) are always solved by SciPy, because they take many steps."""


def _solved(costs: list[list[float]]) -> list[int]:
    """Return the column of each row in the assignment with the least sum; the table must not be taller than wide."""
    width = len(costs[0])
    row_prices, column_prices = [0.0] * len(costs), [0.0] * width
    row_of, column_of = [-1] * width, [-1] * len(costs)
    is_plain = True
    for start in range(len(costs)):
        # While the cheapest column of every row is still free, the path is a single step, and column prices stay 0.
        _Spent.left -= width
        least = min(costs[start])
        sink = next((at for at, cost in enumerate(costs[start]) if cost == least and row_of[at] < 0), -1)
        if is_plain and sink >= 0:
            row_prices[start], row_of[sink], column_of[start] = least, start, sink
            continue
        is_plain = False
        came_from, reached, distances, sink, least = _shortest_path(costs, start, row_prices, column_prices, row_of)
        row_prices[start] += least
        for column in reached:
            row = row_of[column]
            if row >= 0:
                row_prices[row] += least - distances[column]
            column_prices[column] -= least - distances[column]
        column, row = sink, -1
        while row != start:
            row = came_from[column]
            row_of[column] = row
            column_of[row], column = column, column_of[row]
    return column_of


def _shortest_path(
    costs: list[list[float]], row: int, row_prices: list[float], column_prices: list[float], row_of: list[int]
) -> tuple[list[int], list[int], list[float], int, float]:
    """Return the shortest augmenting path from a row to a free column, by Dijkstra's algorithm over reduced costs.

    Reduced costs are ``costs`` minus the prices of row and column. ``row_of`` is the row assigned to each column, -1
    for a free one. The result has the row before each column, the columns reached, the distance of each column, the
    free column, and its distance. Ties are broken as in SciPy: columns are tried in descending order, a finished column
    is replaced by the last of the list, and among equal columns the last free one is taken.
    """
    width = len(row_of)
    rest = list(range(width - 1, -1, -1))
    came_from, reached, distances = [-1] * width, [], [math.inf] * width
    least = 0.0
    while True:
        _Spent.left -= len(rest)
        lowest, place, line, price = math.inf, -1, costs[row], row_prices[row]
        for at, column in enumerate(rest):
            distance = least + line[column] - price - column_prices[column]
            if distance < distances[column]:
                came_from[column], distances[column] = row, distance
            else:
                distance = distances[column]
            if distance < lowest or (distance == lowest and row_of[column] < 0):
                lowest, place = distance, at
        least, column = lowest, rest[place]
        reached.append(column)
        if row_of[column] < 0:
            return came_from, reached, distances, column, least
        row = row_of[column]
        rest[place] = rest[-1]
        rest.pop()
