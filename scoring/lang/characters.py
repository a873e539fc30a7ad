"""Characters that look like those of the language, as inserted by word processors and input methods."""

from __future__ import annotations

import unicodedata

_SPACE = "a plain space"
_QUOTES = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'"}
_MATH = {"–": "-", "—": "-", "−": "-", "×": "*", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "∣": "|"}
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
# The full-width forms U+FF01 to U+FF5E correspond to U+0021 to U+007E; letters and digits among them may be in names.
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code).isalnum()}
_CJK = {"、": ",", "。": ".", "「": '"', "」": '"', "【": "[", "】": "]"}

#: The replacement of each character, in words.
LOOKALIKES: dict[str, str] = {
    **{odd: f"`{plain}`" for odd, plain in (_QUOTES | _MATH | _FULL_WIDTH | _CJK).items()},
    **dict.fromkeys(_SPACES, _SPACE),
    **dict.fromkeys(_INVISIBLE, "nothing"),
}


def replace_lookalikes(text: str) -> str:
    """Return a text with characters that only look like syntax, such as curly quotes, replaced by the ASCII syntax.

    Examples:
        >>> replace_lookalikes("f（“a”）")
        'f("a")'
    """
    return text.translate(_PLAIN)


def describe_character(character: str) -> str:
    """Return a description of a character: the character itself, its code point and its name.

    Examples:
        >>> describe_character("“")
        '“ (U+201C, left double quotation mark)'
    """
    name = unicodedata.name(character, "a character without a name").lower()
    shown = character if character.isprintable() and not character.isspace() else ""
    return f"{shown} (U+{ord(character):04X}, {name})".strip()


def _plain(description: str) -> str:
    return {_SPACE: " ", "nothing": ""}.get(description, description[1:-1])


_PLAIN = {ord(odd): _plain(description) for odd, description in LOOKALIKES.items()}
