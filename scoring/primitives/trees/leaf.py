"""Comparing leaves as texts, by a few known steps: one pair, or all pairs of two sides in one call of rapidfuzz.

A compiled scorer shows its program. Where that only transforms each text, measures an edit distance and applies
thresholds, it is compared this way; the results are those of the plain way, which a test states.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from scoring.primitives.answers.texts import to_text
from scoring.primitives.text.edges import collapse_spaces
from scoring.primitives.text.edit import check_size, similarity_of, similarity_table
from scoring.primitives.text.letters import lower

_DISTANCES = {"levenshtein": "Levenshtein", "indel": "Indel"}
_KEPT: dict[str, Callable[[Any, float], Any]] = {
    "cutoff": lambda scores, limit: scores >= limit,
    "above": lambda scores, limit: scores > limit,
}


class TextLeaf:
    """A scorer of two leaves.

    Args:
        steps: What is done to each leaf.
        distance: The distance's name in rapidfuzz.
        thresholds: The name and limit of each rescorer; what does not keep a score makes 0 of it.

    Examples:
        >>> DEFAULT_LEAF("New  York", "new yorc"), DEFAULT_LEAF(1, 1.0)
        (0.875, 0.0)
    """

    def __init__(
        self, steps: tuple[Callable[[Any], Any], ...], distance: str, thresholds: tuple[tuple[str, float], ...]
    ) -> None:
        self.steps, self.distance, self.thresholds = steps, distance, thresholds

    def __call__(self, prediction: Any, reference: Any, /) -> float:
        """The score of one pair."""
        for step in self.steps:
            prediction, reference = step(prediction), step(reference)
        check_size(prediction, reference)
        found: float = similarity_of(self.distance)(prediction, reference)
        for name, limit in self.thresholds:
            if not _KEPT[name](found, limit):
                return 0.0
        return found

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
        """The scores of all pairs: an array with a row for each prediction."""
        sides = [list(predictions), list(references)]
        for step in self.steps:
            sides = [list(map(step, side)) for side in sides]
        found = similarity_table(self.distance, *sides)
        for name, limit in self.thresholds:
            found[~_KEPT[name](found, limit)] = 0.0
        return found


def _plain_text(value: Any) -> str:
    """``to_text | lower | collapse_spaces`` at once, for the many leaves that are compared as plain text."""
    return " ".join(to_text(value).lower().split())


DEFAULT_LEAF = TextLeaf((_plain_text,), "Levenshtein", (("cutoff", 0.5),))
"""The leaf scorer that trees have by default: plain texts, Levenshtein similarity, at least one half."""


def as_text_leaf(scorer: Any) -> Any:
    """The same scorer by these steps, if it is made of nothing else; otherwise the scorer itself."""
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
    if any(node.dynamic or node.nested or node.primitive.name not in _KEPT for node in program.rescorers):
        return None
    if [function for function, _ in left] == [to_text, lower, collapse_spaces]:
        left = [(_plain_text, ())]
    steps = tuple(functools.partial(function, **dict(static)) if static else function for function, static in left)
    limits = [(node.primitive.name, node.static.get("threshold", 0.0)) for node in program.rescorers]
    return TextLeaf(steps, distance, tuple(limits))


def _steps(chain: Sequence[Any]) -> list[tuple[Callable[..., Any], tuple[tuple[str, Any], ...]]] | None:
    """The functions of a chain of transforms, None where one checks its input or takes more than plain settings."""
    if any(node.dynamic or node.nested or any(node.checks) for node in chain):
        return None
    return [(node.primitive.function, tuple(sorted(node.static.items()))) for node in chain]
