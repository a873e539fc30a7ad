"""Code fences around an answer."""

from __future__ import annotations

from scoring.registry import primitive


@primitive
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
