"""Tell how likely a step is at a place by what other specs do there, and by the words around it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from scoring.extensions.editors.habits import HabitContext, Habits

_WEIGHT = 2.0  # as if a context had so many more uses, shared as in a more general one
_WORD_WEIGHT = 3.0
_WORDS_KEPT = 3
# The contexts by step and argument together, and by two steps: each of the two alone was met more often.
_NARROW = (4, 5)


class HabitLikelihoods:
    """The likelihoods of names at one place.

    Args:
        habits: How often names come in each context.
        context: The context of the place.
        words: The words that say what the expression is about.
    """

    def __init__(self, habits: Habits, context: HabitContext, words: Iterable[str]) -> None:
        every = habits.get("", {})
        self._least = 0.5 / max(len(every), 1)
        self._contexts = [_counted(habits.get(key, {})) for key in context.counted()]
        self._words = [_counted(counts) for word in words if (counts := habits.get(f"w {word}")) is not None]
        self._known: dict[str, tuple[float, ...]] = {}

    def of(self, name: str) -> tuple[float, ...]:
        """Return the logarithms of how likely a name is in each context, each smoothed by a more general one."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = tuple(map(math.log, self._shares(name)))
        return found

    def _shares(self, name: str) -> list[float]:
        shares: list[float] = []
        for place, (counts, total) in enumerate(self._contexts):
            more_general = shares[0] if place else self._least
            if place in _NARROW:
                more_general = max(shares[2], shares[3])
            shares.append((counts.get(name, 0) + _WEIGHT * more_general) / (total + _WEIGHT))
        return shares

    def beside_words(self, name: str) -> float:
        """Return how much likelier a name is beside the words than it is anywhere: the mean of those that say most."""
        every, total = self._contexts[0]
        if not total:
            return 0.0
        share = (every.get(name, 0) + 0.5) / (total + 0.5 * len(every))
        gains = [
            math.log((counts.get(name, 0) + _WORD_WEIGHT * share) / (many + _WORD_WEIGHT) / share)
            for counts, many in self._words
        ]
        return sum(sorted(gains, reverse=True)[:_WORDS_KEPT]) / _WORDS_KEPT


def _counted(counts: Mapping[str, int]) -> tuple[Mapping[str, int], int]:
    return counts, sum(counts.values())
