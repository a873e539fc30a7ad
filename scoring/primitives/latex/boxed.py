"""What stands in a box."""

from __future__ import annotations

import re
from typing import Literal

from scoring.registry import primitive
from scoring.result import Unparsed

_START = re.compile(r"\\f?boxed\s*\{")
_BRACE = re.compile(r"[{}]")


@primitive(laws=(), topics=("mathematics", "extraction"), aka=("last boxed string", "extract boxed", "remove_boxed"))
def boxed(text: str, /, *, missing: Literal["text", "refuse"] = "text") -> str:
    r"""The content of the last ``\boxed{…}``, braces matched; the whole text where there is none.

    Args:
        missing: What a text without a box gives: itself, or a refusal.

    Raises:
        Unparsed: where there is no box, if that is refused.

    Examples:
        >>> boxed("so \\boxed{\\frac{1}{2}} it is"), boxed("no box")
        ('\\frac{1}{2}', 'no box')

    Source:
        As used in MEGA-Bench, boxed_single_numerical_match; the last box, as answers restate intermediate results.
    """
    starts = [found.end() for found in _START.finditer(text)]
    ends = _closing_braces(text) if starts else {}
    last = next((start for start in reversed(starts) if start - 1 in ends), None)
    if last is None:
        if missing == "refuse":
            raise Unparsed("nothing stands in a box")
        return text
    return text[last : ends[last - 1]].strip()


def _closing_braces(text: str) -> dict[int, int]:
    """Where each opening brace is closed; one that never is, is left out."""
    opened: list[int] = []
    closed = {}
    for found in _BRACE.finditer(text):
        if found.group() == "{":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.start()
    return closed
