"""Search for JSON in prose: one pass over the brackets, then a limited number of tries to read the enclosed texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scoring.depth import DEEPEST, in_full_depth
from scoring.lazy_pattern import lazy_pattern

# A response longer than this is not searched: no model writes one, and reading it would take seconds.
MAX_RESPONSE = 2_000_000
# How many bracketed texts are tried, from the last one backwards.
MAX_TRIES = 64

_TOKENS = lazy_pattern(r'[{}\[\]]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKETS = lazy_pattern(r"[{}\[\]]")
_CLOSES = {"}": "{", "]": "["}


def last_object(text: str) -> dict[Any, Any] | None:
    """Return the last object of a text, written as JSON or as a Python literal, or None if there is none."""
    return next((value for value in values_from_end(text) if isinstance(value, dict)), None)


def last_value(text: str) -> Any:
    """Return the last object of a text, or its last list if it contains no object, or None if there is neither."""
    found: list[Any] | None = None
    for value in values_from_end(text):
        if isinstance(value, dict):
            return value
        if found is None and isinstance(value, list):
            found = value
    return found


def values_from_end(text: str) -> Iterator[Any]:
    """Yield the objects and lists between outermost brackets of a text that can be read, from the last to the first."""
    if len(text) > MAX_RESPONSE:
        return
    spans = set(_outermost(text, _BRACKETS)[-MAX_TRIES:])
    if '"' in text:  # quotes in prose can hide brackets, so brackets are paired both ignoring and respecting quotes
        spans.update(_outermost(text, _TOKENS)[-MAX_TRIES:])
    for start, end in sorted(spans, key=lambda span: (-span[1], span[0]))[:MAX_TRIES]:
        value = read_value(text[start:end])
        if value is not None:
            yield value


def _outermost(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the spans of balanced brackets that are not inside others; an unclosed bracket is ignored."""
    spans: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    last = max(map(text.rfind, _CLOSES))
    for match in pattern.finditer(text, 0, last + 1):  # nothing closes after it
        token = match.group()
        if token in ("{", "["):
            opened.append((token, match.start()))
        elif token in _CLOSES and opened and opened[-1][0] == _CLOSES[token]:
            start = opened.pop()[1]
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, match.end()))
    return spans


def closing_bracket(text: str) -> int | None:
    """Return the end position of the object or list that a text begins with, or None if it is never closed."""
    for pattern in (_TOKENS, _BRACKETS):
        for start, end in _outermost(text, pattern):
            if start == 0:
                return end
    return None


def read_value(text: str) -> Any:
    """Return the value of a whole text that is JSON or a Python literal, or None if it is neither."""
    if text.count("[") + text.count("{") > DEEPEST and _too_deep(text):
        return None
    try:
        return in_full_depth(json.loads, text)
    except (ValueError, RecursionError):
        pass
    from scoring.primitives.parsing.literal import READING_ERRORS, read_literal

    try:
        return read_literal(text)
    except READING_ERRORS:
        return None


def _too_deep(text: str) -> bool:
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += 1 if match.group() in "{[" else -1
        if depth > DEEPEST:
            return True
    return False
