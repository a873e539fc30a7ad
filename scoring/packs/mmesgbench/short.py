"""The short answer in a free response, found by rules in place of a prompted model."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
