"""Ranks of several runs over the same things, and how sure each rank is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.statistics.exact import sums_by, weighted_sums
from scoring.statistics.multiplicity import kinds_of
from scoring.statistics.resampling import Draws, resample

Pair = tuple[int, int]
"""The indexes of two runs of which the second is surely better."""


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """Return the rank of each value, the highest first; equal ones share the better rank, missing ones have none.

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
    """Return the means of some runs over resamples of the things that all of them scored: a line for each draw.

    The same things are drawn for all runs, so what is hard for all moves none of them past another.

    Args:
        columns: The scores of each run, one for each thing.
        owners: The cluster of each thing, None for one that stands alone; clusters are drawn as a whole.
        strata: The stratum of each thing, within which it is drawn.
        seed: The seed of the draws.
        resamples: How many.
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
    """Return the same for figures that are no means.

    Args:
        figure: The figure of each run, a column each, for lines of how often each thing occurs.
        things: How many there are.
        owners: The cluster of each.
        strata: The stratum of each.
        seed: The seed of the draws.
        resamples: How many.
    """
    numbers, within = drawn_numbers(things, owners, strata)
    units, ones = np.arange(float(len(within)))[:, None], np.ones(len(within), dtype=np.int64)
    drawn = _drawn(units, ones, lambda drawn: figure(drawn[:, numbers]), within, strata)
    return resample(drawn, seed, "ranks", resamples)


def drawn_numbers(things: int, owners: Sequence[Any] | None, strata: Sequence[Any] | None = None) -> tuple[Any, Any]:
    """Return the number of each record's resampling unit, and the number of each unit's stratum.

    They are in the order of their names, those of one stratum behind each other, so that the order of things is none
    of it.

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
    """Return the ranks that each run may have.

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
