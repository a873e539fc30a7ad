"""Find what the arguments before say of the next step: calls often do the same to each, `variants(a | b, a | c)`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from scoring.lang import limits
from scoring.lazy_pattern import lazy_pattern

SIBLINGS = (
    "next in arguments alike", "share of arguments with it there", "in arguments before", "next in the last alike",
    "arguments before it",
)  # fmt: skip
"""The signs, in order; the last is the same for all candidates."""
_TOKEN = lazy_pattern(r"""["'](?:[^"'\\\n]|\\.)*["']|[\w./]+|[^\w\s]""")
_OPEN, _CLOSED, _COMMA = "([{", ")]}", ","


class Siblings:
    """The arguments before one place, in the innermost bracket that is open there.

    Args:
        before: The text of the expression before the place.
        steps: The steps before the place in its own pipeline.
    """

    def __init__(self, before: str, steps: Sequence[str]) -> None:
        arguments = earlier_arguments(before)
        here = len(steps)
        self._count = len(arguments)
        self._any = Counter(name for names in arguments for name in names)
        there = [names[here] for names in arguments if len(names) > here]
        self._there = Counter(there)
        alike = [
            (distance, names[here])
            for distance, names in enumerate(reversed(arguments))
            if len(names) > here and names[:here] == [*steps]
        ]
        self._last = alike[0][1] if alike else ""
        self._alike: dict[str, float] = {}
        for distance, name in alike:
            self._alike[name] = self._alike.get(name, 0.0) + 1 / (1 + distance)

    def signs(self, name: str) -> tuple[float, ...]:
        """Return what speaks for a name, in the order of `SIBLINGS`."""
        return (
            self._alike.get(name, 0.0),
            self._there[name] / max(self._count, 1),
            float(self._any[name]),
            float(bool(name) and name == self._last),
            float(self._count),
        )


def earlier_arguments(before: str) -> list[list[str]]:
    """Return the names of the steps in each argument before the end of a half-written expression.

    Examples:
        >>> earlier_arguments("map_items(variants(strip | lower, find('a|b') | upper, ")
        [['strip', 'lower'], ['find', 'upper']]
    """
    tokens = [found[0] for found in _TOKEN.finditer(before[-limits.LENGTH :])]
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token in _OPEN:
            opened.append(place + 1)
        elif token in _CLOSED and opened:
            opened.pop()
    return [*_arguments(tokens[opened[-1] :])][:-1] if opened else []


def _arguments(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names of the steps in each argument, apart from those in brackets of its own."""
    names, depth = list[str](), 0
    for token, following in itertools.zip_longest(tokens, tokens[1:], fillvalue=""):
        if token in _OPEN:
            depth += 1
        elif token in _CLOSED:
            depth -= 1
        elif not depth and token in _COMMA:
            yield names
            names = []
        elif not depth and (token[0].isalpha() or token[0] == "_") and following != "=":
            names.append(token)
    yield names
