"""Text from models and files, made safe for a terminal: no control characters, no invisible direction marks."""

from __future__ import annotations

import re

from scoring.diagnostics.width import width as display_width

# C0 and C1 controls, lone surrogates, and the marks that reorder text on screen.
_HOSTILE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_NAMES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def visible(text: str) -> str:
    """The text on one line, with what a terminal would obey written as escapes.

    Examples:
        >>> visible("a\\x1b[31mb\\nc")
        'a\\\\x1b[31mb\\\\nc'
    """
    return _HOSTILE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _NAMES:
        return _NAMES[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def shorten(text: str, columns: int) -> str:
    """The text cut to a display width, with an ellipsis where something is missing.

    Examples:
        >>> shorten("abcdef", 4)
        'abc…'
    """
    # A megabyte of response must not be measured character by character.
    clipped = text if len(text) <= columns * 2 else text[: columns * 2]
    if display_width(clipped) <= columns and len(clipped) == len(text):
        return text
    kept, used = [], 0
    for character in clipped:
        used += display_width(character)
        if used > columns - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def clipped(text: str, most: int = 4_000) -> str:
    """A text of at most so many characters, which says how long it was.

    Examples:
        >>> clipped("abcdef", 4)
        'abcd… (6 characters)'
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
