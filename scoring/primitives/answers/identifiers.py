"""Answers that are right or wrong as a whole: addresses, file names, dates, pages, plain numbers."""

from __future__ import annotations

import re

from scoring.registry import primitive
from scoring.values import Score

_EXACT = re.compile(
    r"""
    \d+ (?: [-\s] \d+ )?                                  # a number, a range, two numbers
  | \d{4} [-\s] \d{2} (?: [-\s] \d{2} )?                  # a date, to the day or to the month
  | [a-zA-Z0-9._%+-]+ @ [a-zA-Z0-9.-]+ \. [a-zA-Z]{2,}    # an e-mail address
    """,
    re.VERBOSE,
)


def is_identifier(text: str) -> bool:
    """Whether a cleaned answer names one thing exactly.

    Examples:
        >>> [is_identifier(text) for text in ("https://a.b", "2021-05", "10-12", "page 3", "9 a.m.", "north")]
        [True, True, True, True, True, False]
    """
    return (
        "https://" in text
        or text.endswith((".py", "ipynb"))
        or text.startswith("page")
        or "a.m." in text
        or "p.m." in text
        or _EXACT.fullmatch(text) is not None
    )


@primitive(topics=("quirks",))
def reference_is_identifier(prediction: str, reference: str, /) -> Score:
    """1 when the reference is an address, a file name, a date, a page or a plain number; made for `when`.

    Examples:
        >>> reference_is_identifier("anything", "2021-05"), reference_is_identifier("anything", "north america")
        (1.0, 0.0)

    Source:
        MMESGBench, is_exact_match in eval_score.py.
    """
    return float(is_identifier(reference))


@primitive(topics=("answers",), aka=("unanswerable", "no answer"))
def reference_is_empty(prediction: object, reference: object, /) -> Score:
    """1 when the reference is the empty text; made for `when` and `any_of`.

    Examples:
        >>> reference_is_empty("anything", ""), reference_is_empty("anything", "x")
        (1.0, 0.0)

    Source:
        MMESGBench, eval_score: an unreadable whole number becomes the empty text, and then equals an empty reference.
    """
    return float(reference == "")
