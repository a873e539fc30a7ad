"""A quick way to compare all leaves of two sides, for leaf scorers that are made of known steps.

A compiled scorer shows its program. Where that only transforms each text, measures an edit distance and applies
thresholds, the whole table is one call of rapidfuzz; the results are those of the plain way, which a test states.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from scoring.late import dataclass
from scoring.primitives.answers.texts import to_text
from scoring.primitives.text.case import lower
from scoring.primitives.text.edges import collapse_spaces
from scoring.primitives.text.edit import check_size

_DISTANCES = {"levenshtein": "Levenshtein", "indel": "Indel"}


@dataclass(frozen=True, slots=True)
class TreeTable:
    """The steps of such a scorer."""

    steps: tuple[Callable[[Any], Any], ...]
    similarity: Any
    thresholds: tuple[Callable[[Any], Any], ...]

    def score(self, prediction: Any, reference: Any) -> float:
        """The score of one pair."""
        for step in self.steps:
            prediction, reference = step(prediction), step(reference)
        check_size(prediction, reference)
        found: float = self.similarity(prediction, reference)
        for threshold in self.thresholds:
            if not threshold(found):
                return 0.0
        return found

    def scores(self, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
        """The scores of all pairs: an array with a row for each reference."""
        import numpy as np
        from rapidfuzz.process import cdist

        left, right = self._prepared(references), self._prepared(predictions)
        check_size(max(left, key=len, default=""), max(right, key=len, default=""))
        found = cdist(left, right, scorer=self.similarity, dtype=np.float64)
        for threshold in self.thresholds:
            found[~threshold(found)] = 0.0
        return found

    def _prepared(self, values: Sequence[Any]) -> list[str]:
        for step in self.steps:
            values = [step(value) for value in values]
        return list(values)


def table_of(scorer: Any) -> TreeTable | None:
    """The table form of a scorer, None where it has none."""
    return _table_of(scorer) if hasattr(scorer, "program") and hasattr(scorer, "dynamic") else None


@functools.lru_cache(maxsize=64)
def _table_of(scorer: Any) -> TreeTable | None:
    program = scorer.program
    if program.join is None or scorer.dynamic:
        return None
    left, right = _steps(program.prediction), _steps(program.reference)
    thresholds = [_threshold(node) for node in program.rescorers]
    distance = _DISTANCES.get(program.join.primitive.name)
    if left is None or left != right or distance is None or program.join.static or any(program.join.checks):
        return None
    if any(threshold is None for threshold in thresholds):
        return None
    if [function for function, _ in left] == [to_text, lower, collapse_spaces]:
        left = [(_plain, ())]
    steps = tuple(functools.partial(function, **dict(static)) if static else function for function, static in left)
    import rapidfuzz.distance

    similarity = getattr(rapidfuzz.distance, distance).normalized_similarity
    return TreeTable(steps, similarity, tuple(threshold for threshold in thresholds if threshold is not None))


def _steps(chain: Sequence[Any]) -> list[tuple[Callable[..., Any], tuple[tuple[str, Any], ...]]] | None:
    """The functions of a chain of transforms, None where one checks its input or takes more than plain settings."""
    if any(node.dynamic or node.nested or any(node.checks) for node in chain):
        return None
    return [(node.primitive.function, tuple(sorted(node.static.items()))) for node in chain]


def _plain(value: Any) -> str:
    """``to_text | lower | collapse_spaces`` at once, for the many leaves that are compared as plain text."""
    return " ".join(to_text(value).lower().split())


def _threshold(node: Any) -> Callable[[Any], Any] | None:
    """What of an array a rescorer keeps, None where it does more than that."""
    if node.dynamic or node.nested:
        return None
    settings = dict(node.static)
    limit = settings.get("threshold", 0.0)
    if node.primitive.name == "cutoff":
        return lambda scores: scores >= limit
    if node.primitive.name == "above":
        return lambda scores: scores > limit
    return None
