"""Greek letters and macrons as LaTeX commands."""

from __future__ import annotations

import re
import unicodedata

_MACRON = re.compile(r"([^\W\d_])\u0304")


def _command(letter: str) -> str:
    word = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
    return "\\" + (word.lower() if letter.islower() else word.capitalize())


GREEK = {letter: _command(letter) for letter in "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"}


def _macron_apart(character: str) -> str:
    """A letter with a macron as the letter and the combining macron; any other character as it is."""
    apart = unicodedata.normalize("NFD", character)
    return apart if apart[1:] == "\u0304" else character


def overlined(text: str) -> str:
    r"""The text with letters under a macron written as commands.

    Examples:
        >>> overlined("ȳ + 1")
        '\\overline{y} + 1'
    """
    return _MACRON.sub(r"\\overline{\1}", "".join(map(_macron_apart, text)))
