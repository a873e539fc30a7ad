"""Primitives that find a short answer in a response, clean it, and decide how it is to be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.primitives.printed import printed
from scoring.registry import primitive
from scoring.result import Unparsed

_MARKER = re.compile(r"(?:extracted |final |short |correct )?answer[*_ ]{0,4}(?:is[*_ ]{0,4}:?|[:：=])", re.IGNORECASE)
_UNANSWERABLE = re.compile(
    r"not answerable|unanswerable|cannot be (?:answered|determined)|can't be (?:answered|determined)"
    r"|(?:does|do) not (?:contain|mention|provide|specify)|no (?:relevant )?information|not (?:mentioned|specified)",
    re.IGNORECASE,
)
_EDGES = " \t*_`\"'"
MAX_LENGTH = 200_000


@primitive
def short_answer(response: str, /, *, unanswerable: str = "Not answerable") -> str:
    """Extract the answer after the last marker (`Answer:`, `the answer is`), else the last line of the response.

    An answer that states that there is no answer is replaced by a fixed text. Emphasis, quotes and a final full stop
    are removed. Only the first non-empty line after a marker counts.

    Args:
        unanswerable: The text that replaces an answer such as "the document does not mention this".

    Raises:
        Unparsed: when the response is blank, or longer than 200,000 characters.

    Examples:
        >>> short_answer("Table 3 lists both.\\n\\n**Final answer:** North America.")
        'North America'
        >>> short_answer("I see. The answer is 42.")
        '42'
        >>> short_answer("The report does not mention this.")
        'Not answerable'

    Source:
        Replaces the extraction by a prompted model in MMLongBench-Doc and MMESGBench; the rules are our own.
    """
    if len(response) > MAX_LENGTH:
        raise Unparsed(f"the response has more than {MAX_LENGTH} characters")
    markers = list(_MARKER.finditer(response))
    found = _first(response[markers[-1].end() :].lstrip().splitlines()) if markers else ""
    found = found or _first(reversed(response.splitlines()))
    if not found:
        raise Unparsed("the response is blank")
    return unanswerable if _UNANSWERABLE.search(found) else found


def _first(lines: Iterable[str]) -> str:
    return next(filter(None, map(_trimmed, lines)), "")


def _trimmed(line: str) -> str:
    """Return the line without markup, quotes and full stop at its ends; a list keeps its quotes, `a.m.` its stop."""
    text = line.strip(_EDGES) if not line.strip().startswith("[") else line.strip(" \t*_`")
    if text.endswith(".") and not text.endswith((".m.", "etc.", "No.")):
        text = text[:-1].rstrip(_EDGES)
    return text


_QUOTES = "'\""
# The characters that are removed at the ends; a text that has none of them there needs no further cleaning.
_CLEANED = "'\"$%"


@primitive
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
