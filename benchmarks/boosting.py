"""Boosted trees that order the candidates of many choices, as `benchmarks.completion` fits them.

All trees are whole: each asks a question at each of its places, so that a place is found by doubling. The loss is that
of a choice: minus the logarithm of the share of the right candidate among all of its position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

TREES, RATE = 100, 0.1
DEPTH = 5  # of `scoring.extensions.editors.ranking.likelihood`, too
BINS = 16  # of `scoring.extensions.editors.ranking.BINS`, too
_RIDGE = 1.0
_SHARE = 0.3
"""The share of the signs that a tree may ask for, drawn anew for each."""
_SMOOTH = 0.4
"""The share of what is right that all candidates have alike: the first five count, and not the first alone."""
Tree: TypeAlias = tuple[list[int], list[int]]
"""What is asked at each place, `BINS` times the sign and the number of the cut in it, and the thousandths of each
leaf."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees, and for each sign the cuts that they ask about."""

    cuts: list[list[float]]
    trees: list[Tree]


def boosted(signs: Any, sizes: Any, rights: Any, trees: int = TREES) -> Forest:
    """Return trees that give the right candidates large sums.

    Args:
        signs: The signs of all candidates, a row for each, those of one position together.
        sizes: How many candidates each position has.
        rights: The row of the right candidate of each position.
        trees: How many trees to fit.
    """
    cuts = [_cuts_of(column) for column in signs.T]
    binned = _binned(cuts, signs)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    raw, made, chance = np.zeros(len(signs)), list[Tree](), np.random.default_rng(7)
    useful = np.array([number for number, cut in enumerate(cuts) if cut])
    for _ in range(trees):
        most = np.maximum.reduceat(raw, starts)
        shares = np.exp(raw - np.repeat(most, sizes))
        shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
        slope = _SMOOTH / np.repeat(sizes, sizes) - shares
        slope[rights] += 1 - _SMOOTH
        bend = shares * (1 - shares) + 1e-6
        chosen = np.sort(chance.choice(useful, max(round(_SHARE * len(useful)), 1), replace=False))
        asked, leaf = list[int](), np.zeros(len(signs), dtype=np.int64)
        for depth in range(DEPTH):
            signs_of, cuts_of = _best(binned, chosen, slope, bend, leaf, 1 << depth)
            asked += (BINS * signs_of + cuts_of).tolist()
            leaf = 2 * leaf + (binned[signs_of[leaf], np.arange(len(leaf))] > cuts_of[leaf])
        leaves = 1 << DEPTH
        values = np.bincount(leaf, slope, leaves) / (np.bincount(leaf, bend, leaves) + _RIDGE) * RATE
        raw += values[leaf]
        made.append((asked, np.rint(1000 * values).astype(int).tolist()))
    return Forest(cuts, made)


def _cuts_of(column: Any) -> list[float]:
    found = np.unique(np.quantile(column, np.linspace(0.02, 0.995, BINS - 1)).astype(np.float64))
    return [float(f"{one:.5g}") for one in found[found < column.max()]]


def _binned(cuts: list[list[float]], signs: Any) -> Any:
    every = zip(cuts, signs.T, strict=True)
    return np.stack([np.searchsorted(cut, column, side="left").astype(np.uint8) for cut, column in every])


def _best(binned: Any, chosen: Any, slope: Any, bend: Any, leaf: Any, leaves: int) -> tuple[Any, Any]:
    """Return for each leaf the sign, and the number of the cut in it, by which it is best divided."""
    best, signs, cuts = np.full(leaves, -1.0), np.zeros(leaves, dtype=np.int64), np.zeros(leaves, dtype=np.int64)
    base, every = leaf * BINS, np.arange(leaves)
    for sign in chosen:
        slot = base + binned[sign]
        left = np.bincount(slot, slope, leaves * BINS).reshape(leaves, BINS).cumsum(1)
        heavy = np.bincount(slot, bend, leaves * BINS).reshape(leaves, BINS).cumsum(1)
        right, light = left[:, -1:] - left, heavy[:, -1:] - heavy
        gain = left**2 / (heavy + _RIDGE) + right**2 / (light + _RIDGE)
        cut = gain.argmax(1)
        better = gain[every, cut] > best + 1e-9
        best[better], signs[better], cuts[better] = gain[every, cut][better], sign, cut[better]
    return signs, cuts


def summed(forest: Forest, signs: Any) -> Any:
    """Return the sums of trees for the signs of many candidates."""
    binned = _binned(forest.cuts, signs)
    raw, every = np.zeros(len(signs)), np.arange(len(signs))
    for asked, values in forest.trees:
        place = np.zeros(len(signs), dtype=np.int64)
        for _ in range(DEPTH):
            question = np.array(asked)[place]
            place = 2 * place + 1 + (binned[question // BINS, every] > question % BINS)
        raw += np.array(values)[place - (1 << DEPTH) + 1] / 1000
    return raw
