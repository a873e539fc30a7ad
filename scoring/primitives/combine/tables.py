"""Sums and greatest members of groups of scores, and pairing the rows with the columns of a table of scores.

A table is a list of rows, or an array; small ones are lists, which need no libraries.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sized
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from scoring.registry.pairs import PairScores, ScoreTable

RowsAndColumns = tuple[list[int], list[int]]
"""The rows and columns of the pairs, rows ascending."""


def total(scores: Iterable[float]) -> float:
    """Return the sum from left to right: `sum` rounds in another way from Python 3.12 on, and so would batches."""
    return reduce(add, scores, 0.0)


def greatest(values: Any, starts: Any) -> Any:
    """Return the greatest member of every group, none of which is empty, as `max` finds it.

    Examples:
        >>> import numpy
        >>> greatest(numpy.array([0.1, 0.7, 0.2]), numpy.array([0, 2])).tolist()
        [0.7, 0.2]
    """
    if not np.isnan(values).any():
        return np.maximum.reduceat(values, starts)
    return np.array([max(group.tolist()) for group in np.split(values, starts[1:])])


def spans(groups: Iterable[Sized]) -> tuple[Any, Any]:
    """Return the number of members of each group, and the index of its first one among all members."""
    sizes = np.array(list(map(len, groups)), dtype=np.int64)
    return sizes, np.cumsum(sizes) - sizes


def groups(
    found: PairScores, places: Iterable[int], scores: PairScores, sizes: Any
) -> Iterator[tuple[int, int, slice]]:
    """Yield the number, indexes and scores of each group of pairs; a failed group has its failure instead."""
    failed, end = scores.first_failures(sizes), 0
    for at, (place, size) in enumerate(zip(places, sizes.tolist(), strict=True)):
        start, end = end, end + size
        if at in failed:
            found.failed[place] = failed[at]
        else:
            yield at, place, slice(start, end)


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
    """Return the pairing that takes the best remaining pair first; ties go to the earlier row, then column.

    Examples:
        >>> greedy_pairs([[0.9, 0.8], [0.8, 0.1]])
        ([0, 1], [0, 1])
    """
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


# So many pairs are looked at together: enough to pay for arrays, few enough to be passed over again at every choice.
_STRETCH = 2_048


def optimal_pairs(table: ScoreTable) -> RowsAndColumns:
    """Return the one-to-one pairing with the greatest sum; among several, the one that SciPy finds.

    SciPy takes longer to import than some hundreds of small tables to solve, so it is asked once it is there, or once
    it pays. Both do the same steps in the same order, so it is never told from the result which one it was.

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
    if not all(math.isfinite(total(map(abs, row))) for row in costs):
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
    """A counter of steps in Python, until importing SciPy, a quarter of a second, is cheaper."""

    left = 2_000_000


_SMALL = 2_500
"""Tables with more cells than this, 50 by 50, take so many steps that SciPy is faster."""


def _solved(costs: list[list[float]]) -> list[int]:
    """Return the column of each row in the pairing with the least sum; there are no more rows than columns."""
    width = len(costs[0])
    row_prices, column_prices = [0.0] * len(costs), [0.0] * width
    row_of, column_of = [-1] * width, [-1] * len(costs)
    is_plain = True
    for start in range(len(costs)):
        # As long as every row finds its least cost free, the path is one step, and prices of columns stay 0.
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

    Ties are broken as SciPy breaks them: columns stand in falling order, one that is done gives its place to the last,
    and among equal ones the last free one is taken.
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
