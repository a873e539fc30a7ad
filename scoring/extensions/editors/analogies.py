"""Find what other entries make of their names: as `as_dicts` begins with `to_dict`, so `as_boxes` with `to_boxes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scoring.extensions.editors.habits import key_name, plain_words
from scoring.extensions.editors.place import KeyPath
from scoring.extensions.editors.uses import StepUse

ANALOGIES = ("analogies", "analogies at the same place")
"""The signs, in order: how many entries make such a name of their own."""


class Analogies:
    """The names that other entries use at such a place, without what these names share with that of the entry.

    Args:
        uses: The uses of steps in the rest of the text.
        path: The keys that lead to the place.
        steps: The steps before the place in its pipeline.
        around: The step in whose argument it stands, with the argument, `map.each`.
    """

    def __init__(self, uses: Iterable[StepUse], path: KeyPath, steps: Sequence[str], around: str) -> None:
        self._key = plain_words(key_name(path))
        before = steps[-1] if steps else ""
        self._left: dict[frozenset[str], tuple[float, float]] = {}
        for use in uses:
            key, words = plain_words(key_name(use.path)), plain_words(use.name)
            if words & key and key != self._key:
                many, here = self._left.get(words - key, (0.0, 0.0))
                is_here = (use.around, use.before) == (around, before)
                self._left[words - key] = (many + 1, here + is_here)

    def signs(self, name: str) -> tuple[float, ...]:
        """Return what speaks for a name, in the order of `ANALOGIES`."""
        words = plain_words(name)
        return self._left.get(words - self._key, _NONE) if words & self._key else _NONE


_NONE = (0.0, 0.0)
