"""Arrays of scores and codes, seen as the lists of numbers and words that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

PASSES: Final[tuple[bool | None, ...]] = (False, True, None)
"""What the codes of passes stand for: 0 fails, 1 passes, and -1, the last place, is undecided."""


class Column(Sequence[Any]):
    """An array that reads as a list: NaN as None, or each code as its word.

    Args:
        array: Floats, or codes.
        words: What each code stands for; None for floats.

    Examples:
        >>> list(scores_of([1.0, None])), list(codes_of([True, None], PASSES, "int8"))
        ([1.0, None], [True, None])
    """

    __slots__ = ("array", "words")

    def __init__(self, array: Any, words: Sequence[Any] | None = None) -> None:
        self.array = array
        self.words = words

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if self.words is None:
            return (None if value != value else value for value in self.array.tolist())
        return map(self.words.__getitem__, self.array.tolist())

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return list(Column(self.array[place], self.words))
        value = self.array[place].item()
        if self.words is None:
            return None if value != value else value
        return self.words[value]

    def at(self, places: Any) -> Column:
        """The column at some places (an int array), in that order."""
        return Column(self.array[places], self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # like a list, which it stands for

    def __repr__(self) -> str:
        return repr(list(self))


def scores_of(values: Any) -> Column:
    """Numbers as a column; None, where there is no score, is NaN in its array."""
    import numpy as np

    return values if isinstance(values, Column) else Column(np.asarray(values, dtype=np.float64))


def codes_of(values: Any, words: Sequence[Any], dtype: str) -> Column:
    """Words as a column of codes; an array is taken for the codes themselves.

    Raises:
        KeyError: when a value is none of the words.
    """
    import numpy as np

    if isinstance(values, Column):
        return values
    if isinstance(values, np.ndarray):
        return Column(values.astype(dtype, copy=False), words)
    codes = {word: place for place, word in enumerate(words)}
    if None in codes:
        codes[None] = -1
    return Column(np.fromiter(map(codes.__getitem__, values), dtype, len(values)), words)


def taken(values: Sequence[Any], places: Any) -> Any:
    """The values at some places (an int array), as an array where they are one."""
    import numpy as np

    return values[places] if isinstance(values, np.ndarray) else [values[place] for place in places.tolist()]


class Kept(Sequence[Any]):
    """Some of a sequence, those that a mask keeps; nothing is copied until somebody reads it.

    Examples:
        >>> import numpy as np
        >>> list(Kept(["a", "b", "c"], np.array([True, False, True])))
        ['a', 'c']
    """

    __slots__ = ("places", "values")

    def __init__(self, values: Sequence[Any], mask: Any) -> None:
        import numpy as np

        self.values = values
        self.places = np.flatnonzero(mask)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: Any) -> Any:
        at = self.places[place]
        return taken(self.values, at) if isinstance(place, slice) else self.values[at]
