"""Find what the rest of a text says of the next step: how it goes on elsewhere after the same steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from scoring.extensions.editors.habits import START
from scoring.extensions.editors.uses import StepUse
from scoring.lazy_pattern import lazy_pattern

ECHOES = (
    "goes on so elsewhere", "goes on so in the same argument", "went on so lately", "first unused definition",
)  # fmt: skip
"""The signs, in order."""
_NAMES = lazy_pattern(r"[\w./]+")
_MOST_ALIKE = 4
_LATELY = 6


class Echoes:
    """The echoes of one place in a text.

    Args:
        uses: The uses of steps in the rest of the text.
        steps: The steps before the place in its pipeline.
        around: The step in whose argument it stands, with the argument, `map.each`.
        start: The offset in the file at which the expression begins.
        before: The text of the expression before the place.
        definitions: The names that the text defines, in order.
    """

    def __init__(
        self,
        uses: Iterable[StepUse],
        steps: Sequence[str],
        around: str,
        start: int,
        before: str,
        definitions: Iterable[str],
    ) -> None:
        self._alike: dict[str, float] = {}
        self._around: dict[str, float] = {}
        self._lately: dict[str, float] = {}
        chains = _chains(uses)
        context = [START, *steps]
        for chain in chains:
            names = [START, *(use.name for use in chain)]
            for at in range(1, len(names)):
                alike = _alike(names, at, context)
                found = min(alike, _MOST_ALIKE) + 1.5 * (alike == len(context) == at)
                self._alike[names[at]] = max(found, self._alike.get(names[at], 0.0))
                if chain[at - 1].around == around:
                    self._around[names[at]] = max(found + 1, self._around.get(names[at], 0.0))
        earlier = [chain for chain in chains if chain[0].start < start]
        for distance, chain in enumerate(reversed(earlier[-_LATELY:])):
            names = [START, *(use.name for use in chain)]
            for last, name in itertools.pairwise(names):
                if last == context[-1]:
                    self._lately.setdefault(name, 1 / (1 + distance))
        used = {use.name for chain in chains for use in chain} | names_written_in(before)
        self._unused = next((name for name in definitions if name not in used), "")

    def signs(self, name: str) -> tuple[float, ...]:
        """Return what speaks for a name, in the order of `ECHOES`."""
        return (
            self._alike.get(name, 0.0),
            self._around.get(name, 0.0),
            self._lately.get(name, 0.0),
            float(bool(name) and name == self._unused),
        )


def names_written_in(text: str) -> set[str]:
    """Return the names in the text of an expression, which may be half written."""
    return {*_NAMES.findall(text)}


def _chains(uses: Iterable[StepUse]) -> list[list[StepUse]]:
    """Return uses that follow one another in an expression, each chain from the first step of a pipeline on."""
    chains: list[list[StepUse]] = []
    for use in uses:
        if use.index == 0 or not chains or use.start != chains[-1][-1].start:
            chains.append([])
        chains[-1].append(use)
    return chains


def _alike(names: Sequence[str], at: int, context: Sequence[str]) -> int:
    """Return how many steps before one are those before the place, from the last on."""
    most = min(at, len(context), _MOST_ALIKE + 1)
    return next((count for count in range(most) if names[at - 1 - count] != context[-1 - count]), most)
