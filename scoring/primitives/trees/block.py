"""What the comparison of many parts with many others comes to: arrays with a row and a column for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from scoring.late import dataclass, np
from scoring.primitives.trees.node import TreeNode

Nodes: TypeAlias = Sequence[TreeNode]

MAX_PAIRS = 4_000_000
"""More pairs of parts at once are refused, or compared in pieces: they would take the memory of the machine."""


@dataclass(slots=True)
class TreeBlock:
    """Arrays with a row per reference and a column per prediction; see ``Pair`` for their meaning."""

    total: Any
    length: Any
    same: Any

    @property
    def average(self) -> Any:
        """The score of every pair."""
        return np.where(self.length > 0, self.total / np.maximum(self.length, 1), 1.0)


def stacked(blocks: Sequence[TreeBlock], axis: int) -> TreeBlock:
    """Some blocks as one, below or beside each other."""
    return TreeBlock(
        np.concatenate([block.total for block in blocks], axis=axis),
        np.concatenate([block.length for block in blocks], axis=axis),
        np.concatenate([block.same for block in blocks], axis=axis),
    )


def lengths_of(nodes: Nodes) -> Any:
    """The number of leaves of each part."""
    return np.array([node.length for node in nodes], dtype=np.int64)
