"""The combinator ``tree``, which compares nested values leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Literal, TypeAlias

import numpy as np
from msgspec import Struct

from scoring.extensions.trees.compare import (
    TIE,
    best_option,
    compare_all,
    compare_nodes,
    match_items,
    read_as_nothing,
    versus_nothing,
)
from scoring.extensions.trees.leaf import DEFAULT_LEAF, LeafScorer, Rules, TreePath, as_text_leaf, leaf_score
from scoring.extensions.trees.node import TreeNode, build_tree, is_empty, leaf_pairs, options_of
from scoring.primitives.combine.tables import groups, sum_in_order
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import Scorer, batch, bounds, explains, primitive
from scoring.registry.pairs import MOST_PAIRS, ColumnScorer, PairIndices, PairScores
from scoring.result import Outcome, Unscored
from scoring.values import Score

MAX_LEAF_PAIRS = 100_000_000
"""The limit on pairs of leaves: in the worst case all of them are compared, which takes a minute."""
_MOST_PAIRS = 100_000
"""The lower limit for `closest_reading`, which compares everything below a node again at each level on the way down."""


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
    """Compare nested values leaf by leaf: return the sum of the leaf scores divided by the number of leaves.

    None in the reference matches None or an empty string, list or dictionary. A one-of (a tuple, in JSON
    ``{"$any_of": [...]}``) counts as its best option. Lists are matched item by item, dictionaries key by key; parts
    that one side lacks or invents count with all their leaves and score 0. Parts of different types score 0 and count
    as many leaves as the larger one has.

    Args:
        leaf: Compares two leaves (strings, numbers, booleans) to which none of the following scorers applies.
        numbers: Compares two numbers.
        texts: Compares two strings.
        booleans: Compares two booleans.
        lists: Whether items are matched so that the sum of their mean scores is greatest ("optimal"), or by position
            ("ordered").
        text_list: Whether a reference that is a list of strings means alternatives ("one_of") or a list ("list") if
            the prediction is a single string.
        invented_empty: Whether an empty value under a key that the reference lacks counts as a leaf.
        paths: Scorers by the path of the leaves that they compare: `items[].total`; `*` is any single key, `**` any
            number of keys.

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
        return leaf_score(as_text_leaf(texts or leaf)(prediction, reference))  # two strings need no tree
    rules = Rules(as_text_leaf(leaf), numbers, texts, booleans, paths or {}, lists, invented_empty)
    return compare_nodes(*_read_both(prediction, reference, text_list), rules, ()).average


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
) -> ColumnScorer:
    return TreePairs(predictions, references, Rules(leaf, by_path=paths or {}, **settings), text_list)


@bounds(tree)
def _(**_: Any) -> ScoreRange:
    return UNIT  # a pair with a leaf score outside of it is unscored


TreeReading: TypeAlias = tuple[Any, list[tuple[TreePath, float]]]
"""The closest reading of a part of the reference, and the scores of all keys in it with their paths."""


class TreeResult(Struct, frozen=True):
    """The result of a comparison: the score, the closest reading of the reference, scores of keys, and the number of
    leaves.

    The closest reading has the best option in place of each one-of. A key is identified by its path; its score is the
    mean over all matched parts that contain it.
    """

    score: float
    closest: Any
    key_scores: dict[TreePath, float]
    length: int


def closest_reading(reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath) -> TreeReading:
    """Return the reading of a reference that is closest to a prediction, and the scores of the keys in it.

    A reading picks one option of each one-of of the reference; ``path`` has the keys that lead to both parts.
    """
    if reference.kind == "one_of":
        return closest_reading(best_option(reference, prediction, rules, path)[0], prediction, rules, path)
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
    matched = [closest_reading(reference.children[i], prediction.children[j], rules, path) for i, j in pairs]
    rows = {i for i, _ in pairs}
    alone = [item.value for i, item in enumerate(reference.children) if i not in rows]
    return [closest for closest, _ in matched] + alone, [score for _, keys in matched for score in keys]


def _readings(
    reference: TreeNode, prediction: TreeNode, rules: Rules, path: TreePath
) -> Iterator[tuple[Any, float, TreeReading]]:
    """Yield each key of two dictionaries with its score and the closest reading of the reference's value under it.

    The reading is None for keys that only the prediction has; those with an empty value are left out.
    """
    for key, own in reference.keys.items():
        other, below = prediction.keys.get(key), (*path, str(key))
        if other is not None:
            yield key, compare_nodes(own, other, rules, below).average, closest_reading(own, other, rules, below)
        else:
            yield key, versus_nothing(own).average, (read_as_nothing(own).value, [])
    for key, other in prediction.keys.items():
        if key not in reference.keys and not other.is_empty:
            yield key, 0.0, (None, [])


