"""Names for the arrays used in this folder, and the few array operations shared by its evaluators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.errors import TableFault

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


class BadSetting(TableFault):
    """The error that a setting of a metric makes its figure impossible to compute."""


class TooMuchWork(TableFault):
    """Raised when shapes are so complex that comparing them would take minutes."""


def some(thresholds: Sequence[float]) -> tuple[float, ...]:
    """Return the thresholds as a tuple, or raise `BadSetting` if there are none.

    Examples:
        >>> some([0.5])
        (0.5,)
    """
    if not thresholds:
        raise BadSetting("a list of thresholds holds at least one")
    return tuple(thresholds)


def ratio(numerator: Floats | Ints, denominator: Floats | Ints, undefined: float = 0.0) -> Floats:
    """Return numerator / denominator, element by element; `undefined` where the denominator is 0.

    Examples:
        >>> ratio(np.array([1, 2]), np.array([2, 0])).tolist()
        [0.5, 0.0]
    """
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    result = np.full(shape, undefined, dtype=np.float64)
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)
    return result


def f1_score(precision: Floats, recall: Floats) -> Floats:
    """Return the harmonic mean of precision and recall, element by element; 0 where both are 0.

    Examples:
        >>> f1_score(np.array([1.0, 0.0]), np.array([0.5, 0.0])).round(3).tolist()
        [0.667, 0.0]
    """
    return ratio(2 * precision * recall, precision + recall)


def positions(chosen: Ints | Bools, size: int) -> tuple[Ints, Ints]:
    """Return the positions, out of `size`, that `chosen` (a mask or indices) picks, and for each of all positions its
    index among the picked ones, -1 if it was not picked.

    Examples:
        >>> [part.tolist() for part in positions(np.array([2, 0]), 3)]
        [[2, 0], [1, -1, 0]]
    """
    found = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else np.asarray(chosen, dtype=np.int64)
    place = np.full(size, -1, dtype=np.int64)
    place[found] = np.arange(found.size)
    return found, place


def starts_of_runs(keys: Ints) -> Ints:
    """Return the position of the first element of each run; a run is a stretch of equal keys.

    Examples:
        >>> starts_of_runs(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 2, 3]
    """
    if keys.size == 0:
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1)).astype(np.int64)


def rank_in_run(keys: Ints) -> Ints:
    """Return the position of each element within its run, counted from 0; a run is a stretch of equal keys.

    Examples:
        >>> rank_in_run(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 1, 0, 0, 1]
    """
    starts = starts_of_runs(keys)
    lengths = np.diff(np.append(starts, keys.size))
    return np.asarray(np.arange(keys.size) - np.repeat(starts, lengths), dtype=np.int64)


def first_of_each(cell: Ints, place: Ints, limit: int | None) -> list[int]:
    """Return the positions of the first `limit` items (None: all) of each cell, for instance of a confusion matrix;
    within a cell items are ordered by their place in the data set, then by position.

    Args:
        cell: The number of the cell that each item belongs to.
        place: The place of each item in the data set.
        limit: The maximum number of items per cell; None for all.

    Examples:
        >>> first_of_each(np.array([5, 7, 5, 5]), np.array([3, 1, 2, 2]), 2)
        [2, 3, 1]
    """
    ranked = np.lexsort((place, cell))
    found: list[int] = (ranked if limit is None else ranked[rank_in_run(cell[ranked]) < limit]).tolist()
    return found


def expand_ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers of all `range(start, start + length)`, one range after another, for each start and length.

    Examples:
        >>> expand_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]
    """
    total = int(lengths.sum())
    if total == 0:
        return np.zeros(0, dtype=np.int64)
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(total) + np.repeat(starts - before, lengths), dtype=np.int64)


def reaching(label: Ints, score: Floats, thresholds: Sequence[float], width: int) -> Ints:
    """Return how many scores of each label reach each threshold, as an array thresholds × labels.

    Args:
        label: The label index of each score.
        score: The scores.
        thresholds: The thresholds, in any order.
        width: The number of labels.

    Examples:
        >>> reaching(np.array([0, 0, 1]), np.array([0.2, 0.9, 0.5]), [0.5, 0.1], 2).tolist()
        [[1, 1], [2, 1]]
    """
    cells, size = score_cells(label, score, thresholds, width)
    found: Ints = at_thresholds(np.bincount(cells, minlength=size), thresholds, width)
    return found


def score_cells(label: Ints, score: Floats, thresholds: Sequence[float], width: int) -> tuple[Ints, int]:
    """Return, for each score, the index of its cell in a flattened histogram, and the number of cells.

    Each of the `width` labels has len(thresholds) + 1 cells: the intervals between the sorted thresholds.
    """
    steps = len(thresholds) + 1
    return label * steps + np.searchsorted(np.sort(thresholds), score, side="right"), width * steps


def at_thresholds(histogram: Any, thresholds: Sequence[float], width: int) -> Any:
    """Return how many scores of each label reach each threshold, from a histogram whose last axis has the cells of
    `score_cells`; the result has two axes instead, thresholds × labels. `width` is the number of labels.
    """
    cells = histogram.reshape(*histogram.shape[:-1], width, len(thresholds) + 1)
    at_least = np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1]
    chosen = at_least[..., np.searchsorted(np.sort(thresholds), thresholds, side="right")]
    return np.ascontiguousarray(np.swapaxes(chosen, -1, -2))


def place_columns(values: Ints, columns: Ints, width: int, fill: int = 0) -> Ints:
    """Return an array of `width` columns, with column i of `values` moved to `columns[i]`, and `fill` in all other
    columns.

    Examples:
        >>> place_columns(np.array([[5, 6]]), np.array([2, 0]), 3).tolist()
        [[6, 0, 5]]
    """
    found = np.full((*values.shape[:-1], width), fill, dtype=np.int64)
    found[..., columns] = values
    return found


def mean_or_nan(values: Sequence[float]) -> float:
    """Return the mean of the values, which does not depend on their order; NaN if there are none."""
    return math.fsum(values) / len(values) if values else math.nan


def best_mean(values: Floats) -> float:
    """Return the largest of the means of the rows (such as one row per threshold); NaN if there are no values.

    Examples:
        >>> best_mean(np.array([[0.5, 1.0], [0.0, 1.0]]))
        0.75
    """
    return max((mean_or_nan(row) for row in values.tolist() if row), default=math.nan)


def nan_to_none(value: float) -> float | None:
    """Return the value as a float that JSON can represent: None for NaN, which marks an undefined value."""
    number = float(value)
    return None if number != number else number
