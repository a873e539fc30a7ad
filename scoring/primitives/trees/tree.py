"""The combinator ``tree``: compare nested values, leaf by leaf."""

from __future__ import annotations

from typing import Any, Literal

from scoring.primitives.trees.columns import TreePairs
from scoring.primitives.trees.compare import compare
from scoring.primitives.trees.explain import TreeResult, explain, key_tree
from scoring.primitives.trees.leaf import DEFAULT_LEAF, Rules, as_text_leaf, checked
from scoring.primitives.trees.node import TreeNode, leaf_pairs, read
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