def compare_nested(
    prediction: Any, reference: Any, *, rules: Rules | None = None, text_list: Literal["one_of", "list"] = "one_of"
) -> TreeResult:
    """Compare nested values as ``tree`` does, and return also the closest reading of the reference and the key scores.

    Args:
        prediction: The predicted value.
        reference: The expected value, which may contain one-ofs.
        rules: The settings of the comparison; by default leaves are compared as text.
        text_list: Whether a reference that is a list of strings means alternatives or a list if the prediction is a
            single string.

    Examples:
        >>> rules = Rules(lambda prediction, reference: float(prediction == reference))
        >>> result = compare_nested({"a": ["y", "x"]}, {"a": ["x", "y", "z"]}, rules=rules)
        >>> result.closest, round(result.key_scores["a",], 3), result.length
        ({'a': ['y', 'x', 'z']}, 0.667, 3)
    """
    rules, sides = rules or Rules(DEFAULT_LEAF), _read_both(prediction, reference, text_list)
    pair, (closest, keys) = compare_nodes(*sides, rules, ()), closest_reading(*sides, rules, ())
    scores: dict[TreePath, list[float]] = {}
    for path, score in keys:
        scores.setdefault(path, []).append(score)
    means = {path: sum(values) / len(values) for path, values in sorted(scores.items())}
    return TreeResult(pair.average, closest, means, pair.length)


@explains(tree)
def _(
    prediction: Any, reference: Any, *, leaf: Any, text_list: Any = "one_of", paths: Any = None, **settings: Any
) -> list[dict[str, Any]]:
    if (pairs := leaf_pairs(*_read_both(prediction, reference, text_list))) > _MOST_PAIRS:
        raise Unscored(
            f"the closest reading is told of {_MOST_PAIRS:,} pairs of leaves at most, and here are {pairs:,}"
        )
    rules = Rules(as_text_leaf(leaf), by_path=paths or {}, **settings)
    found = compare_nested(prediction, reference, rules=rules, text_list=text_list)
    return [{"stage": "closest reading", "value": found.closest}] + [
        {"stage": ".".join(path), "score": score} for path, score in found.key_scores.items()
    ]


def _read_both(prediction: Any, reference: Any, text_list: str) -> tuple[TreeNode, TreeNode]:
    if text_list == "one_of" and isinstance(prediction, str) and isinstance(reference, list):
        # If the prediction is a single string, a list of strings contains the accepted answers, as in VQA data.
        reference = tuple(reference) if all(isinstance(item, str) for item in reference) else reference
    expected = build_tree(reference, is_reference=True)
    found = build_tree(prediction, is_reference=False)
    if expected.length * found.length > MAX_LEAF_PAIRS and leaf_pairs(expected, found) > MAX_LEAF_PAIRS:
        raise Unscored(f"comparing {expected.length} with {found.length} leaves is more than is allowed")
    return expected, found


# ---- batches: the leaves of all flat records are put into one column

_LEAF_TYPES = {str, int, float, bool}


class TreePairs:
    """A function that scores many pairs of nested values in one call, with the results of `tree` for each pair.

    It scores pairs of leaves (strings, numbers, booleans), of mappings whose values are leaves, and of a leaf and a
    one-of of leaves. Any other pair is listed in the result as ``alone``, for `tree` to score it singly.

    Args:
        predictions: The predicted values.
        references: The expected values.
        rules: The settings of the comparison.
        text_list: Whether a reference that is a list of strings means alternatives or a list if the prediction is a
            single string.
    """

    def __init__(self, predictions: list[Any], references: list[Any], rules: Rules, text_list: str) -> None:
        self._predictions, self._references = predictions, references
        self._rules = rules
        self._lists_options = text_list == "one_of"
        self._are_leaves = set(map(type, predictions)) <= _LEAF_TYPES >= set(map(type, references))

    def __call__(self, pairs: PairIndices) -> PairScores:
        """Return the scores of the pairs whose predictions and references have the given indices."""
        found, leaves = PairScores(np.zeros(len(pairs))), _Leaves(self._rules)
        if self._are_leaves:
            own = [self._predictions[at] for at in pairs.rows.tolist()]
            leaves.add(0, 0, own, [self._references[at] for at in pairs.columns.tolist()])
            return leaves.scores()
        for place, (row, column) in enumerate(zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True)):
            if not self._is_flat(leaves, place, self._predictions[row], self._references[column]):
                found.alone.append(place)
            elif len(leaves.own) > MOST_PAIRS:
                leaves.fill(found)
                leaves = _Leaves(self._rules)
        leaves.fill(found)
        return found

    def _is_flat(self, leaves: _Leaves, place: int, prediction: Any, reference: Any) -> bool:
        """Return whether a pair can be scored leaf by leaf, and if so, add its leaves to ``leaves``.

        ``place`` is the pair's index in the result.
        """
        if type(prediction) is dict and type(reference) is dict:
            if not (set(map(type, prediction.values())) <= _LEAF_TYPES >= set(map(type, reference.values()))):
                return False
            leaves.add_mappings(place, prediction, reference)
            return True
        if type(prediction) not in _LEAF_TYPES:
            return False
        is_leaf = type(reference) in _LEAF_TYPES
        options = (reference,) if is_leaf else self._options(prediction, reference)
        if not options or not set(map(type, options)) <= _LEAF_TYPES:
            return False
        leaves.add(place, 0, [prediction] * len(options), options)
        return True

    def _options(self, prediction: Any, reference: Any) -> Sequence[Any] | None:
        if type(reference) is not list:
            return options_of(reference)
        return reference if self._lists_options and set(map(type, [prediction, *reference])) == {str} else None


