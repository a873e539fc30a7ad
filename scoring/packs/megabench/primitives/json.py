"""MEGA-Bench as released: how a JSON object is found in a response, in linear time.

The released code searches with a recursive regular expression under a limit of 0.1 s. Here the same spans come from
one pass over the brackets; a response on which the released search can't finish gives what the time-out gives.
"""

from __future__ import annotations

import json
import re
from typing import Any

from scoring.packs.megabench.primitives.spans import candidate_spans
from scoring.primitives.parsing.literal import read_literal

# A marker that nothing follows is none: the search goes on behind it.
_MARKER = re.compile(r"^(?:\*\*)?Answer:\s*(.+)", re.MULTILINE)
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
# What a string that holds an object or a list begins with.
_OPENING = re.compile(r'"\s*(?:\{\s*[\\"}]|\[\s*[\\"\[{\]\-0-9tfnNI])')
# A text that can be JSON's object or list; the rest of a text that can't is not looked at.
_INNER = re.compile(r"""[ \t\n\r]*(?:\{[ \t\n\r]*["}]|\[[ \t\n\r]*["\[{\]\-0-9tfnNI])""")
_EDGE_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
# Characters that may be scanned to put embedded objects in the place of their strings; more is a hostile response.
SCAN_LIMIT = 100_000_000
_DOUBLE, _SINGLE = "__DOUBLE_QUOTE__", "__SINGLE_QUOTE__"


def parse_json(text: str) -> Any:
    """The last value that the released code can read out of a text; ``{}`` or ``[]`` where there is none."""
    body = _fenced(_after_marker(text))
    spans = candidate_spans(body)
    found: list[Any] = []
    for start, end in spans or ():
        _read_candidate(body[start:end], found)
    if found:
        return found[-1]
    return [] if body.startswith("[") else {}


def _after_marker(text: str) -> str:
    """The rest of the first line that begins with the marker, or the whole text."""
    if "Answer:" in text:
        match = _MARKER.search(text)
        if match:
            return match.group(1).strip()
    return text.strip()


def _fenced(text: str) -> str:
    """The content of the first fence of JSON, or the whole text."""
    start = text.find("```json")
    if start < 0:
        return text
    end = text.find("```", start + 7)
    return text if end < 0 else text[start + 7 : end].strip()


def _read_candidate(text: str, found: list[Any]) -> None:
    """Append the last value that one candidate can be read as; the caller takes the last of all.

    Python's reading counts before JSON's. Where Python can't read it, an escaped quote may be a backslash at the end of
    a text, and that reading counts before JSON's, too.
    """
    text = _unwrap_strings(text)
    value = _literal(text)
    if value is _NOTHING and "\\" in text:
        value = _literal(text.replace('\\"', '\\\\"').replace("\\'", "\\\\'"))
    if value is _NOTHING:
        value = _json(text)
    if value is not _NOTHING:
        found.append(value)


_NOTHING = object()


def _literal(text: str) -> Any:
    try:
        return read_literal(text)
    except (SyntaxError, ValueError):
        return _NOTHING


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    if "'" not in text:
        return _NOTHING
    try:
        return json.loads(_EDGE_QUOTE.sub('"', text))
    except json.JSONDecodeError:
        return _NOTHING


def _unwrap_strings(text: str) -> str:
    """Embedded JSON: a string that itself holds an object or a list is replaced by it."""
    if '"{' not in text and '"[' not in text and _SPACED.search(text) is None:
        return _restore(text)
    if _OPENING.search(text) is None:
        return _restore(text)
    text = text.replace('\\"', _DOUBLE).replace("\\'", _SINGLE)
    scans = SCAN_LIMIT // (len(text) + 1)
    for string in _STRING.findall(text):
        if string[1] not in "{[ \t\n\r":
            continue
        inner = _inner_json(string[1:-1].replace(_DOUBLE, '"').replace(_SINGLE, "'"))
        if inner is not None and scans > 0:
            scans -= 1
            text = text.replace(string, json.dumps(inner))
    return _restore(text)


_SPACED = re.compile(r'"\s+[{\[]')


def _restore(text: str) -> str:
    """The placeholders of the released code become escaped quotes again, also those the response came with."""
    return text.replace(_DOUBLE, '\\"').replace(_SINGLE, "\\'") if "_QUOTE__" in text else text


def _inner_json(text: str) -> Any:
    if _INNER.match(text) is None:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None
