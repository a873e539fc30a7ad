"""Brackets and quotes of an expression, followed without parsing it, to see where it would end."""

from __future__ import annotations

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


def unclosed(text: str) -> str:
    """The openers in a text that are never closed, an open double quote last.

    Examples:
        >>> unclosed("f(x=[1, 2"), unclosed('f(sep="'), unclosed("f(x)"), unclosed("x)")
        ('([', '("', '', '')
    """
    opened: list[str] = []
    quoted = False
    for character in text:
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in _CLOSERS:
            opened.append(character)
        elif opened and character == _CLOSERS[opened[-1]]:
            opened.pop()
    return "".join(opened) + ('"' if quoted else "")


def closes_more(text: str) -> bool:
    """Whether a text closes a round bracket that it did not open."""
    level = 0
    for character in text:
        level += (character == "(") - (character == ")")
        if level < 0:
            return True
    return False


def expression_end(text: str, start: int, stops: str = "") -> int:
    """Where an expression on one line ends: at the line's end, or at a stop outside all brackets and quotes.

    The stop `#` counts behind white space only, as in YAML.
    """
    opened: list[str] = []
    quote = ""
    place = start
    while place < len(text) and text[place] not in "\r\n":
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _CLOSERS:
            opened.append(_CLOSERS[character])
        elif opened and character == opened[-1]:
            opened.pop()
        elif not opened and character in stops and (character != "#" or text[place - 1 : place] in (" ", "\t")):
            break
        place += 1
    while place > start and text[place - 1] in " \t":
        place -= 1
    return place