class _Leaves:
    """A collector of the leaves of several pairs, which scores all leaves at once, and from these scores the pairs."""

    def __init__(self, rules: Rules) -> None:
        self.own: list[Any] = []
        self._theirs: list[Any] = []
        self._rules = rules
        self._is_plain = rules.is_plain
        # The scorer of each leaf is recorded only if the rules have more than one.
        self._scorers: dict[int, tuple[LeafScorer, list[int]]] = {}
        self._positions: list[int] = []
        self._sizes: list[int] = []
        self._lengths: list[int] = []  # leaves that count; 0: take the best option, -1: two empty mappings

    def add(
        self,
        position: int,
        length: int,
        own: Sequence[Any],
        theirs: Sequence[Any],
        paths: Iterable[TreePath] = repeat(()),
    ) -> None:
        """Add the leaves of one pair: ``own`` of the prediction, each compared with its counterpart in ``theirs``.

        Args:
            position: The index of the pair in the result.
            length: The number of leaves that count; 0 for a one-of, -1 for two empty mappings.
            own: The leaves of the prediction.
            theirs: The leaves of the reference, in the same order.
            paths: The path of each leaf, if it matters.
        """
        if not self._is_plain:
            for at, (path, one, other) in enumerate(zip(paths, own, theirs, strict=False), len(self.own)):
                scorer = self._rules.scorer(one, other, path)
                self._scorers.setdefault(id(scorer), (scorer, []))[1].append(at)
        self.own += own
        self._theirs += theirs
        self._positions.append(position)
        self._sizes.append(len(own))
        self._lengths.append(length)

    def add_mappings(self, position: int, prediction: dict[Any, Any], reference: dict[Any, Any]) -> None:
        """Add the leaves of a pair of mappings, key by key; ``position`` is the index of the pair in the result."""
        keys, length = list(reference), len(reference)
        if prediction.keys() != reference.keys():
            keys = [key for key in keys if key in prediction]
            counts_empty = self._rules.invented_empty == "counted"
            length += sum(counts_empty or not is_empty(v) for key, v in prediction.items() if key not in reference)
        own, theirs = [prediction[key] for key in keys], [reference[key] for key in keys]
        # Two empty mappings are equal, which scores 1.
        self.add(position, length or -1, own, theirs, [(str(key),) for key in keys] if not self._is_plain else ())

    def fill(self, found: PairScores) -> None:
        """Compute the scores of the pairs and store them in ``found``."""
        scores = self.scores()
        listed = scores.values.tolist()
        for at, position, part in groups(found, self._positions, scores, np.array(self._sizes, dtype=np.int64)):
            if self._lengths[at] > 0:
                found.values[position] = sum_in_order(listed[part]) / self._lengths[at]
            else:
                found.values[position] = 1.0 if self._lengths[at] < 0 else self._best(listed, part)

    def scores(self) -> PairScores:
        """Return the scores of all pairs of leaves that were added; pairs without a valid score are failures in it."""
        scorers = [(self._rules.leaf, [])] if self._is_plain else self._scorers.values()
        scores = PairScores(np.full(len(self.own), np.nan))
        for scorer, some in scorers:
            positions = np.array(some, dtype=np.int64) if some else np.arange(len(self.own))
            own, theirs = ([side[at] for at in positions] if some else side for side in (self.own, self._theirs))
            any_scorer: Any = scorer
            scores.put(positions, any_scorer.over(own, theirs)(PairIndices.each(len(own))))
        for at in np.flatnonzero(~((scores.values >= 0.0) & (scores.values <= 1.0))).tolist():
            try:
                leaf_score(float(scores.values[at]))
            except Unscored as error:
                scores.failed.setdefault(at, Outcome.unscored(str(error)))
        return scores

    def _best(self, scores: list[float], part: slice) -> float:
        """Return the best of the scores in a slice, which belong to the options of a one-of (a set of alternatives).

        Among equally good ones it is that of an option that equals the prediction, else the first.
        """
        top = max(scores[part]) - TIE
        tied = [at for at in range(part.start, part.stop) if scores[at] >= top]
        return scores[next((at for at in tied if self._theirs[at] == self.own[at]), tied[0])]
