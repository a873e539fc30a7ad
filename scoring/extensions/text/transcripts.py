"""Normalisation of what was said, for the comparison of transcripts."""

from __future__ import annotations

import functools
import re
import unicodedata
import warnings
from typing import Any

from scoring.extensions.extras import optional
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.text.replacing import order_combining_marks
from scoring.registry import primitive
from scoring.result import Unparsed

_SQUARE, _ROUND = lazy_pattern(r"[<\[][^>\]]*[>\]]"), lazy_pattern(r"\([^)]+\)")
_SPACES = lazy_pattern(r"\s+")
_LONG_SPACES = lazy_pattern(r"(\s)\s+(\s)")
_OPENING = lazy_pattern(r"[<\[(]")

# Letters that Unicode does not decompose, and the plain ones that are written for them.
_PLAIN = {
    **dict.fromkeys("œŒ", "oe"), **dict.fromkeys("æÆ", "ae"), **dict.fromkeys("ßẞ", "ss"), **dict.fromkeys("þÞ", "th"),
    **dict.fromkeys("øØ", "o"), **dict.fromkeys("đĐðÐ", "d"), **dict.fromkeys("łŁ", "l"),
}  # fmt: skip


@primitive(
    uses=("regex",),
    topics=("speech", "text"),
    aka=("whisper normalizer", "basic text normalizer", "normalize speech", "strip accents of transcripts"),
)
def normalize_transcript(text: str, /, *, remove_diacritics: bool = False, split_letters: bool = False) -> str:
    """Write a transcript in small letters without what stands in brackets, marks, symbols and punctuation.

    What stands in `<>`, `[]` or `()` is removed. Of the text in the compatibility form of Unicode (NFKC), a space
    replaces each mark, symbol and punctuation character, and white space becomes single spaces, also at the ends. In
    scripts that write vowels as marks, such as Devanagari, the vowels are lost.

    Args:
        remove_diacritics: Whether letters lose their accents (é becomes e), and letters such as œ, ß, ø and ł are
            written as oe, ss, o and l.
        split_letters: Whether a space separates all graphemes, for languages that are written without spaces.

    Examples:
        >>> normalize_transcript("[Music] Well, it's 5€ (laughs) at the Café!")
        ' well it s 5 at the café '
        >>> (
        ...     normalize_transcript("Café Straße", remove_diacritics=True),
        ...     normalize_transcript("日本", split_letters=True),
        ... )
        ('cafe strasse', '日 本')

    Source:
        Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022, appendix C, and its
        BasicTextNormalizer.
    """
    text = _without(_ROUND, ")", _without(_SQUARE, ">]", text.lower()))
    form = unicodedata.normalize("NFKD" if remove_diacritics else "NFKC", order_combining_marks(text))
    text = "".join(_written(one, remove_diacritics) for one in form).lower()
    if split_letters:
        import regex

        text = " ".join(regex.findall(r"\X", text))
    return _SPACES.sub(" ", text)


def _without(bracketed: re.Pattern[str], closing: str, text: str) -> str:
    """Remove what stands in brackets. Behind the last closing one nothing is looked for, since each opening bracket
    there would be followed to the end of the text."""
    end = 1 + max(map(text.rfind, closing))
    return bracketed.sub("", text[:end]) + text[end:]


def _written(character: str, remove_diacritics: bool) -> str:
    """Return what stands for a character of a normalised text."""
    if remove_diacritics and character in _PLAIN:
        return _PLAIN[character]
    category = unicodedata.category(character)
    if remove_diacritics and category == "Mn":
        return ""
    return " " if category[0] in "MSP" else character


@primitive(
    uses=("whisper-normalizer",),
    topics=("speech", "text"),
    aka=("whisper english normalizer", "english text normalizer", "spelled numbers"),
)
def normalize_english_transcript(text: str, /) -> str:
    """Write an English transcript as one of many ways to write what was said: numbers in digits, American spelling.

    Beyond what `normalize_transcript` does, hesitations (um, hmm) are removed, contractions and titles are written out
    (won't: will not, Mr: mister), numbers, currencies and per cents become figures (twenty dollars: $20), and British
    words are spelt as American ones. It is computed by the package `whisper-normalizer`, which has Whisper's own code
    and table of spellings.

    Raises:
        Unparsed: when Whisper's code fails, as it does for a number of more than 4,300 digits.
        Unscored: when the extra `speech` is not installed.

    Examples:
        >>> from scoring.result import Unscored
        >>> try:
        ...     normalize_english_transcript("Um, I'd say Mr. Smith's colour costs twenty-five dollars!")
        ... except Unscored:  # without the extra
        ...     "i would say mister smith is color costs $25"
        'i would say mister smith is color costs $25'

    Source:
        Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022, appendix C, and its
        EnglishTextNormalizer.
    """
    normalizer = _english_normalizer()
    text = _without(_ROUND, ")", _without(_SQUARE, ">]", text.lower()))
    # What follows changes no result. The code tries each opening bracket up to the end, and each white space before an
    # apostrophe up to the end of the run, which is work with the square of their number; normal forms likewise.
    text = re.sub(normalizer.ignore_patterns, "", _OPENING.sub("|", text))
    text = order_combining_marks(_LONG_SPACES.sub(r"\1\2", text))
    try:
        return str(normalizer(text))
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
        reason = "Whisper's normaliser fails at this text, as it does at a number of more than 4,300 digits"
        raise Unparsed(reason) from None


@functools.cache
def _english_normalizer() -> Any:
    """Return Whisper's normaliser of English; its table of spellings is read once."""
    purpose = "Whisper's normaliser of English"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an escape in its source, where it is compiled now
        return optional("whisper_normalizer.english", extra="speech", purpose=purpose).EnglishTextNormalizer()
