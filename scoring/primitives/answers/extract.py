"""Find the short answer in a free-text response, by rule."""

from __future__ import annotations

import re

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


@primitive(topics=("answers", "extraction"))
def short_answer(response: str, /, *, unanswerable: str = "Not answerable") -> str:
    """Take the answer after the last marker (`Answer:`, `the answer is`), else the last line of the response.

    An answer that says that there is none becomes one fixed text. Emphasis, quotes and a final full stop go; of the
    text after a marker only its first line counts.

    Args:
        unanswerable: What stands for "the document does not say".

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
        Stands in for the prompted extraction of MMLongBench-Doc and MMESGBench; the rules are our own.
    """
    if len(response) > MAX_LENGTH:
        raise Unparsed(f"the response has more than {MAX_LENGTH} characters")
    markers = list(_MARKER.finditer(response))
    found = _first_line(response[markers[-1].end() :]) if markers else ""
    found = found or _last_line(response)
    if not found:
        raise Unparsed("the response is blank")
    return unanswerable if _UNANSWERABLE.search(found) else found


def _first_line(text: str) -> str:
    return next((line for line in map(_trimmed, text.lstrip().splitlines()) if line), "")


def _last_line(text: str) -> str:
    return next((line for line in map(_trimmed, reversed(text.splitlines())) if line), "")


def _trimmed(line: str) -> str:
    """The line without its edges; a list keeps its quotes, an abbreviation its last point."""
    text = line.strip(_EDGES) if not line.strip().startswith("[") else line.strip(" \t*_`")
    if text.endswith(".") and not text.endswith((".m.", "etc.", "No.")):
        text = text[:-1].rstrip(_EDGES)
    return text
