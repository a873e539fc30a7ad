"""Sums of columns for many counts or owners at once, with the same bits in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.statistics.exact import on_grid


def weighted_sums(units: Any, counts: Any) -> Any:
    """Return the sums of each column for each line of counts, which state how often each unit occurs.

    The sums have the same bits for any order of the units. The error is below 2 ** -70 of the greatest number of the
    column, for up to a million units.

    Args:
        units: Floats, one line for each unit.
        counts: Whole numbers, one line for each sum, with one column for each unit.

    Returns:
        One line of sums for each line of ``counts``.

    Examples:
        >>> import numpy as np
        >>> weighted_sums(np.array([[0.1], [0.2]]), np.array([[1, 1], [0, 3]])).round(4).tolist()
        [[0.3], [0.6]]
    """
    counts = np.asarray(counts, dtype=np.float64)
    if not units.size or not counts.size:
        return np.zeros((len(counts), units.shape[1]))
    return sum(counts @ part for part in _parts(units, int(counts.sum(axis=-1).max())))


def sums_by(units: Any, owners: Any, size: int) -> Any:
    """Return the sums of each column over the lines of each owner, with the same bits for any order of the lines.

    ``owners`` has the number of each line's owner, from 0 to ``size`` - 1.

    Examples:
        >>> import numpy as np
        >>> sums_by(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2).tolist()
        [[5.0], [2.0]]
    """
    parts = [
        np.stack([np.bincount(owners, weights=column, minlength=size) for column in part.T], axis=-1)
        for part in _parts(units, len(units))
    ]
    return sum(parts)


def _parts(units: Any, times: int) -> list[Any]:
    """Return arrays that add up to the units, nearly; any ``times`` values of an array add up without rounding."""
    try:
        coarse = on_grid(units, times)
        return [coarse, on_grid(units - coarse, times)]
    except OverflowError:  # close to the greatest float there is no room for a grid
        return [units]
