"""Find what a candidate returns: the type of its result, and the step that a definition begins with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.habits import habit_name

if TYPE_CHECKING:
    from scoring.extensions.editors.candidates import NextName
    from scoring.extensions.editors.likelihoods import HabitLikelihoods
    from scoring.extensions.editors.situation import Situation

RETURNS = (
    "kind of the result", "candidates of that result", "kind of what flows", "habit of its first step",
    "first step used here",
)  # fmt: skip
"""The signs, in order."""
_KINDS = {
    "Score": 1.0, "Figure": 1.0, "Number": 2.0, "Bool": 2.0, "Text": 3.0, "List": 4.0, "Set": 5.0, "Dict": 6.0,
    "Any": 7.0, "": 0.0,
}  # fmt: skip
_OTHER = 8.0
_BOTH = 4  # the likelihood by the step before and the argument around, together


class Returning:
    """The results of all candidates of a place.

    Args:
        found: The situation.
        candidates: The candidates.
        likelihoods: How likely steps are at the place.
        used: How often each step is used in the text.
    """

    def __init__(
        self, found: Situation, candidates: Sequence[NextName], likelihoods: HabitLikelihoods, used: Counter[object]
    ) -> None:
        self._found, self._likelihoods, self._used = found, likelihoods, used
        self._counts = Counter(map(_kind, candidates))
        self._flowing = _number_of("" if found.stream is None else str(found.stream.type))

    def signs(self, one: NextName) -> tuple[float, ...]:
        """Return what speaks for a candidate, in the order of `RETURNS`."""
        kind = _kind(one)
        first = self._first_of(one)
        return (
            kind,
            math.log(self._counts[kind]),
            self._flowing,
            self._likelihoods.of(habit_name(first))[_BOTH] if first else 0.0,
            math.log1p(self._used[first]) if first else 0.0,
        )

    def _first_of(self, one: NextName) -> str:
        """Return the name of the first step of a definition."""
        names = self._found.names
        found = None if one.kind != "definition" or names is None else names.definition(one.name)
        tree = None if found is None else step_tree(found[0].expression)
        return "" if tree is None or not tree.steps else tree.steps[0].name


def _kind(one: NextName) -> float:
    return _number_of(one.gives)


@lru_cache(maxsize=1000)
def _number_of(kind: str) -> float:
    """Return the number of a type as trees read it, of a union that of its first type."""
    return _KINDS.get(kind.partition("[")[0].partition("|")[0].strip(), _OTHER)
