"""What a comparison of trees tells beside its score: the closest reading of the reference, and scores of keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, TypeAlias

from scoring.late import dataclass
from scoring.primitives.trees.compare import (
    best_option,
    compare,
    compare_all,
    match_items,
    read_as_nothing,
    versus_nothing,
)
from scoring.primitives.trees.leaf import Rules, TreePath
from scoring.primitives.trees.node import TreeNode, is_empty

TreeReading: TypeAlias = tuple[Any, list[tuple[TreePath, float]]]
"""The closest reading of a part of the reference, and the scores of the keys below it."""


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


def explain(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreeReading:
    """What a part of the prediction was closest to."""
    if reference.kind == "one_of":
        return explain(best_option(reference, prediction, rules, path)[0], prediction, rules, path)
    if reference.kind == prediction.kind == "list":
        return _lists(reference, prediction, rules, path)
    if reference.kind == prediction.kind == "dict":
        closest, keys = {}, []
        for key, score, (reading, below) in _keys(reference, prediction, rules, path):
            if key in prediction.keys or not is_empty(reading):
                closest[key] = reading
            keys += [*below, ((*path, str(key)), score)]
        return closest, keys
    return prediction.value if reference.kind == "none" and prediction.is_empty else reference.value, []


def _lists(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreeReading:
    pairs: list[tuple[int, int]] = []
    if reference.children and prediction.children:
        block = compare_all(reference.children, prediction.children, rules, path)
        pairs = match_items(reference, prediction, block, rules)
    matched = [explain(reference.children[i], prediction.children[j], rules, path) for i, j in pairs]
    rows = {i for i, _ in pairs}
    alone = [item.value for i, item in enumerate(reference.children) if i not in rows]
    return [closest for closest, _ in matched] + alone, [score for _, keys in matched for score in keys]


def _keys(
    reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath
) -> Iterator[tuple[Any, float, TreeReading]]:
    """Each key of either side, its score and its reading; what the prediction invents is closest to None."""
    for key, own in reference.keys.items():
        other, below = prediction.keys.get(key), (*path, str(key))
        if other is not None:
            yield key, compare(own, other, rules, below).average, explain(own, other, rules, below)
        else:
            yield key, versus_nothing(own).average, (read_as_nothing(own).value, [])
    for key, other in prediction.keys.items():
        if key not in reference.keys and not other.is_empty:
            yield key, 0.0, (None, [])
