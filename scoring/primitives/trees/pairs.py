"""Compare one part of a reference with one part of a prediction."""

from __future__ import annotations

from scoring.primitives.trees.block import TIE, TreePair, invented_length, versus_nothing
from scoring.primitives.trees.many import compare_all, compare_lists
from scoring.primitives.trees.node import TreeNode
from scoring.primitives.trees.rules import Rules, TreePath


def compare(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreePair:
    """Compare two parts; where both are lists, all their items are compared in one block."""
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
        return _dicts(reference, prediction, rules, path)
    if not reference.children or not prediction.children:
        return TreePair(0.0, reference.length + prediction.length, not reference.children and not prediction.children)
    return compare_lists(
        reference, prediction, compare_all(reference.children, prediction.children, rules, path), rules
    )


def best_option(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> tuple[TreeNode, TreePair]:
    """The option with the best average; among equals one that equals the prediction, then the first."""
    compared = [compare(option, prediction, rules, path) for option in reference.children]
    top = max(pair.average for pair in compared) - TIE
    tied = [index for index, pair in enumerate(compared) if pair.average >= top]
    chosen = next((index for index in tied if compared[index].same), tied[0])
    return reference.children[chosen], compared[chosen]


def _dicts(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreePair:
    total, length, same = 0.0, 0, True
    for key, own in reference.keys.items():
        other = prediction.keys.get(key)
        if other is None:
            missing = versus_nothing(own)
            total, length, same = total + missing.total, length + missing.length, same and missing.same
        else:
            pair = compare(own, other, rules, (*path, str(key)))
            total, length, same = total + pair.total, length + pair.length, same and pair.same
    for key, other in prediction.keys.items():
        if key not in reference.keys:
            length, same = length + invented_length(other, rules), False
    return TreePair(total, length, same)
