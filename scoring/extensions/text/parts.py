"""Transforms of texts: a part by its positions, some characters or words, a number with fixed decimals."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Literal

from scoring.ranges import GREATEST
from scoring.registry import Between, checks, primitive
from scoring.registry.annotations import SettingFault
from scoring.result import Unparsed, Unscored
from scoring.values import show_value

MOST_WORDS_WRITTEN = 20_000_000
"""The limit on characters of a text that `map_words` makes, or twice the length of the input if greater."""
_OF_CLASSES = {"L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "S": "mcko", "Z": "slp", "C": "cfson"}
_CATEGORIES = frozenset(name + last for name, categories in _OF_CLASSES.items() for last in ("", *categories))


@primitive(topics=("text",), aka=("text slice", "first characters", "last characters", "truncate"))
def substring(text: str, /, *, start: int | None = None, stop: int | None = None) -> str:
    """Return the characters of a text from one position up to, but not including, another.

    Characters are code points. Positions beyond an end of the text mean that end.

    Args:
        start: The first position, counted from 0, or from the end if negative; by default that of the first character.
        stop: The position after the last character, counted likewise; by default the end of the text.

    Examples:
        >>> substring("answer", stop=3), substring("answer", start=-2), substring("a", start=5)
        ('ans', 'er', '')

    Source:
        Python language reference, 6.3.3, slicings.
    """
    return text[start:stop]


@primitive(laws=("idempotent",), topics=("text",), aka=("unicode category", "remove control characters"))
def remove_categories(text: str, /, *, categories: list[str]) -> str:
    """Remove the characters of some Unicode general categories from the text.

    Args:
        categories: Categories, such as ``["P", "Sc"]``: one letter for a whole class (punctuation), two for one
            category (currency signs).

    Examples:
        >>> remove_categories("No. 5: 3€", categories=["P", "Sc"])
        'No 5 3'

    Source:
        The Unicode Standard, section 4.5, General Category.
    """
    removed = frozenset(categories)
    return "".join(one for one in text if not removed.intersection((name := unicodedata.category(one), name[0])))


@checks(remove_categories)
def _(*, categories: list[str] | None) -> SettingFault | None:
    unknown = next((one for one in categories or () if one not in _CATEGORIES), None)
    if unknown is None:
        return None
    known = "classes are L, M, N, P, S, Z and C; categories such as Lu, Mn, Nd, Po, Sc, Zs"
    return SettingFault("categories", f"`{unknown}` is no general category of Unicode", help=known)


@primitive(topics=("text", "numbers"), aka=("number format", "fixed decimals", "thousands separator", "to fixed"))
def format_number(
    value: float, /, *, decimals: Annotated[int, Between(0, 15)] = 0, thousands: Literal["", ",", "_", " "] = ""
) -> str:
    """Return a number as a text with a fixed number of decimals.

    The number as it is stored, a float of 64 bits, is rounded, a half to the even digit: 0.125 has the two decimals
    0.12, and 1.005, which is stored as a number a little below, has 1.00.

    Args:
        decimals: The number of digits after the point, from 0 to 15.
        thousands: The separator between groups of three digits before the point.

    Raises:
        Unparsed: when the number is infinite, or further from 0 than 1e70.

    Examples:
        >>> (
        ...     format_number(1234.5, decimals=2, thousands=","),
        ...     format_number(0.125, decimals=2),
        ...     format_number(1.005, decimals=2),
        ... )
        ('1,234.50', '0.12', '1.00')

    Source:
        Python library reference, format specification mini-language, presentation type f.
    """
    if not abs(value) <= GREATEST:
        raise Unparsed(f"{show_value(value)} is too large to be written out")
    grouping = "," if thousands == " " else thousands
    written = format(value, f"{grouping}.{decimals}f")
    return written.replace(",", " ") if thousands == " " else written


@primitive(laws=("idempotent",), topics=("text",), aka=("rstrip", "trim end"))
def strip_end(text: str, /, *, characters: str | None = None) -> str:
    """Remove white space, or the given characters, from the end of the text.

    Args:
        characters: The characters to remove; white space by default.

    Examples:
        >>> strip_end("Qh5+!", characters="+!")
        'Qh5'
    """
    return text.rstrip(characters)


@primitive(topics=("text", "lists"), aka=("word mapping", "replace words", "contractions", "number words"))
def map_words(text: str, /, *, table: Mapping[str, str]) -> str:
    """Replace words of the text by a table; words are separated by white space, which becomes single spaces.

    Args:
        table: The replacement of each word, by the word; case matters.

    Raises:
        Unscored: when the result would have more than 20 million characters.

    Examples:
        >>> map_words("i dont see  two", table={"dont": "don't", "two": "2"})
        "i don't see 2"
    """
    found = [table.get(word, word) for word in text.split()]
    if (written := sum(map(len, found)) + len(found)) > max(MOST_WORDS_WRITTEN, 2 * len(text)):
        raise Unscored(
            f"the words of the table make a text of {written:,} characters, and {MOST_WORDS_WRITTEN:,} are the most"
        )
    return " ".join(found)
