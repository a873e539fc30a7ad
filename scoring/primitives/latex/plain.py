"""Take the dress off a number or a formula: delimiters, spacing commands, typographic characters."""

from __future__ import annotations

import re
import unicodedata

from scoring.primitives.text.edges import in_order

_DELIMITERS = re.compile(r"\\[()\[\]]|\$+")
_FENCE = re.compile(r"^\s*```\w*\n?|```\s*$")
_SPACING = re.compile(r"(?<!\\)\\(?:[,;:!> ]|quad(?![a-z])|qquad(?![a-z])|displaystyle(?![a-z]))|~")
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\.?")
_CHARACTERS = str.maketrans({
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "∙": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/",
    "∞": "\\infty ", "√": "\\sqrt ", "≈": "\\approx ", "≤": "\\leq ", "≥": "\\geq ", "∪": "\\cup ",
    "∩": "\\cap ", "’": "'", "“": '"', "”": '"',
})  # fmt: skip
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_TO_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def undressed(text: str) -> str:
    """The bare formula: math delimiters, code fences, emphasis and spacing commands gone, ASCII where there is one.

    Examples:
        >>> undressed("$\\\\left( x² \\\\right)$"), undressed("**−3 × 4**")
        ('( x^{2} )', '-3 * 4')
    """
    bare = _FENCE.sub("", text.strip()).strip().strip("`")
    if bare.startswith("**") and bare.endswith("**"):
        bare = bare[2:-2]
    bare = overlined(bare)
    bare = _SUPERSCRIPT.sub(lambda found: "^{" + found[0].translate(_TO_DIGITS) + "}", bare)
    bare = unicodedata.normalize("NFKC", in_order(bare.translate(_CHARACTERS))).translate(_CHARACTERS)
    bare = "".join(GREEK[letter] + " " if letter in GREEK else letter for letter in bare.replace("\\$", "$"))
    for pattern in (_DELIMITERS, _SIZES):
        bare = pattern.sub("", bare)
    return _SPACING.sub(" ", bare).strip()


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
