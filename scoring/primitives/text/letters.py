"""Transforms to plain text: of single values, of case, and transliteration to ASCII."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

from scoring.registry import batch, primitive
from scoring.result import Unparsed
from scoring.values import show_type


@primitive(topics=("text",), aka=("str", "to string", "stringify"))
def to_text(value: object, /) -> str:
    """Convert a string, number or boolean to text as Python prints it, so that `1` and `1.0` differ.

    Raises:
        Unparsed: for any other value.

    Examples:
        >>> to_text("a"), to_text(1.0), to_text(True)
        ('a', '1.0', 'True')

    Source:
        As used in ANLS* (Peer et al., arXiv:2402.03848), released code: every leaf is compared as text.
    """
    if type(value) is str:
        return value
    if not isinstance(value, (str, int, float)):
        raise Unparsed(f"{show_type(value)} has no short text")
    return str(value)


@batch(to_text)
def _(values: list[Any]) -> list[str]:
    return values if set(map(type, values)) == {str} else list(map(to_text, values))


@primitive(laws=("idempotent",), topics=("text",), aka=("lowercase", "to lower", "downcase"))
def lower(text: str, /) -> str:
    """Convert the text to lower case.

    Examples:
        >>> lower("North Quay")
        'north quay'
    """
    return text.lower()


@batch(lower)
def _(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


@primitive(laws=("idempotent",), topics=("text",), aka=("uppercase",))
def upper(text: str, /) -> str:
    """Convert the text to upper case.

    Examples:
        >>> upper("mega")
        'MEGA'
    """
    return text.upper()


@primitive(laws=("idempotent",), topics=("text",), aka=("case insensitive", "ignore case"))
def casefold(text: str, /) -> str:
    """Remove differences of case from the text, in every script.

    Examples:
        >>> casefold("Straße") == casefold("STRASSE")
        True

    Source:
        Unicode Standard, section 3.13, default case folding.
    """
    return text.casefold()


@batch(casefold)
def _(texts: list[str]) -> list[str]:
    return [text.casefold() for text in texts]


# Characters that the tables lack, drop or transliterate in an outdated way: arithmetic and currency symbols, fractions
# (with a space after the number before them), kana in Hepburn romanisation, Hebrew and Cyrillic letters.
_OURS = {
    "−": "-", "∕": "/", "∖": "\\", "∗": "*", "∣": "|", "∶": ":", "∼": "~", "≤": "<=", "≥": ">=", "≦": "<=", "≧": ">=",
    "¼": " 1/4", "½": " 1/2", "¾": " 3/4", "™": "(tm)", "℠": "(sm)", "℗": "(p)", "־": "-", "・": "*", "ー": "-",
    "₱": "P", "₲": "G", "₴": "UAH", "₸": "T", "₹": "Rs", "₺": "L", "₽": "R", "₿": "BTC",
    "し": "shi", "シ": "shi", "ち": "chi", "チ": "chi", "つ": "tsu", "ツ": "tsu", "っ": "tsu", "ッ": "tsu",
    "א": "A", "ח": "H", "כ": "KH", "ך": "KH", "ק": "k", "Ъ": "'", "ъ": "'", "Є": "Ie",
}  # fmt: skip


@primitive(
    laws=("idempotent",),
    uses=("text-unidecode",),
    topics=("text",),
    aka=("unidecode", "remove accents", "strip accents", "remove diacritics", "transliterate"),
)
def to_ascii(text: str, /) -> str:
    """Convert letters of any script and typographic symbols to the closest ASCII; others are dropped.

    Examples:
        >>> to_ascii("Café № 1 – “Łódź”")
        'Cafe No 1 - "Lodz"'
        >>> to_ascii("−2½ ≤ x")
        '-2 1/2 <= x'

    Source:
        Transliteration tables of text-unidecode; compatibility forms (NFKC) where they have a gap.
    """
    return text if text.isascii() else "".join(map(_transliterate, text))


@lru_cache(maxsize=65536)
def _transliterate(character: str) -> str:
    if character < "\x80":
        return character
    found = _OURS.get(character) or _lookup(character)
    if not found:
        plain = unicodedata.normalize("NFKC", character)
        found = "".join(part if part < "\x80" else _lookup(part) for part in plain if part != character)
    return found


def _lookup(character: str) -> str:
    from text_unidecode import unidecode

    # The tables replace some unknown characters by the visible mark `[?]`; an answer should not contain it.
    found: str = unidecode(character)
    return "" if found.strip() == "[?]" else found
