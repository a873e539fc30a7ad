"""Matchings of the items of two lists: the best one by total weight; of short lists, by trying all."""

from __future__ import annotations

import functools
from itertools import permutations
from math import perm
from typing import Any

import numpy as np

from scoring.primitives.combine.tables import optimal_pairs

MAX_PERMUTATIONS = 24
"""Lists with at most this many matchings (4 items each, for example) are matched by trying all of them."""

EQUAL_TOTALS = 1e-14
"""Matchings whose totals differ by no more than this, which is only rounding, are equal: the first in lexicographic
order is taken.

It is well below the weight of a single leaf among equal matchings (`PREFER_SHORT`).
"""


def few_matchings(rows: int, columns: int) -> bool:
    """Return whether two lists, of ``rows`` and ``columns`` items, have so few matchings that all can be tried.

    Examples:
        >>> few_matchings(3, 3), few_matchings(2, 5), few_matchings(5, 5)
        (True, True, False)
    """
    return perm(max(rows, columns), min(rows, columns)) <= MAX_PERMUTATIONS


def matching(weights: Any) -> tuple[Any, Any]:
    """Return the matching with the greatest total weight: the rows and columns of its pairs, in ascending row order.

    Examples:
        >>> import numpy
        >>> rows, columns = matching(numpy.array([[0.5, 0.9], [0.8, 0.9]]))
        >>> list(zip(rows.tolist(), columns.tolist()))
        [(0, 1), (1, 0)]
    """
    rows, columns = weights.shape
    if few_matchings(rows, columns):
        chosen = matchings(weights[None, None])[0, 0]
        kept = np.flatnonzero(chosen >= 0)
        return kept, chosen[kept]
    found = optimal_pairs(weights)
    return np.array(found[0]), np.array(found[1])


def matchings(weights: Any) -> Any:
    """Return the matching with the greatest total weight for each pair of short lists.

    Args:
        weights: The weights of pairs of items: the first two dimensions are the lists of both sides, the third (rows)
            and the fourth (columns) the items of the lists.

    Returns:
        For every pair of lists the matched column of each row, or -1 for an unmatched row.
    """
    rows, columns = weights.shape[2:]
    table = _matchings(rows, columns)
    padded = np.concatenate([weights, np.zeros((*weights.shape[:3], 1))], axis=3)
    totals = padded[:, :, np.arange(rows), table].sum(axis=-1)
    best = (totals >= totals.max(axis=-1, keepdims=True) - EQUAL_TOTALS).argmax(axis=-1)
    return table[best]


@functools.cache
def _matchings(rows: int, columns: int) -> Any:
    """Return all matchings to which no pair can be added, as an array with a line for each: the column of each of the
    ``rows``, or -1 if it is unmatched."""
    if rows <= columns:
        return np.array(list(permutations(range(columns), rows)), dtype=int)
    lines = []
    for order in permutations(range(rows), columns):
        line = [-1] * rows
        for column, row in enumerate(order):
            line[row] = column
        lines.append(line)
    return np.array(lines, dtype=int)


@functools.cache
def lines_of_matchings(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """Return the matchings of `_matchings`, in its order, each as a list of matched pairs (row, column)."""
    return [
        [(row, column) for row, column in enumerate(line) if column >= 0] for line in _matchings(rows, columns).tolist()
    ]
