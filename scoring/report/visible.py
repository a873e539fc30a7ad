"""Shorten text from models and files to the available space; `visible` makes it safe for a terminal."""

from __future__ import annotations

from scoring.diagnostics.visible import visible as visible
from scoring.diagnostics.visible import width as display_width


def shorten(text: str, columns: int) -> str:
    """Return the text cut off at a width of `columns` on a terminal, with an ellipsis if anything is missing.

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
    """Return the text; if it has more than `most` characters, cut off there, with a note about its full length.

    Examples:
        >>> clipped("abcdef", 4)
        'abcd… (6 characters)'
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
