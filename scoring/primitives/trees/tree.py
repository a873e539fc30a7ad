"""The combinator ``tree``: compare nested values, leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, Literal, TypeAlias

from scoring.late import dataclass
from scoring.primitives.trees.columns import TreePairs
from scoring.primitives.trees.compare import (
    best_option,
    compare,
    compare_all,
    match_items,
    read_as_nothing,
    versus_nothing,
)
from scoring.primitives.trees.leaf import DEFAULT_LEAF, Rules, TreePath, as_text_leaf, checked
from scoring.primitives.trees.node import TreeNode, is_empty, leaf_pairs, read
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import Scorer, batch, bounds, primitive
from scoring.registry.pairs import PairsAsked
from scoring.result import Unscored
from scoring.values import Score

MAX_LEAF_PAIRS = 100_000_000
"""More leaves are refused: in the worst case every one is compared with every other, which takes a minute."""


@primitive(
    uses=("numpy", "rapidfuzz", "scipy"),
    topics=("extraction", "mappings"),
    aka=("nested comparison", "json diff", "structured comparison"),
)
def tree(
    prediction: Any,
    reference: Any,
    /,
    *,
    leaf: Scorer[Any],
    numbers: Scorer[Any] | None = None,
    texts: Scorer[Any] | None = None,
    booleans: Scorer[Any] | None = None,
    lists: Literal["optimal", "ordered"] = "optimal",
    text_list: Literal["one_of", "list"] = "one_of",
    invented_empty: Literal["counted", "ignored"] = "counted",
    paths: dict[str, Scorer[Any]] | None = None,
) -> Score:
    """Compare nested values leaf by leaf: the sum of the leaf scores, divided by the number of leaves.

    None accepts None, an empty text, list or dictionary. A one-of (a tuple, in JSON ``{"$any_of": [...]}``) takes
    its best option. Lists are matched item by item, dictionaries key by key; what one side lacks or invents counts
    its leaves with score 0. Parts of different types score 0 and count the leaves of the larger one.

    Args:
        leaf: Compares two leaves (texts, numbers, booleans) where no rule below applies.
        numbers: Compares two numbers.
        texts: Compares two texts.
        booleans: Compares two booleans.
        lists: Match items so that the mean scores are best in all ("optimal"), or by position ("ordered").
        text_list: What a reference that is a list of texts means for a prediction that is one text.
        invented_empty: Whether an empty value under a key that the reference lacks counts as a leaf.
        paths: Compares the leaves at a path: `items[].total`; `*` stands for one key, `**` for any number of keys.

    Examples:
        >>> same = lambda prediction, reference: float(prediction == reference)
        >>> tree({"a": "x", "b": ["p", "q"]}, {"a": "x", "b": ["q", "r"]}, leaf=same)
        0.6666666666666666
        >>> close = lambda prediction, reference: float(abs(prediction - reference) < 0.1)
        >>> tree({"n": 1.01, "t": "x"}, {"n": 1, "t": "x"}, leaf=same, paths={"n": close})
        1.0

    Source:
        Peer, Schöpf, Nebendahl, Rietzler, Stabinger: ANLS* - A Universal Document Processing Metric for Generative
        Large Language Models, arXiv:2402.03848; where its formula and the released code differ, the code.
    """
    if isinstance(prediction, str) and isinstance(reference, str) and not paths:
        return checked(as_text_leaf(texts or leaf)(prediction, reference))  # two texts need no tree
    rules = Rules(as_text_leaf(leaf), numbers, texts, booleans, paths or {}, lists, invented_empty)
    return compare(*_read_both(prediction, reference, text_list), rules, ()).average


@batch(tree)
def _(
    predictions: list[Any],
    references: list[Any],
    /,
    *,
    leaf: Any,
    text_list: str = "one_of",
    paths: Any = None,
    **settings: Any,
) -> PairsAsked:
    return TreePairs(predictions, references, Rules(leaf, by_path=paths or {}, **settings), text_list)


@bounds(tree)
def _(**_: Any) -> ScoreRange:
    return UNIT  # a leaf's score from beyond it leaves the pair unscored


TreeReading: TypeAlias = tuple[Any, list[tuple[TreePath, float]]]
"""The closest reading of a part of the reference, and the scores of the keys below it."""


@dataclass(slots=True)
class KeyNode:
    """The mean score of one key over the matched parts that hold it, and the keys below it."""

    score: float | None = None
    children: dict[str, KeyNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The score, the closest reading of the reference, the scores of the keys, and the number of leaves."""

    score: float
    closest: Any
    key_scores: dict[str, KeyNode]
    length: int


