"""Bootstrap resampling by counts: how often each unit occurs in each resample.

A resample of n units is n draws with replacement. It does not depend on the units themselves, so figures and groups
with equally many units share their draws; and equal units are counted instead of drawn one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct

CELLS = 2_000_000
"""Maximum number of values in one chunk of resamples."""

CACHED = 1 << 15
"""The number of draws that are counted together: their counts fit into the processor's cache."""

COUNTED = 12
"""Drawing the count of one kind of units (a binomial draw) costs as much as this many draws of single units."""


class Draws(Struct, frozen=True):
    """The input of a bootstrap: distinct units, how often each occurs, and a function from such counts to figures.

    ``weights`` has the weight of each distinct unit in the figure; None if all are equal. ``strata`` has the index of
    each one's stratum, in order; every resample then has as many units of each stratum as the data. None means no
    strata. ``influence`` has the derivative of the figure by the weight of each distinct unit, where the figure has
    one in closed form; else it is None.
    """

    units: Any
    counts: Any
    figure: Callable[[Any], Any]
    weights: Any = None
    strata: Any = None
    influence: Any = None

    @property
    def parts(self) -> list[slice]:
        """The slice of the distinct units in each stratum; a single slice of all if there are no strata."""
        if self.strata is None:
            return [slice(0, len(self.counts))]
        ends = [0, *(np.flatnonzero(np.diff(self.strata)) + 1).tolist(), len(self.counts)]
        return [slice(start, end) for start, end in pairwise(ends)]

    @property
    def total(self) -> int:
        """The number of units, with equal ones counted repeatedly."""
        return int(self.counts.sum())

    @property
    def trials(self) -> float:
        """The effective number of units of equal weight; 0 if all weights are 0.

        Source:
            Kish: Survey Sampling (1965).
        """
        if self.weights is None:
            return float(self.total)
        squares = float((self.counts * self.weights**2).sum())
        return float((self.counts * self.weights).sum()) ** 2 / squares if squares > 0.0 else 0.0

    @property
    def cost(self) -> int:
        """The cost of one resample, measured in drawn random numbers."""
        return min(COUNTED * len(self.counts), self.total)


def generator_for(seed: int, name: str) -> Any:
    """Return the generator of random numbers that a seed and the name of a stream determine."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.Generator(np.random.PCG64([seed, int.from_bytes(digest[:8], "big")]))


def resample(plan: Draws, seed: int, name: str, resamples: int) -> Any:
    """Return the figure for each of some bootstrap resamples, which seed, name and units determine."""
    if len(plan.counts) == 1:  # all units are equal, so every resample is the same
        return np.repeat(plan.figure(np.array([[float(plan.total)]])), resamples, axis=0)
    # The drawn counts and the counted units may differ in width; both must fit.
    width = max(len(plan.counts), plan.cost, plan.units.shape[-1] if plan.units.ndim > 1 else 1, 1)
    step = max(1, CELLS // width)
    found = []
    for start in range(0, resamples, step):
        drawn = _drawn(plan, seed, f"{name}|{start}", min(step, resamples - start))
        found.append(plan.figure(drawn.astype(np.float64)))
    return np.concatenate(found)


def _drawn(plan: Draws, seed: int, name: str, lines: int) -> Any:
    """Return how often each distinct unit occurs in each resample, as an array with ``lines`` lines."""
    counts, total = plan.counts, plan.total
    if plan.strata is not None:
        source = generator_for(seed, f"{name}|strata")
        within = [counts[part] for part in plan.parts]
        return np.hstack([source.multinomial(stratum.sum(), stratum / stratum.sum(), size=lines) for stratum in within])
    if plan.cost < total:
        return generator_for(seed, f"{name}|kinds").multinomial(total, counts / total, size=lines)
    single = _drawn_singly(seed, name, total, lines)
    if len(counts) == total:
        return single
    return np.add.reduceat(single, np.cumsum(counts) - counts, axis=1, dtype=np.int64)


@lru_cache(maxsize=8)  # each entry has at most CELLS small numbers
def _drawn_singly(seed: int, name: str, total: int, lines: int) -> Any:
    """Return how often each of ``total`` units occurs in each resample; cached for all figures with as many units."""
    small = np.uint16 if total <= np.iinfo(np.uint16).max else np.uint32
    picks = generator_for(seed, f"{name}|{total}").integers(0, total, size=(lines, total), dtype=small)
    counts = np.empty((lines, total), dtype=small)
    step = max(1, CACHED // total)
    for start in range(0, lines, step):
        some = picks[start : start + step]
        positions = some + (np.arange(len(some)) * total)[:, None]
        counts[start : start + step] = np.bincount(positions.ravel(), minlength=some.size).reshape(some.shape)
    counts.flags.writeable = False  # they are shared
    return counts


def quantiles(values: Any, levels: Iterable[float]) -> list[float]:
    """Return quantiles of some values, to the bit as by `np.quantile`, whose import of masked arrays takes long.

    Examples:
        >>> import numpy as np
        >>> quantiles(np.array([3.0, 1.0, 2.0]), [0.25, 0.5])
        [1.5, 2.0]
    """
    ranked = np.sort(values)
    found = []
    for level in levels:
        place = (len(ranked) - 1) * float(level)
        first = int(place)
        low, high, part = float(ranked[first]), float(ranked[min(first + 1, len(ranked) - 1)]), place - first
        # From the nearer end, so that the values at the ends are exact.
        found.append(high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part)
    return found
