"""Corrections of expressions that are not in the grammar: rewritten by tables until they are.

Whoever reads expressions only has to say where a text stops being one, so this knows nothing of how they are read.
"""

from __future__ import annotations

from collections.abc import Callable

from scoring.diagnostics.diagnostic import SpecError
from scoring.lang import limits
from scoring.lang.mistake import Place, find_mistake

_ROUNDS = 8  # people who write `a && b && c` make one mistake several times


def mended(text: str, stops: Callable[[str], Place | None]) -> str:
    """Return the expression that was meant, each mistake in it written as its row says; "" where a row says nothing.

    Args:
        text: The expression.
        stops: Tells where a text stops being an expression; None where it is one. It may raise SpecError.
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
