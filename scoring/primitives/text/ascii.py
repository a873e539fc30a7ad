"""Text reduced to ASCII, by transliteration."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from scoring.registry import primitive


@primitive(laws=("idempotent",))
def to_ascii(text: str, /) -> str:
    """Letters of any script and typographic signs as the closest ASCII; what has no equivalent is dropped.

    Examples:
        >>> to_ascii("Café № 1 – “Łódź”")
        'Cafe No 1 - "Lodz"'

    Source:
        Transliteration tables of text-unidecode; compatibility forms (NFKC) where they have a gap.
    """
    return text if text.isascii() else "".join(map(_transliterate, text))


@lru_cache(maxsize=65536)
def _transliterate(character: str) -> str:
    if character < "\x80":
        return character
    found = _lookup(character)
    if not found:
        plain = unicodedata.normalize("NFKC", character)
        found = "".join(part if part < "\x80" else _lookup(part) for part in plain if part != character)
    return found


def _lookup(character: str) -> str:
    from text_unidecode import unidecode

    # The tables mark what they don't know with a visible sign; an answer should not contain it.
    found: str = unidecode(character)
    return "" if found == "[?]" else found
