"""How wide text is on a terminal, and text made safe to print there."""

from __future__ import annotations

import unicodedata

from scoring.diagnostics.visible import HOSTILE

TAB = 4


def display(text: str, tab: int = TAB) -> str:
    """The text with tabs as spaces and with controls made visible, so that it can't steer a terminal.

    Examples:
        >>> display("a\\tb"), display("\\x1b[31m"), display("\\u202e")
        ('a   b', '␛[31m', '�')
    """
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    column = 0
    for character in text:
        piece = _piece(character, column, tab)
        shown.append(piece)
        column += sum(map(_width, piece))
    return "".join(shown)


def width(text: str) -> int:
    """How many columns a text takes once it went through `display`.

    Examples:
        >>> width("ab"), width("日本"), width("e\\u0301"), width("\\t")
        (2, 4, 1, 4)
    """
    return sum(map(_width, display(text)))


def _piece(character: str, column: int, tab: int) -> str:
    if character == "\t":
        return " " * (tab - column % tab)
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return HOSTILE.sub("\ufffd", character)


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
