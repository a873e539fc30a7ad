"""What a comparison of parts comes to: one pair of them, or arrays with a row and a column for each of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from scoring.late import dataclass, np
from scoring.primitives.trees.node import NONE, TreeNode
from scoring.primitives.trees.rules import Rules

Nodes: TypeAlias = Sequence[TreeNode]

MAX_PAIRS = 4_000_000
"""More pairs of parts at once are refused: they would take the memory of the machine."""
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


@dataclass(slots=True)
class TreeBlock:
    """Arrays with a row per reference and a column per prediction; see ``TreePair`` for their meaning."""

    total: Any
    length: Any
    same: Any

    @property
    def average(self) -> Any:
        """The score of every pair."""
        return np.where(self.length > 0, self.total / np.maximum(self.length, 1), 1.0)


def lengths_of(nodes: Nodes) -> Any:
    """The number of leaves of each part."""
    return np.array([node.length for node in nodes], dtype=np.int64)


def versus_nothing(reference: TreeNode) -> TreePair:
    """A key that the prediction lacks, read as None; ``same`` says that leaving it out is the closest reading."""
    reference = read_as_nothing(reference)
    return TreePair(float(reference.kind == "none"), max(1, reference.length), reference.is_empty)


def read_as_nothing(reference: TreeNode) -> TreeNode:
    """What a part is where the prediction has nothing: of a one-of None if it is an option, else the first."""
    if reference.kind != "one_of":
        return reference
    return next((option for option in reference.children if option.kind == "none"), reference.children[0])


def invented_length(prediction: TreeNode, rules: Rules) -> int:
    """What a key counts that the reference lacks."""
    if rules.invented_empty == "ignored" and prediction.is_empty:
        return 0
    return max(NONE.length, prediction.length)