def key_tree(scores: Iterable[tuple[TreePath, float]]) -> dict[str, KeyNode]:
    """The mean score of every key, nested as the keys are.

    Examples:
        >>> key_tree([(("a", "b"), 1.0), (("a", "b"), 0.5), (("a",), 0.75)])["a"]
        KeyNode(score=0.75, children={'b': KeyNode(score=0.75, children={})})
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
        return _reading_of_lists(reference, prediction, rules, path)
    if reference.kind == prediction.kind == "dict":
        closest, keys = {}, []
        for key, score, (reading, below) in _readings(reference, prediction, rules, path):
            if key in prediction.keys or not is_empty(reading):
                closest[key] = reading
            keys += [*below, ((*path, str(key)), score)]
        return closest, keys
    return prediction.value if reference.kind == "none" and prediction.is_empty else reference.value, []


def _reading_of_lists(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreeReading:
    pairs: list[tuple[int, int]] = []
    if reference.children and prediction.children:
        block = compare_all(reference.children, prediction.children, rules, path)
        pairs = match_items(reference, prediction, block, rules)
    matched = [explain(reference.children[i], prediction.children[j], rules, path) for i, j in pairs]
    rows = {i for i, _ in pairs}
    alone = [item.value for i, item in enumerate(reference.children) if i not in rows]
    return [closest for closest, _ in matched] + alone, [score for _, keys in matched for score in keys]


def _readings(
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


def evaluate(
    prediction: Any, reference: Any, *, rules: Rules | None = None, text_list: Literal["one_of", "list"] = "one_of"
) -> TreeResult:
    """Compare nested values as ``tree`` does, and tell the closest reading of the reference and the key scores.

    Args:
        prediction: The predicted value.
        reference: The expected one, which may hold one-ofs.
        rules: How leaves and lists are compared; where none are given, leaves as text.
        text_list: What a reference that is a list of texts means for a prediction that is one text.

    Examples:
        >>> rules = Rules(lambda prediction, reference: float(prediction == reference))
        >>> result = evaluate({"a": ["y", "x"]}, {"a": ["x", "y", "z"]}, rules=rules)
        >>> result.closest, round(result.key_scores["a"].score, 3), result.length
        ({'a': ['y', 'x', 'z']}, 0.667, 3)
    """
    rules, sides = rules or Rules(DEFAULT_LEAF), _read_both(prediction, reference, text_list)
    pair, (closest, keys) = compare(*sides, rules, ()), explain(*sides, rules, ())
    return TreeResult(pair.average, closest, key_tree(keys), pair.length)


def _read_both(prediction: Any, reference: Any, text_list: str) -> tuple[TreeNode, TreeNode]:
    if text_list == "one_of" and isinstance(prediction, str) and isinstance(reference, list):
        # A list of texts lists the accepted answers when the prediction is one text, as in VQA data.
        reference = tuple(reference) if all(isinstance(item, str) for item in reference) else reference
    expected = read(reference, is_reference=True)
    found = read(prediction, is_reference=False)
    if expected.length * found.length > MAX_LEAF_PAIRS and leaf_pairs(expected, found) > MAX_LEAF_PAIRS:
        raise Unscored(f"comparing {expected.length} with {found.length} leaves is more than is allowed")
    return expected, found
