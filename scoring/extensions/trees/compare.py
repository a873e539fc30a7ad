"""Comparison of parts of references with parts of predictions (subtrees of nested values), one pair or all at once.

The results of all pairs of several parts are called a block.
Before the items of two lists can be matched, all pairs of them have to be compared. A block does this for all items on
one level together: leaves under the same key become one matrix, so the work is at most the product of the numbers of
leaves, whatever the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from scoring.extensions.trees.leaf import Rules, TextLeaf, TreePath
from scoring.extensions.trees.matchings import EQUAL_TOTALS, few_matchings, lines_of_matchings, matching, matchings
from scoring.extensions.trees.node import NONE, TreeNode, indexes_by
from scoring.primitives.combine.tables import sum_in_order
from scoring.result import Unscored
from scoring.values import numbered

Nodes: TypeAlias = Sequence[TreeNode]

MAX_PAIRS = 4_000_000
"""The limit on pairs of parts in one block: more would exhaust the memory of the machine."""
TIE = 1e-12
"""Averages that differ by no more than this are considered equal."""


class TreePair(NamedTuple):
    """The result of comparing a part of a reference with a part of a prediction.

    It has the sum of the leaf scores (``total``), the number of leaves (``length``), and ``same``: whether the reading
    of the reference that is closest to the prediction equals it. A reading picks one option of each one-of.
    """

    total: float
    length: int
    same: bool

    @property
    def average(self) -> float:
        """The mean score of the leaves; 1 if there are none."""
        return self.total / self.length if self.length > 0 else 1.0


@dataclass(slots=True)
class TreeBlock:
    """The results of comparing all pairs of some references and predictions: the attributes of ``TreePair`` as arrays.

    The arrays have a row for each reference and a column for each prediction.
    """

    total: Any
    length: Any
    same: Any

    @property
    def average(self) -> Any:
        """The mean scores of the leaves of all pairs; 1 where there are none."""
        return np.where(self.length > 0, self.total / np.maximum(self.length, 1), 1.0)


def lengths_of(nodes: Nodes) -> Any:
    """Return the number of leaves of each of some parts, as an array."""
    return np.array([node.length for node in nodes], dtype=np.int64)


def versus_nothing(reference: TreeNode) -> TreePair:
    """Return the comparison for a key that the prediction lacks; ``reference`` is the reference's value under it.

    The missing value counts as None. In the result, ``same`` is True if the reference's value is empty.
    """
    reference = read_as_nothing(reference)
    return TreePair(float(reference.kind == "none"), max(1, reference.length), reference.is_empty)


def read_as_nothing(reference: TreeNode) -> TreeNode:
    """Return what a part of the reference counts as if the prediction lacks its key.

    For a one-of (a set of alternatives) it is the option None, else the first option; any other part is unchanged.
    """
    if reference.kind != "one_of":
        return reference
    return next((option for option in reference.children if option.kind == "none"), reference.children[0])


def invented_length(prediction: TreeNode, rules: Rules) -> int:
    """Return the number of leaves that count, with score 0, for a prediction's value whose key the reference lacks."""
    if rules.invented_empty == "ignored" and prediction.is_empty:
        return 0
    return max(NONE.length, prediction.length)


