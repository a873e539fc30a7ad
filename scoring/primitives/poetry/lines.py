"""Stanzas, lines and words of a poem."""

from __future__ import annotations

import re

_SPACES = re.compile(r"[\s\-–—]+")
_SCHEME_LETTER = re.compile(r"\s*\([a-z]\)$")
# What may stand around a word of verse without belonging to it; an apostrophe inside belongs to it.
_AROUND = '.,;!?:*_"“”„«»()[]{}…~`'


def stanzas(poem: str) -> list[list[str]]:
    """The stanzas of a poem, each a list of lines; lines of spaces only part stanzas.

    Examples:
        >>> stanzas("a\\nb\\n \\nc\\n")
        [['a', 'b'], ['c']]
    """
    parts: list[list[str]] = [[]]
    for line in poem.strip().splitlines():
        if line.strip():
            parts[-1].append(line.strip())
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def words(line: str, around: str = _AROUND) -> list[str]:
    """The words of a line in lower case; hyphens and dashes part words, a scheme letter ``(a)`` at the end is cut.

    Examples:
        >>> words("“O'er the well-known hill,” (a)")
        ["o'er", 'the', 'well', 'known', 'hill']
    """
    text = _SCHEME_LETTER.sub("", line.strip().lower().replace("’", "'") if around is _AROUND else line.strip().lower())
    return [word for word in (part.strip(around) for part in _SPACES.split(text)) if word]
