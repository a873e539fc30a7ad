"""Boosted trees that tell how likely candidates are, as `python -m benchmarks.completion --write` fits them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

TREES = Path(__file__).with_name("ranking.json")
"""The generated file of trees."""
UNIT = 1000
"""Divides the values of leaves, which the file has as whole numbers."""
_ROUNDS = ((40, 50), (100, 25))
"""After so many trees only so many candidates are asked the rest: the others are far behind."""

TreeDecision: TypeAlias = Any
"""A leaf's value, or a list: the sign and the number of the cut that are asked for, and what follows up to it and
above."""


class DecisionTrees(Struct, frozen=True):
    """Trees, and for each sign the cuts that they ask about."""

    cuts: Sequence[Sequence[float]]
    trees: Sequence[TreeDecision]

    def totals(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """Return the logarithm of how likely each candidate is, up to a constant, by its signs.

        Candidates that are far behind after the first trees stay there, in their order.
        """
        binned = [[bisect_left(cut, sign) for cut, sign in zip(self.cuts, row, strict=True)] for row in rows]
        totals, start = [0] * len(rows), 0
        kept, fallen = [*range(len(rows))], list[tuple[int, list[int]]]()
        for until, most in (*_ROUNDS, (len(self.trees), len(rows))):
            for at in kept:
                totals[at] += _sum(self.trees[start:until], binned[at])
            kept.sort(key=lambda at: -totals[at])
            fallen.append((_least(totals, kept[:most]), kept[most:]))
            kept, start = kept[:most], until
        for least, left in reversed(fallen):
            lower = _least(totals, kept) - least
            for at in left:
                totals[at] += lower
            kept += left
        return [total / UNIT for total in totals]


def _least(totals: Sequence[int], places: Iterable[int]) -> int:
    return min((totals[at] for at in places), default=0)


def _sum(trees: Iterable[TreeDecision], bins: Sequence[int]) -> int:
    """Return the sum of what trees say of a candidate; the editor waits for this loop most."""
    total = 0
    for node in trees:
        while node.__class__ is list:
            sign, cut, below, above = node
            node = above if bins[sign] > cut else below
        total += node
    return total


@cache
def known_forest() -> DecisionTrees:
    """Return the trees in the generated file."""
    cuts, trees = json.loads(TREES.read_text("utf-8"))
    return DecisionTrees(cuts, trees)
