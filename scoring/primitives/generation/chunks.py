"""Tokenizers whose tokens never reach over white space: every different chunk between spaces is cut once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

# Some twenty megabytes at most; longer chunks are no words and are not kept.
_MOST, _LONGEST = 50_000, 40


class Chunks(dict[str, list[str]]):
    """The tokens of chunks, cut when they are first asked for.

    Examples:
        >>> Chunks(lambda chunk: chunk.split("-")).tokens("a-b c a-b")
        ['a', 'b', 'c', 'a', 'b']
    """

    def __init__(self, cut: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, chunk: str) -> list[str]:
        found = self._cut(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[chunk] = found
        return found

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return list(chain.from_iterable(map(self.__getitem__, text.split())))
