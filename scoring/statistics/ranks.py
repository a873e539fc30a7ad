"""Ranks of several runs over the same things, and how sure each rank is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.late import np
from scoring.statistics.exact import sums_by, weighted_sums
from scoring.statistics.kinds import kinds_of
from scoring.statistics.resampling import Draws, resample

Pair = tuple[int, int]
"""Two runs by their places: the second is surely better than the first."""


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """The rank of each, the highest first; equal ones share the better rank, and what has no value has none.

    Examples:
        >>> ranks([0.5, 0.9, None, 0.5])
        [2, 1, None, 2]
    """
    known = [value for value in values if value is not None]
    return [None if value is None else 1 + sum(other > value for other in known) for value in values]


def mean_draws(columns: Sequence[Sequence[float]], owners: Sequence[Any] | None, *, seed: int, resamples: int) -> Any:
    """The means of some runs over resamples of the things that all of them scored: a line for each draw.

    The same things are drawn for all runs, so what is hard for all moves none of them past another.

    Args:
        columns: The scores of each run, one for each thing.
        owners: The cluster of each thing, None for one that stands alone; clusters are drawn as a whole.
        seed: The seed of the draws.
        resamples: How many.
    """
    if not columns[0]:
        return np.zeros((0, len(columns)))
    units = np.column_stack([*(np.asarray(column, dtype=np.float64) for column in columns), np.ones(len(columns[0]))])
    if owners is not None:
        numbers = cluster_numbers(owners)
        units = sums_by(units, numbers, int(numbers.max()) + 1)
    different, _, counts = kinds_of(units)

    def means(drawn: Any) -> Any:
        sums = weighted_sums(different, drawn)
        return sums[:, :-1] / sums[:, -1:]

    return resample(Draws(different, counts, means), seed, "ranks", resamples)


def figure_draws(
    figure: Callable[[Any], Any], things: int, owners: Sequence[Any] | None, *, seed: int, resamples: int
) -> Any:
    """The same for figures that are no means.

    Args:
        figure: The figure of each run, a column each, for lines of how often each thing occurs.
        things: How many there are.
        owners: The cluster of each.
        seed: The seed of the draws.
        resamples: How many.
    """
    numbers = np.arange(things) if owners is None else cluster_numbers(owners)
    size = int(numbers.max()) + 1
    units, ones = np.arange(float(size))[:, None], np.ones(size, dtype=np.int64)
    return resample(Draws(units, ones, lambda drawn: figure(drawn[:, numbers])), seed, "ranks", resamples)


def cluster_numbers(owners: Sequence[Any]) -> Any:
    """The number of each thing's cluster, in the order of their names, so that the order of things is none of it."""
    names = [("alone", place) if owner is None else ("cluster", repr(owner)) for place, owner in enumerate(owners)]
    known: Mapping[Any, int] = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([known[name] for name in names], dtype=np.int64)


def rank_intervals(draws: Any, surely: Sequence[Pair], confidence: float = 0.95) -> list[tuple[int, int]]:
    """The ranks that each run may have.

    A run's interval holds its ranks in the middle share of the draws; where two are equal in one, each may stand before
    the other. It is widened to all ranks that the tests leave open: it can say nothing of two runs that they don't.

    Args:
        draws: What `mean_draws` or `figure_draws` gives, a column for each run; lines with a figure that is undefined
            are left out.
        surely: The pairs of which a test says that the second is better.
        confidence: The share of draws that an interval holds.

    Examples:
        >>> import numpy as np
        >>> draws = np.array([[0.1, 0.5, 0.6], [0.2, 0.6, 0.5]])
        >>> rank_intervals(draws, [(0, 1), (0, 2)]), rank_intervals(draws, [])
        ([(3, 3), (1, 2), (1, 2)], [(1, 3), (1, 3), (1, 3)])

    Source:
        Goldstein, Spiegelhalter: League Tables and Their Limitations (1996); Hall, Miller: Using the Bootstrap to
        Quantify the Authority of an Empirical Ranking (2009); Mogstad, Romano, Shaikh, Wilhelm: Inference for Ranks
        (2024), for the ranks that tests leave open.
    """
    size = draws.shape[1]
    draws = draws[np.isfinite(draws).all(axis=1)]
    found = []
    for run in range(size):
        own = draws[:, run : run + 1]
        best, worst = 1 + (draws > own).sum(axis=1), size - (draws < own).sum(axis=1)
        tail = int((1.0 - confidence) / 2.0 * len(draws))  # so many draws on either side are left out
        low = int(np.sort(best)[tail]) if len(draws) else 1
        high = int(np.sort(worst)[len(draws) - 1 - tail]) if len(draws) else size
        better, worse = sum(pair[0] == run for pair in surely), sum(pair[1] == run for pair in surely)
        found.append((min(low, 1 + better), max(high, size - worse)))
    return found
