"""Open answers by the released code of MMMU: whatever the ends of lines hold, texts and numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from scoring.primitives.patterns.prepared import TooCostly, prepare
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score, show_type

_INDICATORS = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_MARKS = (":", ",", ".", "!", "?", ";", "'")
_NUMBERS = (
    r"-?\b\d{1,3}(?:,\d{3})+\b",
    r"-?\d+(?:\.\d+)?[eE][+-]?\d+",
    r"-?(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d+)(?![,\d])",
)


@primitive
def mmmu_upstream_open(prediction: str, reference: object, /) -> Score:
    """1 where any end of a line, or any number in one, is the reference or one of several; texts need only hold it.

    The end of a line is the shortest that follows `is`, `so`, `answer` and the like, in the last line also `=`. Numbers
    are equal at two decimals.

    Raises:
        Unparsed: when looking for numbers could take too many steps.
        Unscored: when a reference is no text.

    Examples:
        >>> mmmu_upstream_open("The sum is 1,200.004", "1200"), mmmu_upstream_open("It is red", ["Red", "blue"])
        (1.0, 1.0)
        >>> mmmu_upstream_open("x = 4", "5")
        0.0

    Source:
        Yue et al., MMMU, 2024, eval_utils.py, parse_open_response and eval_open.
    """
    given = reference if isinstance(reference, list) else [reference]
    wanted = {one for text in given for one in _normal(_text(text))}
    texts = {one for one in wanted if isinstance(one, str)}
    ends = _ends(prediction)
    try:
        found = [*ends, *(one[0] for end in ends for pattern in _NUMBERS for one in prepare(pattern).matches(end))]
    except TooCostly as error:
        raise Unparsed(str(error)) from None
    for answer in (one for text in found for one in _normal(text)):
        if any(text in answer for text in texts) if isinstance(answer, str) else answer in wanted:
            return 1.0
    return 0.0


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unscored(f"a reference is a text, and this is {show_type(value)}")
    return value


def _ends(response: str) -> list[str]:
    """The shortest end of each line behind an indicator; without any, the whole response."""
    text = response.strip().strip(".").lower()
    *lines, last = text.split("\n")
    found = [*(_end(line, _INDICATORS) for line in lines), _end(last, (*_INDICATORS, "="))]
    return [end for end in found if end and end not in _MARKS] or [text]


def _end(line: str, indicators: tuple[str, ...]) -> str:
    shortest = ""
    for indicator in indicators:
        if indicator in line:
            tail = line.rpartition(indicator)[2].strip()
            shortest = tail if not shortest or len(tail) < len(shortest) else shortest
    return shortest


def _normal(text: str) -> Iterator[str | float]:
    """A number at two decimals; a text in lower case, and one character with a space at either side."""
    text = text.strip()
    with contextlib.suppress(ValueError):
        yield round(float(text.replace(",", "")), 2)
        return
    text = text.lower()
    yield from (f" {text}", f"{text} ") if len(text) == 1 else (text,)
