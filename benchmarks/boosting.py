"""Boosted trees that order the candidates of many choices, as `benchmarks.completion` fits them.

Each tree asks the same question at all places of one depth, so that a candidate's leaf is a number of a few bits. The
loss is that of a choice: minus the logarithm of the share of the right candidate among all of its position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TREES, RATE = 80, 0.15
DEPTH = 5  # of `scoring.extensions.editors.ranking.likelihood`, too
_BINS = 16
_RIDGE = 4.0
Tree = tuple[list[int], list[float], list[float]]
"""The signs that are asked, the numbers that they must exceed, and the value of each leaf."""


def boosted(signs: Any, sizes: Any, rights: Any, trees: int = TREES) -> list[Tree]:
    """Return trees that give the right candidates large sums.

    Args:
        signs: The signs of all candidates, a row for each, those of one position together.
        sizes: How many candidates each position has.
        rights: The row of the right candidate of each position.
        trees: How many trees to fit.
    """
    cuts = [np.unique(np.quantile(column, np.linspace(0.02, 0.995, _BINS))) for column in signs.T]
    cuts = [one[one < column.max()] for one, column in zip(cuts, signs.T, strict=True)]
    binned = [
        np.searchsorted(one, column, side="left").astype(np.int64) for one, column in zip(cuts, signs.T, strict=True)
    ]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    raw, made = np.zeros(len(signs)), list[Tree]()
    for _ in range(trees):
        most = np.maximum.reduceat(raw, starts)
        shares = np.exp(raw - np.repeat(most, sizes))
        shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
        slope = -shares
        slope[rights] += 1
        bend = shares * (1 - shares) + 1e-6
        asked, over, leaf = list[int](), list[float](), np.zeros(len(signs), dtype=np.int64)
        for _ in range(DEPTH):
            sign, cut = _best(binned, cuts, slope, bend, leaf, 1 << len(asked))
            asked.append(sign)
            over.append(float(cuts[sign][cut]))
            leaf = 2 * leaf + (binned[sign] > cut)
        leaves = 1 << DEPTH
        values = np.bincount(leaf, slope, leaves) / (np.bincount(leaf, bend, leaves) + _RIDGE) * RATE
        raw += values[leaf]
        made.append((asked, over, [round(float(one), 4) for one in values]))
    return made


def _best(binned: list[Any], cuts: list[Any], slope: Any, bend: Any, leaf: Any, leaves: int) -> tuple[int, int]:
    """Return the sign, and the number of the cut in it, by which all leaves are best divided."""
    best, found = -1.0, (0, 0)
    for sign, (bins, cut) in enumerate(zip(binned, cuts, strict=True)):
        if len(cut) == 0:
            continue
        width = len(cut) + 1
        slot = leaf * width + bins
        left = np.bincount(slot, slope, leaves * width).reshape(leaves, width).cumsum(1)
        heavy = np.bincount(slot, bend, leaves * width).reshape(leaves, width).cumsum(1)
        right, light = left[:, -1:] - left, heavy[:, -1:] - heavy
        gain = (left**2 / (heavy + _RIDGE) + right**2 / (light + _RIDGE)).sum(0)[:-1]
        if gain.max() > best:
            best, found = float(gain.max()), (sign, int(gain.argmax()))
    return found


def summed(trees: list[Tree], signs: Any) -> Any:
    """Return the sums of trees for the signs of many candidates."""
    raw = np.zeros(len(signs))
    for asked, over, values in trees:
        leaf = np.zeros(len(signs), dtype=np.int64)
        for sign, cut in zip(asked, over, strict=True):
            leaf = 2 * leaf + (signs[:, sign] > cut)
        raw += np.array(values)[leaf]
    return raw
