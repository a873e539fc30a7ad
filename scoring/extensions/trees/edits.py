"""Comparators of ordered trees with labels by the edits that turn one into the other."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from scoring.extensions.structure.tree_edits import OrderedTree, tree_distance
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unscored
from scoring.values import Score, key_of, show_value


@primitive(
    better="lower",
    range=(0.0, math.inf),
    traits=("by_value",),
    topics=("lists", "mathematics"),
    aka=("extended tree edit distance", "zhang shasha", "expression edit distance", "tree edits"),
)
def subtree_edits(
    prediction: list[Any],
    reference: list[Any],
    /,
    *,
    discount: Annotated[float, Between(0, 1)] = 0.6,
    free: Annotated[float, AtLeast(1)] = 5,
    over: Literal["one", "reference"] = "one",
) -> Score:
    """Return the least cost of turning one ordered tree into the other, where subtrees may come and go at once.

    A tree is a list of a label and its subtrees: `["Add", ["x"], ["Pow", ["y"], ["2"]]]`. Inserting, deleting or
    relabelling a node costs 1, and inserting or deleting a whole subtree only a part of 1 for each node beyond the
    first ones.

    Args:
        discount: What a node of a whole subtree costs beyond the first ones.
        free: How many nodes of a whole subtree cost 1.
        over: Whether the cost is divided by nothing, or by the number of nodes of the reference.

    Raises:
        Unscored: when a side is no tree, or both are so large that comparing them would take long.

    Examples:
        >>> subtree_edits(["Add", ["x"], ["y"]], ["Add", ["x"], ["Pow", ["y"], ["2"]]])
        2.0

    Source:
        Zhang, Shasha: Simple fast algorithms for the editing distance between trees and related problems, 1989; with
        whole subtrees as in Qiu et al.: PHYBench: Holistic evaluation of physical perception and reasoning in large
        language models, arXiv:2504.16074.
    """
    mine, theirs = _Labelled(prediction, "prediction"), _Labelled(reference, "reference")
    labels, others = mine.labels, theirs.labels
    cost = tree_distance(
        OrderedTree(mine.leftmost),
        OrderedTree(theirs.leftmost),
        lambda place, other: float(labels[place] != others[other]),
        lambda size: min(size, discount * (size - free) + free),
    )
    return cost / len(others) if over == "reference" else cost


class _Labelled:
    """The labels of a tree in postorder, and for each node the place of the first leaf below it.

    Args:
        tree: The tree, a list of a label and its subtrees.
        side: The side that it is of, for messages.
    """

    def __init__(self, tree: Any, side: str) -> None:
        self.labels: list[Any] = []
        self.leftmost: list[int] = []
        # Each node is visited twice: on the way down, and again after all nodes below it have been numbered.
        waiting: list[tuple[Any, int | None]] = [(tree, None)]
        while waiting:
            node, first = waiting.pop()
            if first is None:
                if not isinstance(node, list) or not node or isinstance(node[0], (list, dict)):
                    raise Unscored(f"the {side} holds {show_value(node)}, which is no list of a label and subtrees")
                waiting.append((node, len(self.labels)))
                waiting.extend((child, None) for child in reversed(node[1:]))
            else:
                self.labels.append(key_of(node[0]))
                self.leftmost.append(first)
