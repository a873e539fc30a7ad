"""Transforms that remove, replace, normalise or split parts of a text."""

from __future__ import annotations

import string
import unicodedata
from functools import lru_cache
from typing import Literal

from scoring.registry import batch, primitive

_ASCII_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))


@primitive(laws=("idempotent",), topics=("text",), aka=("trim", "strip whitespace", "remove_whitespace"))
def strip(text: str, /, *, characters: str | None = None) -> str:
    """Remove white space, or the given characters, from both ends of the text.

    Args:
        characters: The characters to remove; white space by default.

    Examples:
        >>> strip("  a b "), strip("(a)", characters="()")
        ('a b', 'a')
    """
    return text.strip(characters)


@batch(strip)
def _(texts: list[str], *, characters: str | None = None) -> list[str]:
    return [text.strip(characters) for text in texts]


@primitive(
    laws=("idempotent",), topics=("text",), aka=("normalize whitespace", "white_space_fix", "squeeze whitespace")
)
def collapse_spaces(text: str, /) -> str:
    """Replace every run of white space in the text by a single space, and remove it at the ends.

    Examples:
        >>> collapse_spaces(" a \\n b ")
        'a b'
    """
    return " ".join(text.split())


@batch(collapse_spaces)
def _(texts: list[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts]


@primitive(laws=("idempotent",), topics=("text",), aka=("strip characters", "delete characters"))
def remove_characters(text: str, /, *, characters: str) -> str:
    """Remove all of the given characters from the text.

    Args:
        characters: The characters to remove, wherever they occur.

    Examples:
        >>> remove_characters("well-known fact", characters=" -")
        'wellknownfact'
    """
    if len(characters) > _FEW:
        return text.translate(_deletion(characters))
    for character in characters:
        if character in text:
            text = text.replace(character, "")
    return text


# Up to this many searches in C are faster than one look-up per character of the text.
_FEW = 12


@lru_cache(maxsize=64)
def _deletion(characters: str) -> dict[int, None]:
    return dict.fromkeys(map(ord, characters))


@primitive(
    laws=("idempotent",),
    topics=("text", "answers"),
    aka=("strip punctuation", "remove_punc", "ignore punctuation", "no punctuation"),
)
def remove_punctuation(text: str, /, *, of: Literal["unicode", "ascii"] = "unicode") -> str:
    """Remove punctuation marks and symbols from the text; letters, digits and spaces are kept.

    Args:
        of: Whether those of any script are removed, or only the 32 of ASCII, as most released code does.

    Examples:
        >>> remove_punctuation("No. 5, «Łódź»!"), remove_punctuation("a-b «c»", of="ascii")
        ('No 5 Łódź', 'ab «c»')

    Source:
        Unicode general categories P and S; Python's `string.punctuation`.
    """
    if of == "ascii":
        return text.translate(_ASCII_PUNCTUATION)
    return "".join(character for character in text if unicodedata.category(character)[0] not in "PS")


@primitive(revision=2, topics=("text", "lists"), aka=("tokenize", "str.split"))
def split(text: str, /, *, separator: str = ",", of_empty: Literal["no_parts", "one_part"] = "no_parts") -> list[str]:
    """Split the text at a separator; the empty text has no parts.

    Args:
        separator: The string between the parts; an empty one splits the text into characters.
        of_empty: The result for the empty text: no parts, or one empty part, as in Python's `split`.

    Examples:
        >>> split("a, b"), split("x\\ny", separator="\\n"), split("")
        (['a', ' b'], ['x', 'y'], [])
        >>> split("", of_empty="one_part")
        ['']
    """
    if not separator:
        return list(text)
    return text.split(separator) if text or of_empty == "one_part" else []
