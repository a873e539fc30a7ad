"""Find what stands around the next step: the definitions near it, the packages that are used, the size of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from scoring.extensions.editors.echoes import names_written_in

if TYPE_CHECKING:
    from scoring.extensions.editors.candidates import NextName
    from scoring.extensions.editors.situation import Situation
    from scoring.extensions.editors.uses import StepUse

SURROUNDINGS = (
    "definitions between", "share of the unused", "lately unused", "package used here",
    "role", "open parts", "steps before", "candidates", "arguments before", "definitions", "uses",
)  # fmt: skip
"""The signs, in order; the last seven are the same for all candidates, and tell trees which others count."""
_ROLES = ("scorer", "transform", "metric", "computed", "parse", "source", "aggregate")
_FAR = -99.0


class Surroundings:
    """The surroundings of one place in a text.

    Args:
        found: The situation.
        uses: The uses of steps in the rest of the text.
        candidates: How many candidates there are.
    """

    def __init__(self, found: Situation, uses: Collection[StepUse], candidates: int) -> None:
        definition = None if found.expected is None else found.expected.definition
        own = "" if definition is None else definition.name
        known = () if found.names is None else tuple(found.names.definitions)
        self._place = {name: at for at, name in enumerate(known)}
        self._mine = self._place.get(own, len(known))
        used = {use.name for use in uses} | names_written_in("" if found.place is None else found.place.before)
        unused = [name for name in known if name not in used and name != own]
        before = [name for name in unused if self._place[name] < self._mine]
        self._unused = dict.fromkeys(unused, 1 / max(len(unused), 1))
        self._lately = {name: 1 / (1 + distance) for distance, name in enumerate(reversed(before))}
        self._packages = Counter(name.partition("/")[0] for use in uses if "/" in (name := use.name))
        last = found.parts[-1] if found.parts else None
        role = "" if found.expected is None else found.expected.role
        sizes = (
            _ROLES.index(role) if role in _ROLES else -1,
            len(found.parts),
            0 if last is None else len(last.steps),
            candidates,
            0 if last is None else last.arguments,
            len(known),
            len(uses),
        )
        self._sizes = tuple(map(float, sizes))

    def signs(self, one: NextName) -> tuple[float, ...]:
        """Return what speaks for a candidate, in the order of `SURROUNDINGS`."""
        name = one.name
        package, slash, _ = name.partition("/")
        place = self._place.get(name)
        return (
            _FAR if place is None else float(self._mine - place),
            self._unused.get(name, 0.0),
            self._lately.get(name, 0.0),
            float(self._packages[package]) if slash else -1.0,
            *self._sizes,
        )
