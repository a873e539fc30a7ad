"""Transforms that remove code fences and quotes around a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from scoring.primitives.parsing.literal import literal_or_itself
from scoring.registry import primitive
from scoring.result import Unparsed


@primitive(topics=("extraction", "code"), aka=("code fence", "code block", "markdown code", "strip fences"))
def unfence(
    text: str,
    /,
    *,
    pick: Literal["first", "last"] = "first",
    language: str | None = None,
    missing: Literal["text", "refuse"] = "text",
) -> str:
    """Return the content of a closed code fence, or the text itself if there is none.

    The language after the opening fence and the line ends next to the fences do not belong to the content.

    Args:
        pick: Which code block is taken where there are several.
        language: The language that must be named after the opening fence, ignoring case; any by default.
        missing: The result for a text without such a fence: the text itself (text), or a refusal (refuse).

    Raises:
        Unparsed: when there is no such fence, if that is refused.

    Examples:
        >>> unfence("```result\\n66.5\\n```")
        '66.5'
        >>> unfence("66.5")
        '66.5'
        >>> unfence("```py\\na = 1\\n``` then ```py\\na = 2\\n```", pick="last", language="py")
        'a = 2'
    """
    found = text
    for tag, content in _fences(text):
        if language is None or (tag or "").lower() == language.lower():
            found, missing = content, "text"
            if pick == "first":
                break
    if missing == "refuse":
        raise Unparsed("there is no closed code fence" + (f" of the language {language}" if language else ""))
    return found


def _fences(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the language and content of each closed code fence; language None if the first line is content, too."""
    start = text.find("```")
    while start >= 0:
        end = text.find("```", start + 3)
        if end < 0:
            return
        first, line_end, rest = text[start + 3 : end].partition("\n")
        language = first.strip()
        if line_end and (not language or language.isalnum()):
            yield language, rest.strip("\n")
        else:
            yield None, text[start + 3 : end].strip("\n")
        start = text.find("```", end + 3)


@primitive(topics=("text",), aka=("strip quotes", "remove quotes"))
def unquote(value: Any, /) -> Any:
    """Remove the quotes of a quoted string as Python reads it; any other value is unchanged.

    Examples:
        >>> unquote("'B'"), unquote("it's"), unquote("[1]")
        ('B', "it's", '[1]')
    """
    if not isinstance(value, str) or value[:1] not in ("'", '"'):
        return value
    found = literal_or_itself(value)
    return found if isinstance(found, str) else value
