"""Comparison of two leaves: by a scorer for their path, for their type, or by the general one.

A compiled scorer exposes its program. If that only transforms each text, measures an edit distance and applies
thresholds, the leaves are compared directly by these steps, all pairs of two sides in one call of rapidfuzz; a test
checks that the results are those of the scorer itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from msgspec import Struct, field

from scoring.extensions.trees.node import TreeNode, indexes_by
from scoring.primitives.text.edges import collapse_spaces
from scoring.primitives.text.edit import check_size, similarity_of, similarity_table
from scoring.primitives.text.letters import lower, to_text
from scoring.registry import matrix
from scoring.result import Unscored

_DISTANCES = {"levenshtein": "Levenshtein", "indel": "Indel"}
_CUT = "zero_below"


class TextLeaf:
    """A scorer of two leaves by an edit distance.

    Args:
        steps: The transforms that are applied to each leaf.
        distance: The name of the distance in rapidfuzz.
        limits: The limit of each thresholding step, and whether it is strict; a score on its wrong side becomes 0.

    Examples:
        >>> DEFAULT_LEAF("New  York", "new yorc"), DEFAULT_LEAF(1, 1.0)
        (0.875, 0.0)
    """

    def __init__(
        self, steps: tuple[Callable[[Any], Any], ...], distance: str, limits: tuple[tuple[float, bool], ...]
    ) -> None:
        self.steps, self.distance, self.limits = steps, distance, limits

    def __call__(self, prediction: Any, reference: Any, /) -> float:
        """Return the score of a pair of leaves."""
        for step in self.steps:
            prediction, reference = step(prediction), step(reference)
        return self._score(prediction, reference)

    def table(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[list[float]]:
        """Return the scores of all pairs of a few leaves, with a row for each reference; for more of them `matrix` is
        faster."""
        for step in self.steps:
            predictions, references = list(map(step, predictions)), list(map(step, references))
        return [[self._score(prediction, reference) for prediction in predictions] for reference in references]

    def _score(self, prediction: Any, reference: Any) -> float:
        check_size(prediction, reference)
        found: float = similarity_of(self.distance)(prediction, reference)
        for limit, strict in self.limits:
            if found < limit or (strict and found == limit):
                return 0.0
        return found

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
        """Return the scores of all pairs of leaves, as an array with a row for each prediction."""
        sides = [list(predictions), list(references)]
        for step in self.steps:
            sides = [list(map(step, side)) for side in sides]
        found = similarity_table(self.distance, *sides)
        for limit, strict in self.limits:
            found[found <= limit if strict else found < limit] = 0.0
        return found


def _plain_text(value: Any) -> str:
    """Return the result of ``to_text | lower | collapse_spaces`` in one call, as most leaves are compared so."""
    return " ".join(to_text(value).lower().split())


DEFAULT_LEAF = TextLeaf((_plain_text,), "Levenshtein", ((0.5, False),))
"""The default scorer of leaves: the Levenshtein similarity of their plain texts if it is at least 0.5, else 0."""


def as_text_leaf(scorer: Any) -> Any:
    """Return an equivalent `TextLeaf` if a scorer is made only of steps that it supports, else the scorer itself."""
    found = _text_leaf(scorer) if hasattr(scorer, "program") and hasattr(scorer, "dynamic") else None
    return scorer if found is None else found


@functools.lru_cache(maxsize=64)
def _text_leaf(scorer: Any) -> TextLeaf | None:
    program = scorer.program
    if program.join is None or scorer.dynamic:
        return None
    left, right = _steps(program.prediction), _steps(program.reference)
    distance = _DISTANCES.get(program.join.primitive.name)
    if left is None or left != right or distance is None or program.join.static or any(program.join.checks):
        return None
    if any(node.dynamic or node.nested or node.primitive.name != _CUT for node in program.rescorers):
        return None
    if [function for function, _ in left] == [to_text, lower, collapse_spaces]:
        left = [(_plain_text, ())]
    steps = tuple(functools.partial(function, **dict(static)) if static else function for function, static in left)
    limits = [(node.static.get("threshold", 0.0), node.static.get("strict", False)) for node in program.rescorers]
    return TextLeaf(steps, distance, tuple(limits))


def _steps(chain: Sequence[Any]) -> list[tuple[Callable[..., Any], tuple[tuple[str, Any], ...]]] | None:
    """Return the functions of a chain of transforms with their settings, or None if a step needs more than a call.

    That is the case if the step checks its input, or if its settings depend on the record or are pipelines.
    """
    if any(node.dynamic or node.nested or any(node.checks) for node in chain):
        return None
    return [(node.primitive.function, tuple(sorted(node.static.items()))) for node in chain]


LeafScorer: TypeAlias = Callable[[Any, Any], float]
TreePath: TypeAlias = tuple[str, ...]


class Rules(Struct, frozen=True):
    """The settings of a comparison: the scorers of leaves, how lists are matched, and whether an empty value counts
    under a key that only the prediction has.
    """

    leaf: LeafScorer
    numbers: LeafScorer | None = None
    texts: LeafScorer | None = None
    booleans: LeafScorer | None = None
    by_path: Mapping[str, LeafScorer] = field(default_factory=dict)
    lists: Literal["optimal", "ordered"] = "optimal"
    invented_empty: Literal["counted", "ignored"] = "counted"

    @property
    def is_plain(self) -> bool:
        """Whether one scorer compares every pair of leaves."""
        return not (self.numbers or self.texts or self.booleans or self.by_path)

    def scorer(self, prediction: Any, reference: Any, path: TreePath) -> LeafScorer:
        """Return the scorer for a pair of leaves: the first for its path, else the one for its type, else the general
        one."""
        if self.is_plain:
            return self.leaf
        for pattern, scorer in self.by_path.items():
            if path_fits(path, _keys_in_pattern(pattern)):
                return scorer
        kind = leaf_type(prediction)
        by_type = {"number": self.numbers, "text": self.texts, "boolean": self.booleans}[kind]
        return by_type if by_type is not None and kind == leaf_type(reference) else self.leaf

    def score(self, prediction: TreeNode, reference: TreeNode, path: TreePath) -> float:
        """Return the score of two leaves; ``path`` has the keys that lead to both.

        Raises:
            Unscored: when the scorer gives a value outside of 0 to 1.
        """
        return leaf_score(self.scorer(prediction.value, reference.value, path)(prediction.value, reference.value))

    def scores(self, predictions: Sequence[Any], references: Sequence[Any], path: TreePath) -> Any:
        """Return the scores of all pairs of leaves under one path, as an array with a row for each reference."""
        if self.is_plain:
            return leaf_matrix(self.leaf, predictions, references)
        found = np.empty((len(references), len(predictions)))
        types = (indexes_by(map(leaf_type, side)).values() for side in (references, predictions))
        for rows, columns in product(*types):
            scorer = self.scorer(predictions[columns[0]], references[rows[0]], path)
            part = leaf_matrix(scorer, [predictions[j] for j in columns], [references[i] for i in rows])
            found[np.ix_(rows, columns)] = part
        return found


def leaf_type(value: Any) -> str:
    """Return the name of the type of a leaf: `text`, `boolean` or `number`.

    Examples:
        >>> [leaf_type(value) for value in ("a", True, 1, 2.5)]
        ['text', 'boolean', 'number', 'number']
    """
    if isinstance(value, str):
        return "text"
    return "boolean" if isinstance(value, bool) else "number"


def leaf_matrix(scorer: LeafScorer, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
    """Return the scores that a scorer gives all pairs of leaves, as an array with a row for each reference.

    Raises:
        Unscored: when it gives a value outside of 0 to 1.
    """
    if isinstance(scorer, TextLeaf):
        return scorer.matrix(references, predictions)  # it is symmetric
    found = np.asarray(matrix(scorer, predictions, references), dtype=float)
    if found.size and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise Unscored("a leaf scorer gave a value outside [0, 1]")
    return found.reshape(len(predictions), len(references)).T


def leaf_score(score: Any) -> float:
    """Return the score that a scorer gave two leaves as a float.

    Raises:
        Unscored: when it is not a number from 0 to 1.
    """
    if not 0.0 <= score <= 1.0:
        raise Unscored(f"a leaf scorer gave {score!r}, not a score in [0, 1]")
    return float(score)


@functools.lru_cache(maxsize=1024)
def _keys_in_pattern(pattern: str) -> TreePath:
    """Return the keys of a path pattern; the brackets of lists are ignored.

    Examples:
        >>> _keys_in_pattern("items[].total"), _keys_in_pattern("**.date")
        (('items', 'total'), ('**', 'date'))
    """
    return tuple(pattern.replace("[]", "").split("."))


def path_fits(path: TreePath, pattern: TreePath) -> bool:
    """Return whether the keys that lead to a leaf match a pattern: ``*`` is any single key, ``**`` any number of keys.

    Examples:
        >>> path_fits(("items", "total"), ("items", "total")), path_fits(("a", "b", "date"), ("**", "date"))
        (True, True)
    """
    matched = {0}  # the possible numbers of keys of the path that the pattern has matched so far
    for name in pattern:
        if name == "**":
            matched = set(range(min(matched), len(path) + 1)) if matched else matched
        else:
            matched = {at + 1 for at in matched if at < len(path) and name in ("*", path[at])}
    return len(path) in matched
