"""The texts of paths in the data, such as `meta."unit price"[0]`: names, members and positions, as in expressions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from scoring.lang.words import is_name, quote
from scoring.lazy_pattern import lazy_pattern

Segments: TypeAlias = tuple[str | int, ...]

PARSED = "parsed"
"""The word at which paths of metrics begin that read the parsed answer."""
_PART = lazy_pattern(r'(?:\.|\A)(?:([^\W\d]\w*)|("(?:[^"\\\x00-\x1f]|\\.)*"))|(?<!\A)\[(-?[0-9]{1,9})\]')


def segments_of(text: str) -> Segments | None:
    """Return the keys and positions of which a path in a record consists; None if the text is no path.

    The word `record` at its beginning is the record itself, as in expressions.

    Examples:
        >>> segments_of('lines[0]."unit price"'), segments_of("record.lang"), segments_of("length(lines)")
        (('lines', 0, 'unit price'), ('lang',), None)
    """
    found: list[str | int] = []
    end = 0
    while end < len(text):
        part = _PART.match(text, end)
        if part is None:
            return None
        end = part.end()
        try:
            found.append(int(part[3]) if part[3] else part[1] or json.loads(part[2]))
        except ValueError:  # an escape that JSON has not
            return None
    return (tuple(found[1:]) if found[0] == "record" else tuple(found)) if found else None


def place_text(segments: Sequence[str | int]) -> str:
    """Return the keys and positions of a path as text.

    Examples:
        >>> place_text(("lines", 0, "unit price"))
        'lines[0]."unit price"'
    """
    text = ""
    for segment in segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
        else:
            text += ("." if text else "") + (segment if is_name(segment) and segment.isascii() else quote(segment))
    return text


def part_of(value: Any, segments: Sequence[str | int]) -> Any:
    """Return the value at a sequence of keys and indexes inside another value, or None if there is none.

    Examples:
        >>> part_of({"lines": [{"total": 3}]}, ["lines", 0, "total"]), part_of("text", ["lines"])
        (3, None)
    """
    for segment in segments:
        try:
            value = value[segment]
        except (KeyError, IndexError, TypeError):
            return None
    return value
