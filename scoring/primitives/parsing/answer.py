"""Parsers of a single answer that stands in a text."""

from __future__ import annotations

import re
from typing import Any

from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.text.fence import unfence
from scoring.registry import primitive
from scoring.result import Unparsed

_MARKER = re.compile(r"\bAnswer\s*[:：]", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*_`]+")
_BLANK_LINES = re.compile(r"\s*\n")


@primitive
def final_answer(response: str, /, *, first_paragraph: bool = False) -> str:
    """What stands after the last marker `Answer:`, without emphasis, fence and quotes; without a marker, all of it.

    Args:
        first_paragraph: Whether an explanation after a blank line is dropped.

    Examples:
        >>> final_answer("I think so.\\n**Answer:** B"), final_answer("Answer: 'B'\\n\\nBecause.", first_paragraph=True)
        ('B', 'B')

    Source:
        MEGA-Bench, parser answer_string, with the marker also in bold or italics.
    """
    text = unfence(after_marker(response)).strip()
    if first_paragraph:
        text = text.split("\n\n", 1)[0].rstrip()
    return _unquoted(text)


@primitive
def final_drawing(response: str, /, *, trailing_spaces: bool = False) -> str:
    """What stands after the last marker `Answer:`, with its indentation: for ASCII art and verbatim text.

    Blank lines around it are dropped.

    Args:
        trailing_spaces: Whether spaces at the very end are kept.

    Examples:
        >>> final_drawing("Answer:\\n  /\\\\\\n /  \\\\ ")
        '  /\\\\\\n /  \\\\'

    Source:
        MEGA-Bench, parsers ascii_answer_string and verbatim_answer_string.
    """
    text = unfence(after_marker(response))
    blank = _BLANK_LINES.match(text)
    text = text[blank.end() if blank else 0 :].rstrip("\n")
    return text if trailing_spaces else text.rstrip()


@primitive
def nonempty(text: str, /) -> str:
    """The text itself, unless there is nothing in it but white space.

    Raises:
        Unparsed: when the text is blank.

    Examples:
        >>> nonempty("B")
        'B'
    """
    if not text.strip():
        raise Unparsed("the answer is empty")
    return text


def after_marker(text: str) -> str:
    """The text after the last marker and outside the emphasis that the marker stands in."""
    markers = [match.span() for match in _MARKER.finditer(text)]
    if not markers:
        return text
    start, end = markers[-1]
    line = text.rfind("\n", 0, start) + 1
    opened = _EMPHASIS.findall(text[line:start])
    content = text[end:]
    if opened and len(opened) % 2:
        mark = opened[-1]
        if content.startswith(mark):  # **Answer:** B
            return content[len(mark) :]
        closed = content.find(mark)  # **Answer: B**
        if closed >= 0:
            return content[:closed]
    return content


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    try:
        found: Any = read_literal(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, str) else text
