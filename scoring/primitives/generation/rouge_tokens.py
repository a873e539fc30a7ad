"""Texts prepared for ROUGE: tokens and lines."""

from __future__ import annotations

from functools import lru_cache

from scoring.primitives.generation.porter import stem

# Every byte but a-z and 0-9 separates tokens; a character beyond ASCII becomes "?" first, so it separates too.
_SEPARATE = bytes(code if chr(code).isascii() and chr(code).isalnum() else 32 for code in range(256))
_LONGEST_CACHED = 4_000


def tokens(text: str, stemmer: bool = False) -> list[str]:
    """The tokens of ROUGE: runs of a-z and 0-9 of the lower-cased text; words of over 3 letters may be stemmed.

    Examples:
        >>> tokens("The café's DOORS, 24/7!")
        ['the', 'caf', 's', 'doors', '24', '7']
        >>> tokens("running doors", stemmer=True)
        ['run', 'door']
    """
    found = text.lower().encode("ascii", "replace").translate(_SEPARATE).decode("ascii").split()
    return [stem(token) if len(token) > 3 else token for token in found] if stemmer else found


class Prepared:
    """One text as ROUGE sees it."""

    __slots__ = ("_lines", "text", "tokens")

    def __init__(self, text: str, stemmer: bool) -> None:
        self.text = text
        self._lines: list[list[str]] | None = None
        if "\n" in text:
            self._lines = [tokens(line, stemmer) for line in text.split("\n") if line]
            self.tokens = [token for line in self._lines for token in line]
        else:
            self.tokens = tokens(text, stemmer)

    def lines(self) -> list[list[str]]:
        """The tokens of each line that is not empty."""
        if self._lines is None:
            return [self.tokens] if self.text else []
        return self._lines


_cached = lru_cache(maxsize=1024)(Prepared)


def prepare(text: str, stemmer: bool) -> Prepared:
    """The prepared text; a recent one is reused, so four ROUGE types cost one tokenisation."""
    return _cached(text, stemmer) if len(text) <= _LONGEST_CACHED else Prepared(text, stemmer)
