"""MEGA-Bench as released: the single answer after the last marker, plain, as ASCII art, or verbatim."""

from __future__ import annotations

import re

from scoring.packs.megabench.primitives.casts import megabench_upstream_evaluate_as_string
from scoring.packs.megabench.primitives.json import parse_json
from scoring.packs.megabench.primitives.order import printed
from scoring.packs.megabench.primitives.text import first_fence, trim_lines
from scoring.registry import primitive

_MARKER = re.compile(r"\b[Aa]nswer:")
_NEWLINES = re.compile(r"\n{3,}")
# One line of plain words: what may stand alone as the answer, with an explanation in the next paragraph.
_PLAIN_LINE = re.compile(r"\(?[A-Za-z0-9_\-.,\s]+\)?")


@primitive
def megabench_upstream_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """The text after the last `Answer:`, out of its fence and its quotes.

    Args:
        single_line: Whether the reference is one line; then an explanation in a further paragraph is dropped.
        like: The reference, from which `single_line` follows where it is not given.

    Examples:
        >>> megabench_upstream_answer_string("I think so.\\nAnswer: 'B'")
        'B'
        >>> megabench_upstream_answer_string("**Answer:** B")
        ''

    Source:
        MEGA-Bench, released code, parser answer_string.
    """
    text = _content(response or "").strip()
    fenced = first_fence(text)
    if fenced is not None:
        text = fenced.strip()
    if single_line or (single_line is None and like is not None and "\n" not in like):
        text = _first_paragraph(text)
    return _value(text)


@primitive
def megabench_upstream_ascii_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """The text after the last `Answer:` with its indentation, for ASCII art.

    Args:
        single_line: Ignored, as the released code does; it is there so that the three parsers take the same.
        like: Ignored likewise.

    Examples:
        >>> megabench_upstream_ascii_answer_string("Answer:\\n  /\\\\\\n /  \\\\ ")
        '  /\\\\\\n /  \\\\'

    Source:
        MEGA-Bench, released code, parser ascii_answer_string.
    """
    return _value(_art(response or "").rstrip())


@primitive
def megabench_upstream_verbatim_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """The text after the last `Answer:` with its indentation and its trailing spaces.

    Args:
        single_line: Ignored, as the released code does; it is there so that the three parsers take the same.
        like: Ignored likewise.

    Examples:
        >>> megabench_upstream_verbatim_answer_string("Answer: B  \\n")
        ' B  '

    Source:
        MEGA-Bench, released code, parser verbatim_answer_string.
    """
    return _value(_art(response or ""))


@primitive
def megabench_upstream_dummy(response: str, /) -> str:
    """The response itself, without the space around it; nothing is no response.

    Examples:
        >>> megabench_upstream_dummy(" Answer: B ")
        'Answer: B'

    Source:
        MEGA-Bench, released code, parser dummy.
    """
    return response.strip()


def _content(text: str) -> str:
    """What follows the last marker; after an emphasised marker, up to the next asterisk."""
    markers = [match.span() for match in _MARKER.finditer(text)]
    if not markers:
        return text
    start, end = markers[-1]
    content = text[end:]
    if start and text[start - 1] == "*":
        end = content.find("*")
        if end >= 0:
            return content[:end]
    return content


def _art(text: str) -> str:
    """The content as a drawing: no blank lines around it, at most one within it."""
    content = trim_lines(_content(text))
    fenced = first_fence(content)
    if fenced is not None:
        content = trim_lines(fenced)
    return _NEWLINES.sub("\n\n", content)


def _first_paragraph(text: str) -> str:
    first = text.split("\n\n", 1)[0].strip()
    return first if _PLAIN_LINE.fullmatch(first) else text


def _value(text: str) -> str:
    """A container as Python prints it, a quoted text without its quotes, anything else as it is."""
    if text.startswith(("{", "[")):
        found = parse_json(text)
        if (found == {} and "{}" not in text) or (found == [] and "[]" not in text):
            return text
        return printed(found)
    value: str = megabench_upstream_evaluate_as_string(text)
    return value
