"""Transforms that remove, replace, normalise or split parts of a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from scoring.registry import batch, primitive
from scoring.result import Unparsed


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
def remove_punctuation(text: str, /) -> str:
    """Remove punctuation marks and symbols of any script from the text; letters, digits and spaces are kept.

    Examples:
        >>> remove_punctuation("No. 5, «Łódź»!")
        'No 5 Łódź'

    Source:
        Unicode general categories P and S.
    """
    return "".join(character for character in text if unicodedata.category(character)[0] not in "PS")


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


@primitive(laws=("idempotent",), topics=("text", "answers"), aka=("remove articles", "strip articles"))
def drop_articles(text: str, /, *, articles: list[str] | None = None) -> str:
    """Remove articles from the text, ignoring their case.

    Args:
        articles: The words to remove; the English `a`, `an` and `the` by default.

    Examples:
        >>> drop_articles("The cat and a dog"), drop_articles("das Haus", articles=["Das"])
        ('cat and dog', 'Haus')
    """
    dropped = _ARTICLES if articles is None else [one.lower() for one in articles]
    padded = f" {text.lower()} "
    for article in dropped:
        if f" {article} " in padded:
            break
    else:
        return text  # most texts have none
    return " ".join([word for word in text.split(" ") if word.lower() not in dropped])


_ARTICLES = ["a", "an", "the"]


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


@batch(split)
def _(texts: list[str], **settings: Any) -> list[list[str]]:
    return [split(text, **settings) for text in texts]
