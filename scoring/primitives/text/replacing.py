"""Transforms that replace parts of a text, and normalise its characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import groupby
from typing import Literal

from scoring.registry import primitive
from scoring.result import Unparsed


@primitive(topics=("text",), aka=("substitute", "str.replace"))
def replace(text: str, /, *, old: str, new: str) -> str:
    """Replace every occurrence of a string in the text by another string.

    Args:
        old: The string to replace.
        new: The replacement.

    Raises:
        Unparsed: when the text would grow to more than 20 million characters.

    Examples:
        >>> replace("a;b", old=";", new=",")
        'a,b'
    """
    return replace_each(text, table={old: new}) if len(new) > len(old) > 0 else text.replace(old, new) if old else text


@primitive(topics=("text",), aka=("replace many", "substitutions", "string normalization"))
def replace_each(text: str, /, *, table: Mapping[str, str]) -> str:
    """Replace every occurrence of several strings in the text, one after another in the order of the table.

    Args:
        table: The replacement of each string, by the string; later entries also apply to the results of earlier ones.

    Raises:
        Unparsed: when the text would grow to more than 20 million characters.

    Examples:
        >>> replace_each("6 km, 7km", table={" ": "", "km": ""})
        '6,7'
    """
    for old, new in table.items():
        if old and old in text:
            grown = len(text) + text.count(old) * (len(new) - len(old))
            if grown > MOST_WRITTEN:
                raise Unparsed(f"what replaces the texts has more than {MOST_WRITTEN:,} characters")
            text = text.replace(old, new)
    return text


MOST_WRITTEN = 20_000_000
"""The limit on characters of a text that grows by replacements."""


@primitive(
    laws=("idempotent",), topics=("text",), aka=("nfc", "nfkc", "nfd", "nfkd", "unicode normalization", "unaccent")
)
def normalize_unicode(
    text: str, /, *, form: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFKC", marks: Literal["kept", "dropped"] = "kept"
) -> str:
    """Convert the text to a Unicode normalisation form.

    Args:
        form: The form; the compatibility forms (with K) also fold widths, ligatures and the like.
        marks: Whether combining marks (category Mn) are kept or dropped; dropping them in a form with D removes
            accents.

    Examples:
        >>> normalize_unicode("ﬁn ５"), normalize_unicode("Café", form="NFD", marks="dropped")
        ('fin 5', 'Cafe')

    Source:
        Unicode Standard Annex 15.
    """
    found = unicodedata.normalize(form, order_combining_marks(text))
    if marks == "kept" or found.isascii():
        return found
    return "".join(letter for letter in found if unicodedata.category(letter) != "Mn")


MANY_MARKS = 1_000
"""Shorter texts can't have enough accents on one letter to make their canonical ordering, a quadratic sort, slow."""


def order_combining_marks(text: str) -> str:
    """Return the text with runs of combining marks in canonical order, which changes none of its normalisation forms.

    Normalising a run that is not in order takes quadratic time in its length: minutes for 100,000 marks.

    Examples:
        >>> order_combining_marks("a" + "\u0301\u0327" * 500) == "a" + "\u0327" * 500 + "\u0301" * 500
        True
    """
    if len(text) < MANY_MARKS or text.isascii():
        return text
    runs = groupby(text, key=lambda character: unicodedata.combining(character) != 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if are_marks else run) for are_marks, run in runs)
