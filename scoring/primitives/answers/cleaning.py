"""Clean a short answer before it is compared."""

from __future__ import annotations

from scoring.primitives.printed import printed
from scoring.registry import primitive

_QUOTES = "'\""
# What is taken off at an end; a text without any of it is clean as it is.
_EDGES = "'\"$%"


@primitive(topics=("answers", "text"))
def clean_answer(value: object, /) -> str:
    """Reduce an answer to its core: lower case, no parentheses, no outer quotes, no dollar or percent sign.

    Whatever is no text is written as text first. Every pair of parentheses goes with the white space before it; a
    nested one ends at the first closing parenthesis. One quotation mark goes at each end, then leading `$` and
    trailing `%`.

    Examples:
        >>> clean_answer(" 'North America' (2019) "), clean_answer("$5"), clean_answer("12 %")
        ('north america', '5', '12')
        >>> clean_answer("(a) 'North America'")
        'north america'

    Source:
        MMESGBench, get_clean_string in eval_score.py; its units (mile, miles, million) are never removed there. That
        space is stripped again after the parentheses are gone is inferred: no vector decides it.
    """
    text = printed(value).lower().strip()
    if "(" in text:
        text = _without_parentheses(text).strip()
    if text[:1] not in _EDGES and text[-1:] not in _EDGES:
        return text
    if text[:1] and text[0] in _QUOTES:
        text = text[1:]
    if text[-1:] and text[-1] in _QUOTES:
        text = text[:-1]
    return text.strip().lstrip("$").strip().rstrip("%").strip()


def _without_parentheses(text: str) -> str:
    """One pass from left to right, so that a long row of opening parentheses costs no more than its length."""
    kept: list[str] = []
    start = 0
    while True:
        opening = text.find("(", start)
        closing = text.find(")", opening) if opening >= 0 else -1
        if closing < 0:
            return "".join([*kept, text[start:]])
        kept.append(text[start:opening].rstrip())
        start = closing + 1
