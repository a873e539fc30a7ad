"""Ranks of several runs over the same records, and confidence intervals of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.statistics.multiplicity import kinds_of, sums_by, weighted_sums
from scoring.statistics.resampling import Draws, resample

Pair = tuple[int, int]
"""Two runs by their indices, of which the second is significantly better than the first."""


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """Return the rank of each value, the highest first; equal values share the better rank, None has no rank.

    Examples:
        >>> ranks([0.5, 0.9, None, 0.5])
        [2, 1, None, 2]
    """
    known = [value for value in values if value is not None]
    return [None if value is None else 1 + sum(other > value for other in known) for value in values]


def mean_draws(
    columns: Sequence[Sequence[float]],
    owners: Sequence[Any] | None,
    strata: Sequence[Any] | None = None,
    *,
    seed: int,
    resamples: int,
) -> Any:
    """Return the means of some runs over resamples of the records that all of them scored: a row for each resample.

    The same records are drawn for all runs, so records that are hard for all of them don't change their ranks.

    Args:
        columns: The scores of each run, one for each record.
        owners: The cluster of each record, None if it is in none; clusters are resampled as a whole.
        strata: The stratum of each record, within which it is resampled.
        seed: The seed of the draws.
        resamples: Number of resamples.
    """
    if not columns[0]:
        return np.zeros((0, len(columns)))
    units = np.column_stack([*(np.asarray(column, dtype=np.float64) for column in columns), np.ones(len(columns[0]))])
    within = np.zeros(len(units))
    if owners is not None or strata is not None:
        numbers, within = drawn_numbers(len(units), owners, strata)
        units = sums_by(units, numbers, len(within))
    lines, _, counts = kinds_of(np.column_stack((within, units)))
    different = lines[:, 1:]

    def means(drawn: Any) -> Any:
        sums = weighted_sums(different, drawn)
        return sums[:, :-1] / sums[:, -1:]

    return resample(_drawn(different, counts, means, lines[:, 0], strata), seed, "ranks", resamples)


def _drawn(units: Any, counts: Any, figure: Callable[[Any], Any], within: Any, strata: Sequence[Any] | None) -> Draws:
    return Draws(units, counts, figure, strata=None if strata is None else within.astype(int))


def figure_draws(
    figure: Callable[[Any], Any],
    things: int,
    owners: Sequence[Any] | None,
    strata: Sequence[Any] | None = None,
    *,
    seed: int,
    resamples: int,
) -> Any:
    """Return the figures of some runs over resamples of their units, as `mean_draws` does for means.

    Args:
        figure: Returns the figures, with a column for each run, given how often each unit occurs in each resample.
        things: Number of units.
        owners: The cluster of each unit.
        strata: The stratum of each unit.
        seed: The seed of the draws.
        resamples: Number of resamples.
    """
    numbers, within = drawn_numbers(things, owners, strata)
    units, ones = np.arange(float(len(within)))[:, None], np.ones(len(within), dtype=np.int64)
    drawn = _drawn(units, ones, lambda drawn: figure(drawn[:, numbers]), within, strata)
    return resample(drawn, seed, "ranks", resamples)


def drawn_numbers(things: int, owners: Sequence[Any] | None, strata: Sequence[Any] | None = None) -> tuple[Any, Any]:
    """Return an array with the index of the cluster of each of `things` units, and one with the index of each cluster's
    stratum, given the clusters (`owners`) and strata of the units.

    A unit without a cluster is one by itself. Clusters are numbered by stratum and name.

    Examples:
        >>> numbers, within = drawn_numbers(4, ["b", "b", None, None], ["y", "y", "x", "y"])
        >>> numbers.tolist(), within.tolist()
        ([2, 2, 0, 1], [0, 1, 1])
    """
    if owners is None and strata is None:
        return np.arange(things), np.zeros(things)
    clusters = [None] * things if owners is None else owners
    known = {name: number for number, name in enumerate(sorted(set(strata or ())))}
    names = [
        (0 if strata is None else known[strata[place]], *(("alone", place) if one is None else ("cluster", repr(one))))
        for place, one in enumerate(clusters)
    ]
    numbers = {name: number for number, name in enumerate(sorted(set(names), key=lambda name: (*name[:2], name[2])))}
    found = np.array([numbers[name] for name in names], dtype=np.int64)
    return found, np.array([stratum for stratum, *_ in numbers], dtype=np.int64)


def rank_intervals(draws: Any, surely: Sequence[Pair], confidence: float = 0.95) -> list[tuple[int, int]]:
    """Return the interval of possible ranks of each run.

    A run's interval contains its ranks in the middle share of the draws; for runs that are equal in a draw, either
    order is possible. It is widened to all ranks that are compatible with the tests, so that it never contradicts them.

    Args:
        draws: The result of `mean_draws` or `figure_draws`, with a column for each run; rows with an undefined figure
            are left out.
        surely: The pairs of which the second is better according to a test.
        confidence: The share of draws that an interval covers.

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
        tail = int((1.0 - confidence) / 2.0 * len(draws))  # number of draws left out on either side
        low = int(np.sort(best)[tail]) if len(draws) else 1
        high = int(np.sort(worst)[len(draws) - 1 - tail]) if len(draws) else size
        better, worse = sum(pair[0] == run for pair in surely), sum(pair[1] == run for pair in surely)
        found.append((min(low, 1 + better), max(high, size - worse)))
    return found
