"""Optimal matchings of the items of lists: one pair of lists, or many pairs of short lists at once."""

from __future__ import annotations

import functools
from itertools import permutations
from math import perm
from typing import Any

from scoring.late import np
from scoring.primitives.combine.tables import optimal_pairs

MAX_PERMUTATIONS = 24
"""Lists with so few matchings (4 items each, say) are matched by trying them all."""

TIE = 1e-14
"""Matchings whose totals differ by less, which is only rounding, are equal; the first in lexicographic order is taken.

It stays well below what a single leaf weighs among equal matchings (`PREFER_SHORT` in `lists.py`).
"""


def few_matchings(rows: int, columns: int) -> bool:
    """Whether all matchings of two lists can be tried.

    Examples:
        >>> few_matchings(3, 3), few_matchings(2, 5), few_matchings(5, 5)
        (True, True, False)
    """
    return perm(max(rows, columns), min(rows, columns)) <= MAX_PERMUTATIONS


def matching(weights: Any) -> tuple[Any, Any]:
    """The matching with the greatest total weight: the rows and columns of its pairs, rows ascending.

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
    """The best matching of each pair of short lists.

    Args:
        weights: An array of shape (pairs, pairs, rows, columns).

    Returns:
        For every pair and row the column, -1 for a row that stays alone.
    """
    rows, columns = weights.shape[2:]
    table = _matchings(rows, columns)
    padded = np.concatenate([weights, np.zeros((*weights.shape[:3], 1))], axis=3)
    totals = padded[:, :, np.arange(rows), table].sum(axis=-1)
    best = (totals >= totals.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)
    return table[best]


@functools.cache
def _matchings(rows: int, columns: int) -> Any:
    """All matchings that leave nothing alone but what must be: one line each, the column per row or -1."""
    if rows <= columns:
        return np.array(list(permutations(range(columns), rows)), dtype=int)
    lines = []
    for order in permutations(range(rows), columns):
        line = [-1] * rows
        for column, row in enumerate(order):
            line[row] = column
        lines.append(line)
    return np.array(lines, dtype=int)
