"""The edit distance of two ordered trees: inserting or deleting a node costs 1, changing it costs up to 1.

Existing libraries are no longer maintained or have incompatible licences, and none limits its work, so this is our own.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from scoring.result import Unscored

MOST_CELLS = 20_000_000
"""The limit on the cells of all tables that a comparison fills: some seconds."""
MOST_PAIRS = 4_000_000
"""The limit on pairs of nodes, each of which takes eight bytes."""

NodeCost = Callable[[int, int], float]
"""The cost, from 0 to 1, of changing a node of one tree into a node of the other, both given by their index."""
SubtreeCost = Callable[[int], float]
"""The cost of inserting or deleting a subtree of so many nodes at once."""


@dataclass(slots=True)
class OrderedTree:
    """An ordered tree, with its nodes numbered in postorder.

    Args:
        leftmost: For each node, the index of the first leaf below it, or its own index if it is a leaf.
        keys: The indexes of the key roots (see `__post_init__`), ascending; computed.
    """

    leftmost: list[int]
    keys: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Set ``keys`` to the key roots of Zhang and Shasha: for each leaf, the last node whose first leaf it is."""
        last = {leaf: place for place, leaf in enumerate(self.leftmost)}
        self.keys = sorted(last.values())

    @property
    def work(self) -> int:
        """The total number of nodes in the subtrees of all key roots."""
        return sum(key - self.leftmost[key] + 1 for key in self.keys)


def tree_distance(one: OrderedTree, other: OrderedTree, change: NodeCost, whole: SubtreeCost | None = None) -> float:
    """Return the least cost of turning one tree into the other; `change(i, j)` is the cost of changing node i into node
    j.

    With ``whole``, a subtree may also be inserted or deleted at once, for at most as much as its nodes one by one.

    Raises:
        Unscored: when that takes more than `MOST_CELLS` steps, or the trees have more than `MOST_PAIRS` pairs of nodes.

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
                if whole is None:
                    _fill(table, one.leftmost, other.leftmost, key, other_key, change)
                else:
                    _fill_at_once(table, one.leftmost, other.leftmost, key, other_key, change, whole)
    return table[-1][-1]


def _fill(
    table: list[array[float]], left: list[int], other_left: list[int], key: int, other_key: int, change: NodeCost
) -> None:
    """Write into `table` the distances between all subtrees that begin with the first leaf of `key` in one tree and
    with that of `other_key` in the other.

    Args:
        table: The known distance of each pair of subtrees.
        left: The first leaf below each node of the one tree.
        other_left: The first leaf below each node of the other tree.
        key: A key root of the one tree (see `OrderedTree`).
        other_key: A key root of the other tree.
        change: Returns the cost of changing a node of the one tree into one of the other.
    """
    start, other_start = left[key], other_left[other_key]
    columns = range(other_start, other_key + 1)
    rows = [[float(count) for count in range(len(columns) + 1)]]
    for place in range(start, key + 1):
        above, known = rows[-1], table[place]
        behind = rows[left[place] - start]  # the forest without the subtree of this node
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


def _fill_at_once(
    table: list[array[float]],
    left: list[int],
    other_left: list[int],
    key: int,
    other_key: int,
    change: NodeCost,
    whole: SubtreeCost,
) -> None:
    """Do what `_fill` does, with ``whole`` the cost of a subtree of so many nodes that is inserted or deleted."""
    start, other_start = left[key], other_left[other_key]
    columns = range(other_start, other_key + 1)
    inserted = [whole(other - other_left[other] + 1) for other in columns]
    rows = [[0.0]]
    for at, other in enumerate(columns):
        rows[0].append(rows[0][other_left[other] - other_start] + inserted[at])
    for place in range(start, key + 1):
        above, known, deleted = rows[-1], table[place], whole(place - left[place] + 1)
        behind = rows[left[place] - start]
        row = [behind[0] + deleted]
        for at, other in enumerate(columns):
            before = other_left[other] - other_start
            least = min(above[at + 1] + 1, row[at] + 1, behind[at + 1] + deleted, row[before] + inserted[at])
            if left[place] == start and before == 0:
                known[other] = least = min(least, above[at] + change(place, other))
            else:
                least = min(least, behind[before] + known[other])
            row.append(least)
        rows.append(row)
