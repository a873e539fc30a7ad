"""Which scorer compares two leaves, by path, by type, or the general one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import product
from typing import Any, Literal, TypeAlias

from scoring.late import dataclass, np
from scoring.primitives.trees.leaf import TextLeaf
from scoring.primitives.trees.node import TreeNode, places_by
from scoring.registry import matrix
from scoring.result import Unscored

LeafScorer: TypeAlias = Callable[[Any, Any], float]
TreePath: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """How trees are compared: the leaf scorers, how lists are matched, what an invented empty key costs."""

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
        """The scorer for one pair of leaves: the first rule for its path, else for its type, else the general one."""
        if self.is_plain:
            return self.leaf
        for pattern, scorer in self.by_path.items():
            if path_fits(path, keys_of(pattern)):
                return scorer
        kind = leaf_type(prediction)
        by_type = {"number": self.numbers, "text": self.texts, "boolean": self.booleans}[kind]
        return by_type if by_type is not None and kind == leaf_type(reference) else self.leaf

    def score(self, prediction: TreeNode, reference: TreeNode, path: TreePath) -> float:
        """The score of two leaves."""
        return checked(self.scorer(prediction.value, reference.value, path)(prediction.value, reference.value))

    def scores(self, predictions: Sequence[Any], references: Sequence[Any], path: TreePath) -> Any:
        """The scores of all pairs of leaves: an array with a row for every reference."""
        if self.is_plain:
            return leaf_matrix(self.leaf, predictions, references)
        found = np.empty((len(references), len(predictions)))
        types = (places_by(map(leaf_type, side)).values() for side in (references, predictions))
        for rows, columns in product(*types):
            scorer = self.scorer(predictions[columns[0]], references[rows[0]], path)
            part = leaf_matrix(scorer, [predictions[j] for j in columns], [references[i] for i in rows])
            found[np.ix_(rows, columns)] = part
        return found


def leaf_type(value: Any) -> str:
    """The type of a leaf as rules name it.

    Examples:
        >>> [leaf_type(value) for value in ("a", True, 1, 2.5)]
        ['text', 'boolean', 'number', 'number']
    """
    if isinstance(value, str):
        return "text"
    return "boolean" if isinstance(value, bool) else "number"


def leaf_matrix(scorer: LeafScorer, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
    """The scores of all pairs as an array with a row for every reference."""
    if isinstance(scorer, TextLeaf):
        return scorer.matrix(references, predictions)  # it is symmetric
    found = np.asarray(matrix(scorer, predictions, references), dtype=float)
    if found.size and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise Unscored("a leaf scorer gave a value outside [0, 1]")
    return found.reshape(len(predictions), len(references)).T


def checked(score: Any) -> float:
    """A leaf score, refused when it is not a number from 0 to 1."""
    if not 0.0 <= score <= 1.0:
        raise Unscored(f"a leaf scorer gave {score!r}, not a score in [0, 1]")
    return float(score)


@functools.lru_cache(maxsize=1024)
def keys_of(pattern: str) -> TreePath:
    """The keys of a written path; the brackets of lists say nothing more.

    Examples:
        >>> keys_of("items[].total"), keys_of("**.date")
        (('items', 'total'), ('**', 'date'))
    """
    return tuple(pattern.replace("[]", "").split("."))


def path_fits(path: TreePath, pattern: TreePath) -> bool:
    """Whether a path is the one that is written; ``*`` stands for one key, ``**`` for any number of keys.

    Examples:
        >>> path_fits(("items", "total"), ("items", "total")), path_fits(("a", "b", "date"), ("**", "date"))
        (True, True)
    """
    places = {0}  # how many keys of the path the pattern has used up, in every way there is
    for name in pattern:
        if name == "**":
            places = set(range(min(places), len(path) + 1)) if places else places
        else:
            places = {at + 1 for at in places if at < len(path) and name in ("*", path[at])}
    return len(path) in places
