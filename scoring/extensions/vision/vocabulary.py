"""Labels of a data set, in order of first appearance, so that parts of it can be merged in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.vision.arrays import Ints

#: Declared labels come before all labels that only occur in the data.
DECLARED = -(2**62)
#: Number of positions reserved within one datum.
WITHIN = 2**24

T = TypeVar("T", bound=Any)


class Vocabulary(Struct, frozen=True, eq=False):
    """The label names of a data set, each with a number that sorts it by its first occurrence.

    The number is datum order × 2^24 + position within the datum; declared labels come first.
    """

    names: tuple[str, ...]
    seen: Ints

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def declared(cls, names: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of a closed list of labels, in the given order; raise a ValueError if one is
        repeated.
        """
        found = tuple(names)
        if len(set(found)) != len(found):
            raise ValueError("a label is declared twice")
        return cls(found, DECLARED + np.arange(len(found), dtype=np.int64))

    def join(self, other: Vocabulary) -> tuple[Vocabulary, Ints, Ints]:
        """Return the union of two vocabularies, and for each of the two the index in the union of each of its
        labels.
        """
        place: dict[str, int] = dict(zip(self.names, self.seen.tolist(), strict=True))
        for name, seen in zip(other.names, other.seen.tolist(), strict=True):
            place[name] = min(seen, place.get(name, seen))
        ordered = sorted(place, key=lambda name: (place[name], name))
        index = {name: position for position, name in enumerate(ordered)}
        joined = Vocabulary(tuple(ordered), np.array([place[name] for name in ordered], dtype=np.int64))
        mine, theirs = (np.array([index[name] for name in side.names], dtype=np.int64) for side in (self, other))
        return joined, mine, theirs


def end_to_end(one: T, other: T, *numbered: str) -> T:
    """Return an object that has the array columns of `one` followed by those of `other`; `numbered` names the columns
    of label indices, which are adapted to the joint vocabulary.
    """
    labels, *maps = one.labels.join(other.labels)
    columns: dict[str, Any] = {"labels": labels}
    for name in one.__struct_fields__:
        parts = [getattr(part, name) for part in (one, other)]
        if name in numbered:
            parts = [map_of[part] for map_of, part in zip(maps, parts, strict=True)]
        if isinstance(parts[0], np.ndarray):
            columns[name] = np.concatenate(parts, axis=-1)
    return replace(one, **columns)


class Collector:
    """A builder of a `Vocabulary`, which gives each label an index and records where the label first occurred."""

    def __init__(self, declared: Iterable[str] | None = None) -> None:
        start = Vocabulary.declared(declared or ())
        self._index = {name: position for position, name in enumerate(start.names)}
        self._seen: list[int] = start.seen.tolist()

    def number(self, name: str, datum: int, position: int) -> int:
        """Return the index of the label `name`, which is added if it is new.

        Args:
            name: The label.
            datum: The place in the whole data set of the datum in which it occurs.
            position: Its position within the datum.
        """
        known = self._index.setdefault(name, len(self._seen))
        if known == len(self._seen):
            self._seen.append(datum * WITHIN + position)
        return known

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of all labels that were added so far, in the order of their indices."""
        return Vocabulary(tuple(self._index), np.array(self._seen, dtype=np.int64))
