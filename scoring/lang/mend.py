"""Correct a refused expression by the tables of mistakes, repeatedly, until it follows the grammar.

The module does not depend on the parser: the caller passes a function that returns where a text stops being valid.
"""

from __future__ import annotations

from collections.abc import Callable

from scoring.diagnostics.diagnostic import SpecError
from scoring.lang import limits
from scoring.lang.mistake import Place, find_mistake

_ROUNDS = 8  # people who write `a && b && c` repeat the same mistake


def mended(text: str, stops: Callable[[str], Place | None]) -> str:
    """Return an expression with its known mistakes corrected, so that it is valid; "" if that is impossible.

    Args:
        text: The invalid expression.
        stops: A function that returns where the parser stops in a text, None if the text is valid. It may raise
            SpecError.
    """
    for _ in range(_ROUNDS):
        try:
            place = stops(text)
        except SpecError:
            return ""
        if place is None:
            return text
        row = find_mistake(place)
        before, text = text, row.rewritten(text, place) if row is not None else ""
        if not text or text == before or len(text) > limits.LENGTH:
            return ""
    return ""
