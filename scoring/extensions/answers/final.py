"""Parsers that extract a single answer from a response."""

from __future__ import annotations

import re
from typing import Any, Literal

from scoring.extensions.structure.wrapping import unfence, unquote
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.json_scan import closing_bracket
from scoring.registry import primitive
from scoring.result import Unparsed

_MARKER = lazy_pattern(r"\bAnswer\s*[:：]", re.IGNORECASE)
_EMPHASIS = lazy_pattern(r"[*_`]+")
_EMPHASISED = lazy_pattern(r"(\*{1,2}|_{1,2}|`)([^*_`\n]+)\1")


@primitive(topics=("extraction", "answers"))
def final_answer(
    response: str,
    /,
    *,
    single_line: bool | None = None,
    like: str | None = None,
    missing: Literal["text", "refuse"] = "text",
) -> str:
    """Extract the text after the last marker `Answer:`, or all of it, without emphasis, code fence and quotes.

    After an object or a list, all that follows its closing bracket is dropped. `Final answer:` counts as a marker too.

    Args:
        missing: The result for a response without a marker: all of its text (text), or a refusal (refuse).
        single_line: Whether the answer is a single line; an explanation after a blank line is then dropped.
        like: A text, usually the reference; where `single_line` is not given, it is true if this is a single line.

    Examples:
        >>> final_answer("I think so.\\n**Answer:** B"), final_answer("Answer: 'B'\\n\\nBecause.", single_line=True)
        ('B', 'B')
        >>> final_answer("Answer: [1, 2], because")
        '[1, 2]'

    Raises:
        Unparsed: when there is no marker, if that is refused.

    Source:
        MEGA-Bench, parser answer_string, with the marker also in bold or italics.
    """
    if missing == "refuse" and not _MARKER.search(response):
        raise Unparsed("there is no `Answer:` in the response")
    text = unfence(after_marker(response)).strip()
    emphasised = _EMPHASISED.fullmatch(text)
    if emphasised:
        text = emphasised.group(2).strip()
    if text[:1] in ("{", "["):
        return text[: closing_bracket(text)]  # the whole text if the bracket is never closed
    if single_line or (single_line is None and isinstance(like, str) and "\n" not in like):
        text = text.split("\n\n", 1)[0].rstrip()
    found: str = unquote(text)
    return found


@primitive(topics=("extraction",), aka=("not empty",))
def nonempty(text: str, /) -> str:
    """Return the text unchanged, unless it is empty or only white space.

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
    """Return the text after the last `Answer:`, or the whole text; emphasis around or just after it is removed."""
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


@primitive(topics=("extraction",), aka=("not null",))
def required(value: Any, /) -> Any:
    """Return the value unchanged, unless it is missing (null).

    Raises:
        Unparsed: when the value is missing.

    Examples:
        >>> required("a")
        'a'
    """
    if value is None:
        raise Unparsed("the value is missing")
    return value
