"""The normal form of a short answer, and the reference that is none."""

from __future__ import annotations

from scoring.primitives.printed import printed
from scoring.registry import primitive
from scoring.values import Score

_QUOTES = "'\""
# The characters that are removed at the ends; a text that has none of them there needs no further cleaning.
_CLEANED = "'\"$%"


@primitive(topics=("answers", "text"))
def clean_answer(value: object, /) -> str:
    """Normalise an answer: lower case, no parentheses, no outer quotes, no dollar or percent sign.

    A value that is not a string is printed first. Every pair of parentheses is removed with its content and the white
    space before it; it ends at the first closing parenthesis, even if parentheses are nested. One quotation mark is
    removed at each end, then leading `$` and trailing `%`.

    Examples:
        >>> clean_answer(" 'North America' (2019) "), clean_answer("$5"), clean_answer("12 %")
        ('north america', '5', '12')
        >>> clean_answer("(a) 'North America'")
        'north america'

    Source:
        MMESGBench, get_clean_string in eval_score.py, where the units (mile, miles, million) are in fact never removed.
        Stripping white space again after removing parentheses is our inference: no known result decides it.
    """
    text = printed(value).lower().strip()
    if "(" in text:
        text = _without_parentheses(text).strip()
    if text[:1] not in _CLEANED and text[-1:] not in _CLEANED:
        return text
    if text[:1] and text[0] in _QUOTES:
        text = text[1:]
    if text[-1:] and text[-1] in _QUOTES:
        text = text[:-1]
    return text.strip().lstrip("$").strip().rstrip("%").strip()


def _without_parentheses(text: str) -> str:
    """Return the text without each part from a `(` to the next `)`, and without space before it."""
    kept: list[str] = []
    start = 0
    while True:
        opening = text.find("(", start)
        closing = text.find(")", opening) if opening >= 0 else -1
        if closing < 0:
            return "".join([*kept, text[start:]])
        kept.append(text[start:opening].rstrip())
        start = closing + 1


@primitive(topics=("answers",), aka=("unanswerable", "no answer"))
def reference_is_empty(prediction: object, reference: object, /) -> Score:
    """Return 1 when the reference is the empty string, else 0; for use in `when` and `any_of`.

    Examples:
        >>> reference_is_empty("anything", ""), reference_is_empty("anything", "x")
        (1.0, 0.0)

    Source:
        MMESGBench, eval_score: an unreadable integer becomes the empty string, and then equals an empty reference.
    """
    return float(reference == "")