def compare_nodes(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreePair:
    """Compare a part of a reference with a part of a prediction; ``path`` has the keys that lead to both.

    If both are lists, all pairs of their items are compared, and the items are matched by the results.
    """
    kind = reference.kind
    if kind == "one_of":
        return best_option(reference, prediction, rules, path)[1]
    if kind == "none" and prediction.is_empty:
        return TreePair(1.0, max(1, prediction.length), True)
    if kind != prediction.kind or kind == "none":
        return TreePair(0.0, max(reference.length, prediction.length), False)
    if kind == "leaf":
        return TreePair(rules.score(prediction, reference, path), 1, reference.value == prediction.value)
    if kind == "dict":
        return _keys(reference, prediction, rules, path)
    if not reference.children or not prediction.children:
        return TreePair(0.0, reference.length + prediction.length, not reference.children and not prediction.children)
    if len(reference.children) * len(prediction.children) <= _FEW_PAIRS and rules.lists == "optimal":
        few = _few_leaves(reference, prediction, rules)
        if few is not None:
            return few
    return compare_lists(
        reference, prediction, compare_all(reference.children, prediction.children, rules, path), rules
    )


# Up to this many pairs of texts, plain numbers are faster than arrays.
_FEW_PAIRS = 9


def _few_leaves(reference: TreeNode, prediction: TreeNode, rules: Rules) -> TreePair | None:
    """Return the comparison of two short lists of leaves, equal to the last bit to that of `compare_lists`.

    The result is None if an item is not a leaf, if there are too many items to try all matchings, or if a pair can't
    be scored; comparing the lists in a block then gives the reason.
    """
    own, theirs, leaf = reference.children, prediction.children, rules.leaf
    if not (rules.is_plain and isinstance(leaf, TextLeaf)) or {node.kind for node in (*own, *theirs)} != {"leaf"}:
        return None
    if not few_matchings(len(own), len(theirs)):
        return None
    try:
        scores = leaf.table([other.value for other in theirs], [one.value for one in own])
    except Unscored:
        return None
    same = [[one.value is other.value or one.value == other.value for other in theirs] for one in own]
    # A pair of leaves that is matched saves one of the two.
    weights = [
        [score + PREFER_SAME * equal + PREFER_SHORT for score, equal in zip(*both, strict=True)]
        for both in zip(scores, same, strict=True)
    ]
    lines = lines_of_matchings(len(own), len(theirs))
    totals = [sum_in_order([weights[row][column] for row, column in line]) for line in lines]
    most = max(totals) - EQUAL_TOTALS
    chosen = next(line for line, total in zip(lines, totals, strict=True) if total >= most)
    return TreePair(
        sum_in_order([scores[row][column] for row, column in chosen]),
        len(own) + len(theirs) - len(chosen),
        len(own) == len(theirs) and all(same[row][column] for row, column in chosen),
    )


def best_option(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> tuple[TreeNode, TreePair]:
    """Return the option of a one-of, a set of alternatives in the reference, whose leaves have the best mean score.

    Also return that option's comparison with the prediction; ``path`` has the keys that lead to both parts.

    Among equally good options, one that equals the prediction is preferred, else the first.
    """
    compared = [compare_nodes(option, prediction, rules, path) for option in reference.children]
    top = max(pair.average for pair in compared) - TIE
    tied = [index for index, pair in enumerate(compared) if pair.average >= top]
    chosen = next((index for index in tied if compared[index].same), tied[0])
    return reference.children[chosen], compared[chosen]


def _keys(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreePair:
    total, length, same = 0.0, 0, True
    for key, own in reference.keys.items():
        other = prediction.keys.get(key)
        if other is None:
            missing = versus_nothing(own)
            total, length, same = total + missing.total, length + missing.length, same and missing.same
        else:
            pair = compare_nodes(own, other, rules, (*path, str(key)))
            total, length, same = total + pair.total, length + pair.length, same and pair.same
    for key, other in prediction.keys.items():
        if key not in reference.keys:
            length, same = length + invented_length(other, rules), False
    return TreePair(total, length, same)


MAX_AT_ONCE = MAX_PAIRS
"""More pairs of items than this are compared in several blocks, if they belong to several lists."""
PREFER_SAME = 1e-9
"""Added to the weight of items whose reading equals the prediction, so that equally good matchings prefer them."""
PREFER_SHORT = 1e-13
"""Added to the weight for every leaf saved, so that among matchings that are still equal, the one with the fewest
leaves is chosen."""


def compare_all(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Compare every one of some parts of references with every one of some parts of predictions.

    ``path`` has the keys that lead to all these parts.

    Raises:
        Unscored: when there are more than `MAX_PAIRS` pairs.
    """
    if len(references) * len(predictions) > MAX_PAIRS:
        raise Unscored(f"comparing {len(references)} with {len(predictions)} parts is more than is allowed")
    rows, columns = (indexes_by(node.kind for node in nodes) for nodes in (references, predictions))
    if len(rows) == len(columns) == 1:
        (kind,), (other,) = rows, columns
        return _compare_kinds(kind, other)(references, predictions, rules, path)
    shape = (len(references), len(predictions))
    whole = TreeBlock(np.zeros(shape), np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool))
    for kind, some_rows in rows.items():
        for other, some_columns in columns.items():
            part = _compare_kinds(kind, other)(
                [references[i] for i in some_rows], [predictions[j] for j in some_columns], rules, path
            )
            place = np.ix_(some_rows, some_columns)
            whole.total[place], whole.length[place], whole.same[place] = part.total, part.length, part.same
    return whole


def _compare_kinds(kind: str, other: str) -> Callable[[Nodes, Nodes, Rules, TreePath], TreeBlock]:
    if kind == "one_of":
        return _options
    if kind == "none":
        return _nothing
    if kind != other:
        return _different
    return {"leaf": _leaves, "dict": _dicts, "list": _lists}[kind]


def _different(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    lengths = np.maximum.outer(lengths_of(references), lengths_of(predictions))
    return TreeBlock(np.zeros(lengths.shape), lengths, np.zeros(lengths.shape, dtype=bool))


def _nothing(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    empty = np.array([node.is_empty for node in predictions], dtype=bool)
    same = np.broadcast_to(empty, (len(references), len(predictions)))
    lengths = np.broadcast_to(np.maximum(lengths_of(predictions), 1), same.shape)
    return TreeBlock(same.astype(float), lengths, same)


def _leaves(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    values, others = [node.value for node in references], [node.value for node in predictions]
    total = rules.scores(others, values, path)
    own, theirs = map(np.array, numbered(values, others))
    return TreeBlock(total, np.ones(total.shape, dtype=np.int64), own[:, None] == theirs)


def _options(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    options = [option for node in references for option in node.children]
    block = compare_all(options, predictions, rules, path)
    average, chosen, start = block.average, [], 0
    for node in references:
        end = start + len(node.children)
        part = average[start:end]
        tied = part >= part.max(axis=0) - TIE
        agreeing = tied & block.same[start:end]
        chosen.append(start + np.where(agreeing.any(axis=0), agreeing, tied).argmax(axis=0))
        start = end
    rows, columns = np.array(chosen), np.arange(len(predictions))
    return TreeBlock(block.total[rows, columns], block.length[rows, columns], block.same[rows, columns])


def _dicts(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Compare every dictionary of the references with every one of the predictions.

    The results start as if no two dictionaries shared a key, and are then corrected for each shared key.
    """
    missing = [{key: versus_nothing(value) for key, value in node.keys.items()} for node in references]
    total = _sums(missing, lambda pair: pair.total)
    open_keys = _sums(missing, lambda pair: not pair.same)
    invented = np.array([sum(invented_length(part, rules) for part in node.keys.values()) for node in predictions])
    shape = (len(references), len(predictions))
    block = TreeBlock(
        np.broadcast_to(total[:, None], shape).astype(float),
        np.add.outer(_sums(missing, lambda pair: pair.length), invented),
        np.ones(shape, dtype=bool),
    )
    differing = np.add.outer(open_keys, [len(node.keys) for node in predictions])
    rows_of, columns_of = (_indexes_of_keys(nodes) for nodes in (references, predictions))
    for key in [key for key in rows_of if key in columns_of]:
        rows, columns = rows_of[key], columns_of[key]
        lost = [missing[i][key] for i in rows]
        others = [predictions[j].keys[key] for j in columns]
        part = compare_all([references[i].keys[key] for i in rows], others, rules, (*path, str(key)))
        place = np.ix_(rows, columns)
        block.total[place] += part.total - np.array([pair.total for pair in lost])[:, None]
        unmatched = np.add.outer([pair.length for pair in lost], [invented_length(other, rules) for other in others])
        block.length[place] += part.length - unmatched
        block.same[place] &= part.same
        differing[place] -= np.array([1 + (not pair.same) for pair in lost])[:, None]
    block.same &= differing == 0
    return block


def _sums(missing: list[dict[Any, Any]], measure: Callable[[Any], float]) -> Any:
    return np.array([sum(int(measure(pair)) for pair in pairs.values()) for pairs in missing], dtype=np.int64)


def _indexes_of_keys(nodes: Nodes) -> dict[Any, list[int]]:
    indexes: dict[Any, list[int]] = {}
    for index, node in enumerate(nodes):
        for key in node.keys:
            indexes.setdefault(key, []).append(index)
    return indexes


def compare_lists(reference: TreeNode, prediction: TreeNode, block: TreeBlock, rules: Rules) -> TreePair:
    """Return the comparison of two lists that are not empty, given the block of comparisons of all their items."""
    weights, saved = _weights(block, reference.children, prediction.children)
    rows, columns = matched_pairs(weights, rules)
    same_size = len(reference.children) == len(prediction.children)
    return TreePair(
        float(block.total[rows, columns].sum()),
        reference.length + prediction.length - int(saved[rows, columns].sum()),
        same_size and bool(block.same[rows, columns].all()),
    )


def match_items(reference: TreeNode, prediction: TreeNode, block: TreeBlock, rules: Rules) -> list[tuple[int, int]]:
    """Return the index pairs of the matched items of two lists, in the order of the prediction."""
    rows, columns = matched_pairs(_weights(block, reference.children, prediction.children)[0], rules)
    return sorted(zip(rows.tolist(), columns.tolist(), strict=True), key=lambda pair: pair[1])


def matched_pairs(weights: Any, rules: Rules) -> tuple[Any, Any]:
    """Return the rows and columns of the pairs of items that are matched, by position or for the greatest total.

    ``weights`` has a row for each item of the reference, a column for each of the prediction; ``rules`` decide how.
    """
    if rules.lists == "ordered":
        both = np.arange(min(weights.shape))
        return both, both
    return matching(weights)


def _weights(block: TreeBlock, references: Nodes, predictions: Nodes) -> tuple[Any, Any]:
    """Return two arrays over all pairs of a reference part (row) and a prediction part (column).

    The first has the weights, whose sum the matching maximises; the second has the number of leaves by which a pair,
    if it is matched, makes the total number of leaves smaller.
    """
    saved = np.add.outer(lengths_of(references), lengths_of(predictions)) - block.length
    return block.average + PREFER_SAME * block.same + PREFER_SHORT * saved, saved


def _lists(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Compare every list of the references with every list of the predictions, all their items in one call."""
    items = [item for node in references for item in node.children]
    others = [item for node in predictions for item in node.children]
    length = np.add.outer(lengths_of(references), lengths_of(predictions))
    whole = TreeBlock(np.zeros(length.shape), length, np.zeros(length.shape, dtype=bool))
    if not items or not others:
        empty = [[not node.children for node in nodes] for nodes in (references, predictions)]
        return TreeBlock(whole.total, length, np.logical_and.outer(*empty))
    if len(items) * len(others) > MAX_AT_ONCE and max(len(references), len(predictions)) > 1:
        return _in_pieces(references, predictions, rules, path)
    block = compare_all(items, others, rules, path)
    weights, saved = _weights(block, items, others)
    starts, other_starts = _starts(references), _starts(predictions)
    for size, rows in indexes_by(len(node.children) for node in references).items():
        for other_size, columns in indexes_by(len(node.children) for node in predictions).items():
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


def _in_pieces(references: Nodes, predictions: Nodes, rules: Rules, path: TreePath) -> TreeBlock:
    """Return the result of `_lists`, computed in two halves so that it does not exceed the limit on memory."""
    if len(references) >= len(predictions):
        axis, half = 0, len(references) // 2
        parts = [_lists(some, predictions, rules, path) for some in (references[:half], references[half:])]
    else:
        axis, half = 1, len(predictions) // 2
        parts = [_lists(references, some, rules, path) for some in (predictions[:half], predictions[half:])]
    arrays = zip(*((part.total, part.length, part.same) for part in parts), strict=True)
    return TreeBlock(*(np.concatenate(some, axis=axis) for some in arrays))


def _match_many(weights: Any, rules: Rules) -> Any:
    """Return, for every pair of lists, the matched column of each row, or -1 for an unmatched row.

    The first two dimensions of ``weights`` are the lists of both sides, the others the items of the lists.
    """
    if rules.lists == "optimal" and few_matchings(*weights.shape[2:]):
        return matchings(weights)
    chosen = np.full(weights.shape[:3], -1, dtype=np.int64)
    for pair in np.ndindex(*weights.shape[:2]):
        own, theirs = matched_pairs(weights[pair], rules)
        chosen[(*pair, own)] = theirs
    return chosen


def _starts(nodes: Nodes) -> Any:
    return np.cumsum([0, *(len(node.children) for node in nodes[:-1])])
