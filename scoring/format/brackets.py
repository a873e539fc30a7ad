"""Count the brackets of an expression, which shows where YAML has cut it off."""

from __future__ import annotations

from itertools import accumulate

CLOSERS = {"(": ")", "[": "]", "{": "}"}


def unclosed(text: str) -> str:
    """Return the brackets in a text that are never closed, followed by an open double quote.

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
        elif character in CLOSERS:
            opened.append(character)
        elif opened and character == CLOSERS[opened[-1]]:
            opened.pop()
    return "".join(opened) + ('"' if quoted else "")


def closes_more(text: str) -> bool:
    """Return whether a text closes a round bracket that it did not open."""
    return min(accumulate((mark == "(") - (mark == ")") for mark in text), default=0) < 0
