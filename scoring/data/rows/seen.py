"""Which ids stood before, in eight bytes each: texts would cost a hundred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_RECENT = 1 << 18
"""So many are held as they come, before they are sorted and packed."""


class SeenIds:
    """The ids of a table so far, as numbers of 64 bits, of which two are the same for one pair in 10 ** 19.

    Examples:
        >>> seen = SeenIds()
        >>> seen.repeated(["a", "b", "a"]), seen.repeated(["c", "b"])
        ([2], [1])
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._packed: list[Any] = []

    def repeated(self, ids: Sequence[str]) -> list[int]:
        """The positions of the ids that stood before, among these or earlier; all of them stand now."""
        numbers = list(map(hash, ids))
        new = set(numbers)
        again = set() if self._recent.isdisjoint(new) else self._recent & new
        if self._packed:
            again |= self._in_packed(new)
        found = self._positions(numbers, again) if again or len(new) < len(numbers) else []
        self._recent |= new
        if len(self._recent) > _RECENT:
            self._pack()
        return found

    @staticmethod
    def _positions(numbers: Sequence[int], again: set[int]) -> list[int]:
        found, here = [], set(again)
        for position, number in enumerate(numbers):
            if number in here:
                found.append(position)
            here.add(number)
        return found

    def _in_packed(self, numbers: set[int]) -> set[int]:
        import numpy as np

        wanted = np.fromiter(numbers, np.int64, len(numbers))
        wanted.sort()  # neighbours are looked for in one place
        found: set[int] = set()
        for packed in self._packed:
            at = np.searchsorted(packed, wanted)
            at[at == len(packed)] = 0
            hits = packed[at] == wanted
            if hits.any():
                found.update(wanted[hits].tolist())
        return found

    def _pack(self) -> None:
        """The recent ones as a sorted array; arrays of one size become one, so that they stay few."""
        import numpy as np

        self._packed.append(np.sort(np.fromiter(self._recent, np.int64, len(self._recent))))
        self._recent.clear()
        while len(self._packed) > 1 and len(self._packed[-2]) <= 2 * len(self._packed[-1]):
            self._packed[-2:] = [np.sort(np.concatenate(self._packed[-2:]))]
