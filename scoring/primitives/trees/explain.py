"""The closest ground truth and the score of every key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from scoring.late import dataclass
from scoring.primitives.trees.lists import match_items
from scoring.primitives.trees.many import compare_all
from scoring.primitives.trees.node import NONE, TreeNode, is_empty
from scoring.primitives.trees.pair import TreePair, invented_length, option_for_nothing
from scoring.primitives.trees.pairs import best_option, compare
from scoring.primitives.trees.rules import Rules, TreePath

KeyScore = tuple[TreePath, float]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One part: its figures, the closest reading of the reference, and the scores of the keys below it."""

    pair: TreePair
    closest: Any
    keys: list[KeyScore] = field(default_factory=list)


def explain(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> Explanation:
    """Compare two parts, and say what the prediction was closest to."""
    if reference.kind == "one_of":
        option, _ = best_option(reference, prediction, rules, path)
        return explain(option, prediction, rules, path)
    if reference.kind == prediction.kind == "list":
        return _lists(reference, prediction, rules, path)
    if reference.kind == prediction.kind == "dict":
        return _dicts(reference, prediction, rules, path)
    closest = prediction.value if reference.kind == "none" and prediction.is_empty else reference.value
    return Explanation(compare(reference, prediction, rules, path), closest)


def _lists(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> Explanation:
    pairs: list[tuple[int, int]] = []
    if reference.children and prediction.children:
        block = compare_all(reference.children, prediction.children, rules, path)
        pairs = match_items(reference, prediction, block, rules)
    matched = [explain(reference.children[i], prediction.children[j], rules, path) for i, j in pairs]
    rows, columns = {i for i, _ in pairs}, {j for _, j in pairs}
    alone = [item for i, item in enumerate(reference.children) if i not in rows]
    invented = [item for j, item in enumerate(prediction.children) if j not in columns]
    length = sum(part.pair.length for part in matched) + sum(item.length for item in [*alone, *invented])
    same = len(reference.children) == len(prediction.children) and all(part.pair.same for part in matched)
    return Explanation(
        TreePair(sum(part.pair.total for part in matched), length, same),
        [part.closest for part in matched] + [item.value for item in alone],
        [score for part in matched for score in part.keys],
    )


def _dicts(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> Explanation:
    closest: dict[Any, Any] = {}
    keys: list[KeyScore] = []
    total, length = 0.0, 0
    for key, part in _key_parts(reference, prediction, rules, path):
        total, length = total + part.pair.total, length + part.pair.length
        if key in prediction.keys or not is_empty(part.closest):
            closest[key] = part.closest
        keys += [*part.keys, ((*path, str(key)), part.pair.average)]
    skipped = [other for key, other in prediction.keys.items() if key not in reference.keys and other.is_empty]
    length += sum(invented_length(other, rules) for other in skipped)
    return Explanation(TreePair(total, length, closest == prediction.value), closest, keys)


def _key_parts(
    reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath
) -> Iterator[tuple[Any, Explanation]]:
    for key, own in reference.keys.items():
        other = prediction.keys.get(key)
        if other is not None:
            yield key, explain(own, other, rules, (*path, str(key)))
        else:
            chosen = option_for_nothing(own) if own.kind == "one_of" else own
            pair = TreePair(float(chosen.kind == "none"), max(1, chosen.length), chosen.is_empty)
            yield key, Explanation(pair, chosen.value)
    for key, other in prediction.keys.items():
        if key not in reference.keys and not other.is_empty:
            yield key, Explanation(TreePair(0.0, max(NONE.length, other.length), False), None)
