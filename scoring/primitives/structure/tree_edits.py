"""The edit distance of two ordered trees: nodes put in and left out cost 1, and what a node becomes costs up to 1.

Libraries for it are no longer kept, or licensed otherwise than this one, and none bounds its work, so it is our own.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from scoring.result import Unscored

MOST_CELLS = 20_000_000
"""Cells of all tables that comparing two trees fills: some seconds."""
MOST_PAIRS = 4_000_000
"""Pairs of nodes: what is kept of each takes eight bytes."""

NodeCost = Callable[[int, int], float]
"""The cost, from 0 to 1, of replacing a node of one tree by a node of the other, by their indexes."""


@dataclass(slots=True)
class OrderedTree:
    """A tree by its nodes, each behind all below it.

    Args:
        leftmost: Of each node, the place of the first leaf below it, or its own.
    """

    leftmost: list[int]
    keys: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the nodes that are the last to begin at their leaf: the trees below them are compared as wholes."""
        last = {leaf: place for place, leaf in enumerate(self.leftmost)}
        self.keys = sorted(last.values())

    @property
    def work(self) -> int:
        """The number of nodes in the subtrees that must be compared as wholes."""
        return sum(key - self.leftmost[key] + 1 for key in self.keys)


def tree_distance(one: OrderedTree, other: OrderedTree, change: NodeCost) -> float:
    """Return the least cost of turning one tree into the other.

    Raises:
        Unscored: when that takes more than `MOST_CELLS` steps.

    Examples:
        >>> path, fork = OrderedTree([0, 0, 0]), OrderedTree([0, 1, 0])
        >>> tree_distance(path, fork, lambda place, other: 0.0)
        2.0

    Source:
        Zhang, Shasha: Simple fast algorithms for the editing distance between trees and related problems, 1989.
    """
    nodes = len(one.leftmost), len(other.leftmost)
    if one.work * other.work > MOST_CELLS or nodes[0] * nodes[1] > MOST_PAIRS:
        raise Unscored(f"trees of {nodes[0]:,} and {nodes[1]:,} nodes take more than {MOST_CELLS:,} steps to compare")
    table = [array("d", bytes(8 * nodes[1])) for _ in range(nodes[0])]
    for key in one.keys:
        for other_key in other.keys:
            if one.leftmost[key] == key and other.leftmost[other_key] == other_key:
                table[key][other_key] = change(key, other_key)
            else:
                _fill(table, one.leftmost, other.leftmost, key, other_key, change)
    return table[-1][-1]


def _fill(
    table: list[array[float]], left: list[int], other_left: list[int], key: int, other_key: int, change: NodeCost
) -> None:
    """Compare the trees below two nodes, forest by forest from the left, those of whole trees into the table."""
    start, other_start = left[key], other_left[other_key]
    columns = range(other_start, other_key + 1)
    rows = [[float(count) for count in range(len(columns) + 1)]]
    for place in range(start, key + 1):
        above, known = rows[-1], table[place]
        behind = rows[left[place] - start]  # the forest without the tree of this node
        whole = left[place] == start
        row = [above[0] + 1]
        for at, other in enumerate(columns):
            least = min(above[at + 1], row[at]) + 1
            if whole and other_left[other] == other_start:
                changed = above[at] + change(place, other)
                known[other] = least = min(least, changed)
            else:
                joined = behind[other_left[other] - other_start] + known[other]
                least = min(least, joined)
            row.append(least)
        rows.append(row)
