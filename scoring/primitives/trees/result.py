"""What a comparison of trees tells beside its score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from scoring.late import dataclass
from scoring.primitives.trees.rules import TreePath


@dataclass(slots=True)
class KeyNode:
    """The mean score of one key over the matched parts that hold it, and the keys below it."""

    score: float | None = None
    children: dict[str, KeyNode] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The node as plain data."""
        return {"score": self.score, "children": {key: node.to_json() for key, node in self.children.items()}}


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The score, the closest reading of the reference, the scores of the keys, and the number of leaves."""

    score: float
    closest: Any
    key_scores: dict[str, KeyNode]
    length: int

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        keys = {key: node.to_json() for key, node in self.key_scores.items()}
        return {"score": self.score, "closest": self.closest, "key_scores": keys, "length": self.length}


def key_tree(scores: Iterable[tuple[TreePath, float]]) -> dict[str, KeyNode]:
    """The mean score of every key, nested as the keys are.

    Examples:
        >>> key_tree([(("a", "b"), 1.0), (("a", "b"), 0.5), (("a",), 0.75)])["a"].to_json()
        {'score': 0.75, 'children': {'b': {'score': 0.75, 'children': {}}}}
    """
    collected: dict[TreePath, list[float]] = {}
    for path, score in scores:
        collected.setdefault(path, []).append(score)
    root = KeyNode()
    for path, values in collected.items():
        node = root
        for key in path:
            node = node.children.setdefault(key, KeyNode())
        node.score = sum(values) / len(values)
    return root.children
