"""What stands around a text: code fences and quotes."""

from __future__ import annotations

from typing import Any

from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive


@primitive(topics=("extraction", "code"), aka=("code fence", "code block", "markdown code", "strip fences"))
def unfence(text: str, /) -> str:
    """The content of the first closed code fence, or the text itself where there is none.

    The language after the opening fence and the line ends next to the fences do not belong to the content.

    Examples:
        >>> unfence("```result\\n66.5\\n```")
        '66.5'
        >>> unfence("66.5")
        '66.5'
    """
    start = text.find("```")
    end = text.find("```", start + 3)
    if start < 0 or end < 0:
        return text
    first, line_end, rest = text[start + 3 : end].partition("\n")
    language = first.strip()
    if line_end and (not language or language.isalnum()):
        return rest.strip("\n")
    return text[start + 3 : end].strip("\n")


@primitive(topics=("text",), aka=("strip quotes", "remove quotes"))
def unquote(value: Any, /) -> Any:
    """A quoted text without its quotes, as JSON or Python would read it; everything else as it is.

    Examples:
        >>> unquote("'B'"), unquote("it's"), unquote("[1]")
        ('B', "it's", '[1]')
    """
    if not isinstance(value, str) or value[:1] not in ("'", '"'):
        return value
    try:
        found = read_literal(value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return value
    return found if isinstance(found, str) else value
