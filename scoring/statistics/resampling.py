"""Resampled counts: how often each unit occurs in each draw, drawn once for all figures of the same shape.

A resample of n units is n draws with replacement. Which units they are plays no part, so figures and groups with
equally many units share their draws; and units that are equal are counted instead of drawn one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

CELLS = 2_000_000
"""The most numbers in one chunk of resamples."""

COUNTED = 12
"""The cost of counting one kind of units (a binomial draw), in draws of single units."""


@dataclass(frozen=True, slots=True)
class Draws:
    """What a bootstrap resamples: the distinct units, how often each occurs, and the figure of given counts.

    ``weights`` says how much each of them counts in the figure; None where all count the same. ``strata`` has the
    number of each one's stratum, in order, where every draw has as many units of each as the data; None where there are
    none.
    """

    units: Any
    counts: Any
    figure: Callable[[Any], Any]
    weights: Any = None
    strata: Any = None

    @property
    def parts(self) -> list[slice]:
        """The slice of each stratum; a single slice if there are no strata."""
        if self.strata is None:
            return [slice(0, len(self.counts))]
        ends = [0, *(np.flatnonzero(np.diff(self.strata)) + 1).tolist(), len(self.counts)]
        return [slice(start, end) for start, end in pairwise(ends)]

    @property
    def total(self) -> int:
        """The number of units, equal ones included."""
        return int(self.counts.sum())

    @property
    def trials(self) -> float:
        """The effective number of units with equal weights; 0 if none has a weight.

        Source:
            Kish: Survey Sampling (1965).
        """
        if self.weights is None:
            return float(self.total)
        squares = float((self.counts * self.weights**2).sum())
        return float((self.counts * self.weights).sum()) ** 2 / squares if squares > 0.0 else 0.0

    @property
    def cost(self) -> int:
        """The number of random numbers that one resample takes."""
        return min(COUNTED * len(self.counts), self.total)


def generator_for(seed: int, name: str) -> Any:
    """Return the random numbers of one stream."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.Generator(np.random.PCG64([seed, int.from_bytes(digest[:8], "big")]))


def resample(plan: Draws, seed: int, name: str, resamples: int) -> Any:
    """Return the figure of some resamples, each as large as the data; deterministic in seed, name and units."""
    if len(plan.counts) == 1:  # equal units, which every resample has as often
        return np.repeat(plan.figure(np.array([[float(plan.total)]])), resamples, axis=0)
    # What is drawn and what is counted may differ in width; both must fit.
    width = max(len(plan.counts), plan.cost, plan.units.shape[-1] if plan.units.ndim > 1 else 1, 1)
    step = max(1, CELLS // width)
    found = []
    for start in range(0, resamples, step):
        drawn = _drawn(plan, seed, f"{name}|{start}", min(step, resamples - start))
        found.append(plan.figure(drawn.astype(np.float64)))
    return np.concatenate(found)


def _drawn(plan: Draws, seed: int, name: str, lines: int) -> Any:
    """Return how often each different unit occurs in each of some resamples."""
    counts, total = plan.counts, plan.total
    if plan.strata is not None:
        source = generator_for(seed, f"{name}|strata")
        within = [counts[part] for part in plan.parts]
        return np.hstack([source.multinomial(held.sum(), held / held.sum(), size=lines) for held in within])
    if plan.cost < total:
        return generator_for(seed, f"{name}|kinds").multinomial(total, counts / total, size=lines)
    single = _drawn_singly(seed, name, total, lines)
    if len(counts) == total:
        return single
    return np.add.reduceat(single, np.cumsum(counts) - counts, axis=1, dtype=np.int64)


@lru_cache(maxsize=8)  # of at most CELLS small numbers each
def _drawn_singly(seed: int, name: str, total: int, lines: int) -> Any:
    """Return how often each of ``total`` units occurs; the same draws for every figure that has as many."""
    small = np.uint16 if total <= np.iinfo(np.uint16).max else np.uint32
    picks = generator_for(seed, f"{name}|{total}").integers(0, total, size=(lines, total), dtype=small)
    places = picks + (np.arange(lines) * total)[:, None]
    counts = np.bincount(places.ravel(), minlength=lines * total).reshape(lines, total).astype(small)
    counts.flags.writeable = False  # they are shared
    return counts
