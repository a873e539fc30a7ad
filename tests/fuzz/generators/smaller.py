"""Simpler values than a given one, the simplest first: a finding is kept as the least input that still shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def smaller(value: Any, depth: int = 12) -> Iterator[Any]:
    """Simpler values.

    Examples:
        >>> list(smaller("abc")), list(smaller([1, 0]))
        (['', 'bc', 'ac', 'ab'], [[], [0], [1], [0, 0]])
    """
    if depth == 0 or value is None:
        return
    if isinstance(value, str | bytes):
        yield from _cuts(value)
    elif isinstance(value, bool | int | float):
        if value not in (0, 1) and value == value:
            yield 0
            yield 1
        elif value is not True and value == 1:
            yield 0
    elif isinstance(value, list | tuple):
        for cut in _cuts(value):
            yield cut
        for place, item in enumerate(value[:20]):
            for simpler in smaller(item, depth - 1):
                yield type(value)([*value[:place], simpler, *value[place + 1 :]])
    elif isinstance(value, set | frozenset):
        items = sorted(value, key=repr)
        for cut in _cuts(items):
            yield type(value)(cut)
    elif isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in list(value.items())[:20]:
            for simpler in smaller(item, depth - 1):
                yield {**value, name: simpler}


def _cuts(items: Any) -> Iterator[Any]:
    """Nothing, then halves, quarters and so on left out, at last single items; the same again is not among them."""
    seen = [items]
    size = len(items)
    while size:
        for start in range(0, len(items), size):
            cut = items[:start] + items[start + size :]
            if cut not in seen:
                if len(seen) < 8:
                    seen.append(cut)
                yield cut
        size //= 2
