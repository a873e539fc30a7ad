"""Compare lists: match their items, then count what stayed alone. How items compare is told by the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from scoring.late import np
from scoring.primitives.trees.assignment import few_matchings, matching, matchings
from scoring.primitives.trees.block import MAX_PAIRS, Nodes, TreeBlock, lengths_of, stacked
from scoring.primitives.trees.node import TreeNode
from scoring.primitives.trees.pair import TreePair
from scoring.primitives.trees.rules import Rules, TreePath

CompareAll: TypeAlias = Callable[[Nodes, Nodes, Rules, TreePath], TreeBlock]

PREFER_SAME = 1e-9
"""Added to the weight of items that read the same as the prediction: among equal matchings they are matched."""

PREFER_SHORT = 1e-13
"""Taken off for every leaf: among matchings that are still equal the one with the fewest leaves is taken."""


def compare_lists(reference: TreeNode, prediction: TreeNode, block: TreeBlock, rules: Rules) -> TreePair:
    """Compare two lists with items, given how all their items compare."""
    weights, saved = _weights(block, reference.children, prediction.children)
    rows, columns = pairs_of(weights, rules)
    same_size = len(reference.children) == len(prediction.children)
    return TreePair(
        float(block.total[rows, columns].sum()),
        reference.length + prediction.length - int(saved[rows, columns].sum()),
        same_size and bool(block.same[rows, columns].all()),
    )


def match_items(reference: TreeNode, prediction: TreeNode, block: TreeBlock, rules: Rules) -> list[tuple[int, int]]:
    """The items of two lists that belong together, in the order of the prediction."""
    rows, columns = pairs_of(_weights(block, reference.children, prediction.children)[0], rules)
    return sorted(zip(rows.tolist(), columns.tolist(), strict=True), key=lambda pair: pair[1])


def pairs_of(weights: Any, rules: Rules) -> tuple[Any, Any]:
    """The rows and columns of the matched pairs."""
    if rules.lists == "ordered":
        both = np.arange(min(weights.shape))
        return both, both
    return matching(weights)


def _weights(block: TreeBlock, references: Nodes, predictions: Nodes) -> tuple[Any, Any]:
    """What the matching maximises, and the leaves that each pair saves against leaving both items alone."""
    saved = np.add.outer(lengths_of(references), lengths_of(predictions)) - block.length
    return block.average + PREFER_SAME * block.same + PREFER_SHORT * saved, saved


def list_block(
    references: Nodes, predictions: Nodes, rules: Rules, path: TreePath, compare_all: CompareAll
) -> TreeBlock:
    """Compare every list of references with every list of predictions; their items make one block."""
    items = [item for node in references for item in node.children]
    others = [item for node in predictions for item in node.children]
    length = np.add.outer(lengths_of(references), lengths_of(predictions))
    whole = TreeBlock(np.zeros(length.shape), length, np.zeros(length.shape, dtype=bool))
    if not items or not others:
        empty = [[not node.children for node in nodes] for nodes in (references, predictions)]
        return TreeBlock(whole.total, length, np.logical_and.outer(*empty))
    if len(items) * len(others) > MAX_PAIRS and max(len(references), len(predictions)) > 1:
        return _in_pieces(references, predictions, rules, path, compare_all)
    block = compare_all(items, others, rules, path)
    weights, saved = _weights(block, items, others)
    starts, other_starts = _starts(references), _starts(predictions)
    for size, rows in _by_size(references).items():
        for other_size, columns in _by_size(predictions).items():
            place = np.ix_(rows, columns)
            if not size or not other_size:
                whole.same[place] = size == other_size
                continue
            inner = starts[rows][:, None] + np.arange(size)
            outer = other_starts[columns][:, None] + np.arange(other_size)
            cells = inner[:, None, :, None], outer[None, :, None, :]
            chosen = _match_many(weights[cells], rules)
            matched = np.where(chosen >= 0, 1, 0)
            picked = cells[0][..., 0], np.take_along_axis(outer[None, :, :], np.maximum(chosen, 0), axis=2)
            whole.total[place] = (block.total[picked] * matched).sum(axis=-1)
            whole.length[place] -= (saved[picked] * matched).sum(axis=-1)
            whole.same[place] = (size == other_size) & block.same[picked].all(axis=-1)
    return whole


def _in_pieces(
    references: Nodes, predictions: Nodes, rules: Rules, path: TreePath, compare_all: CompareAll
) -> TreeBlock:
    """The same block from two halves, so that it never takes more memory than is allowed."""
    if len(references) >= len(predictions):
        half = len(references) // 2
        halves = references[:half], references[half:]
        parts = [list_block(some, predictions, rules, path, compare_all) for some in halves]
        return stacked(parts, axis=0)
    half = len(predictions) // 2
    halves = predictions[:half], predictions[half:]
    parts = [list_block(references, some, rules, path, compare_all) for some in halves]
    return stacked(parts, axis=1)


def _match_many(weights: Any, rules: Rules) -> Any:
    """For every pair of lists and every row the column, -1 for a row that stays alone."""
    lists, others, rows, columns = weights.shape
    if rules.lists == "optimal" and few_matchings(rows, columns):
        return matchings(weights)
    chosen = np.full((lists, others, rows), -1, dtype=np.int64)
    for i in range(lists):
        for j in range(others):
            own, theirs = pairs_of(weights[i, j], rules)
            chosen[i, j, own] = theirs
    return chosen


def _starts(nodes: Nodes) -> Any:
    return np.cumsum([0, *(len(node.children) for node in nodes[:-1])])


def _by_size(nodes: Nodes) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        groups.setdefault(len(node.children), []).append(index)
    return groups
