"""Sums and maxima of groups of scores, and the assignment of rows to columns of a table of scores.

A table is a list of rows, or an array; small tables are lists, for which arrays would be slower.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sized
from functools import reduce
from itertools import chain
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
    if rows * columns <= _FEW and "scipy.optimize" not in sys.modules and next(_FIRST, None) is not None:
        lines = table if isinstance(table, list) else table.tolist()
        if all(map(math.isfinite, chain(*lines))):
            return _solved(lines)
    from scipy.optimize import linear_sum_assignment

    chosen, partners = linear_sum_assignment(table, maximize=True)
    return chosen.tolist(), partners.tolist()


# Importing SciPy takes as long as a small run, so the first tables of so few cells do without it.
_FEW, _FIRST = 100, iter(range(2_000))


def _solved(table: list[list[float]]) -> RowsAndColumns:
    """Return what SciPy's `linear_sum_assignment` does, by its steps in its order, so that ties are broken alike."""
    is_tall = len(table) > len(table[0])
    costs = [[-score for score in line] for line in (zip(*table, strict=True) if is_tall else table)]
    width = len(costs[0])
    row_prices, column_prices, row_of = [0.0] * len(costs), [0.0] * width, [-1] * width
    for start in range(len(costs)):
        row, least, reached = start, 0.0, list[int]()
        rest, came_from, distances = list(range(width))[::-1], [-1] * width, [math.inf] * width
        while row >= 0:  # the shortest path to a free column
            for column in rest:
                distance = least + costs[row][column] - row_prices[row] - column_prices[column]
                if distance < distances[column]:
                    came_from[column], distances[column] = row, distance
            least = min(distances[column] for column in rest)
            equal = [place for place, column in enumerate(rest) if distances[column] == least]
            place = ([one for one in equal if row_of[rest[one]] < 0] or equal[:1])[-1]
            column = rest[place]
            row = row_of[column]
            reached.append(column)
            rest[place] = rest[-1]
            rest.pop()
        row_prices[start] += least
        for one in reached[:-1]:
            row_prices[row_of[one]] += least - distances[one]
            column_prices[one] -= least - distances[one]
        while row != start:
            row = came_from[column]
            before = row_of.index(row) if row in row_of else -1
            row_of[column], column = row, before
    pairs = sorted((column, row) if is_tall else (row, column) for column, row in enumerate(row_of) if row >= 0)
    return [row for row, _ in pairs], [column for _, column in pairs]
