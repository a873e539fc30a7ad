"""Labels of a data set, in order of first appearance, so that parts of it can be joined in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scoring.vision.arrays import Ints

#: Declared labels stand before all that are only met in the data.
DECLARED = -(2**62)
#: Room for positions inside one datum.
WITHIN = 2**24


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Label names with the place each was first met (datum order × 2^24 + position; declared ones come first)."""

    names: tuple[str, ...]
    seen: Ints

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def declared(cls, names: Iterable[str]) -> Vocabulary:
        """A closed list of labels, in the order given."""
        found = tuple(names)
        if len(set(found)) != len(found):
            raise ValueError("a label is declared twice")
        return cls(found, DECLARED + np.arange(len(found), dtype=np.int64))

    def join(self, other: Vocabulary) -> tuple[Vocabulary, Ints, Ints]:
        """The union, and where the labels of both sides stand in it."""
        place: dict[str, int] = dict(zip(self.names, self.seen.tolist(), strict=True))
        for name, seen in zip(other.names, other.seen.tolist(), strict=True):
            place[name] = min(seen, place.get(name, seen))
        ordered = sorted(place, key=lambda name: (place[name], name))
        index = {name: position for position, name in enumerate(ordered)}
        joined = Vocabulary(tuple(ordered), np.array([place[name] for name in ordered], dtype=np.int64))
        return joined, _positions(self.names, index), _positions(other.names, index)


def _positions(names: tuple[str, ...], index: dict[str, int]) -> Ints:
    return np.array([index[name] for name in names], dtype=np.int64)


class Collector:
    """Gives each label a number while a data set is read, and remembers where it was first met."""

    def __init__(self, declared: Iterable[str] | None = None) -> None:
        start = Vocabulary.declared(declared or ())
        self._index = {name: position for position, name in enumerate(start.names)}
        self._seen: list[int] = start.seen.tolist()

    def number(self, name: str, datum: int, position: int) -> int:
        """The number of a label met in a datum at a position.

        Args:
            name: The label.
            datum: Place of the datum in the whole data set.
            position: Place of the mention within the datum.
        """
        known = self._index.get(name)
        if known is not None:
            return known
        self._index[name] = len(self._seen)
        self._seen.append(datum * WITHIN + position)
        return len(self._seen) - 1

    def vocabulary(self) -> Vocabulary:
        """All labels met so far, in numbering order."""
        return Vocabulary(tuple(self._index), np.array(self._seen, dtype=np.int64))
