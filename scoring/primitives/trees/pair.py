"""What the comparison of two parts comes to, and what a part counts that has no partner."""

from __future__ import annotations

from typing import NamedTuple

from scoring.primitives.trees.node import NONE, TreeNode
from scoring.primitives.trees.rules import Rules

TIE = 1e-12
"""Averages that differ by less are equal."""


class TreePair(NamedTuple):
    """The sum of the leaf scores, the number of leaves, and whether the closest reading equals the prediction."""

    total: float
    length: int
    same: bool

    @property
    def average(self) -> float:
        """The score of the pair; two parts without leaves agree."""
        return self.total / self.length if self.length > 0 else 1.0


def versus_nothing(reference: TreeNode) -> TreePair:
    """A key that the prediction lacks, read as None; ``same`` says that leaving it out is the closest reading."""
    if reference.kind == "one_of":
        reference = option_for_nothing(reference)
    return TreePair(float(reference.kind == "none"), max(1, reference.length), reference.is_empty)


def option_for_nothing(reference: TreeNode) -> TreeNode:
    """The option that is read where the prediction has nothing: None if it is one, else the first."""
    return next((option for option in reference.children if option.kind == "none"), reference.children[0])


def invented_length(prediction: TreeNode, rules: Rules) -> int:
    """What a key counts that the reference lacks."""
    if rules.invented_empty == "ignored" and prediction.is_empty:
        return 0
    return max(NONE.length, prediction.length)
