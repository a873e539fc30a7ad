"""MEGA-Bench as released: finding a JSON object in a response, in linear time.

The released code searches with a recursive regular expression under a limit of 0.1 s. Here the same spans come from
one pass over the brackets; a response on which the released search can't finish gives the result of the time-out.

In a span braces balance, brackets need not, and the longest span is found first. The released search backtracks: on
unclosed brackets its work doubles with every bracket. The number of steps it would take is counted here, in linear
time, to know whether it finishes. The count models the search as it was measured. Each bracket that may begin an object
or a list is tried as one, which opens a new frame. A frame reads a bracket of a list first as a character, then as the
beginning of a list. A list yields every position where it may end, once each, and after it the frame continues, trying
further lists again; an object yields only one. An object or list that can't end is tried once per frame.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.literal import read_literal

# A marker that is followed by nothing doesn't count: the search continues after it.
_MARKER = lazy_pattern(r"^(?:\*\*)?Answer:\s*(.+)", re.MULTILINE)
_STRING = lazy_pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
# The beginning of a string that contains an object or a list.
_OPENING = lazy_pattern(r'"\s*(?:\{\s*[\\"}]|\[\s*[\\"\[{\]\-0-9tfnNI])')
# The beginning of a text that can be a JSON object or list; other texts are not parsed.
_INNER = lazy_pattern(r"""[ \t\n\r]*(?:\{[ \t\n\r]*["}]|\[[ \t\n\r]*["\[{\]\-0-9tfnNI])""")
_EDGE_QUOTE = lazy_pattern(r"(?<!\w)'|'(?!\w)")
# Maximum number of characters scanned to replace strings by the objects in them; more means a hostile response.
SCAN_LIMIT = 100_000_000
_DOUBLE, _SINGLE = "__DOUBLE_QUOTE__", "__SINGLE_QUOTE__"


def parse_json(text: str) -> Any:
    """Return the last value that the released code can read from a text; ``{}`` or ``[]`` if there is none."""
    body = _fenced(_after_marker(text))
    spans = candidate_spans(body)
    found = _NOTHING
    for start, end in spans or ():
        value = _read_candidate(body[start:end])
        found = found if value is _NOTHING else value
    if found is not _NOTHING:
        return found
    return [] if body.startswith("[") else {}


def _after_marker(text: str) -> str:
    """Return the rest of the first line that begins with the marker `Answer:`, or the whole text without one."""
    if "Answer:" in text:
        match = _MARKER.search(text)
        if match:
            return match.group(1).strip()
    return text.strip()


def _fenced(text: str) -> str:
    """Return the content of the first code fence marked `json`, or the whole text if there is none that is closed."""
    start = text.find("```json")
    if start < 0:
        return text
    end = text.find("```", start + 7)
    return text if end < 0 else text[start + 7 : end].strip()


def _read_candidate(text: str) -> Any:
    """Return the value of a part of a response that may be an object or a list; `_NOTHING` if it can't be read.

    The part is read as a Python literal; if that fails, as one in which each escaped quote is a backslash at the end
    of a string; and if that fails, as JSON.
    """
    text = _unwrap_strings(text)
    value = _literal(text)
    if value is _NOTHING and "\\" in text:
        value = _literal(text.replace('\\"', '\\\\"').replace("\\'", "\\\\'"))
    return _json(text) if value is _NOTHING else value


_NOTHING = object()


def _literal(text: str) -> Any:
    try:
        return read_literal(text)
    except (SyntaxError, ValueError):
        return _NOTHING


def _json(text: str) -> Any:
    found = _loaded(text)
    return _loaded(_EDGE_QUOTE.sub('"', text)) if found is _NOTHING and "'" in text else found


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return _NOTHING


def _unwrap_strings(text: str) -> str:
    """Return the text with each string that contains just a JSON object or list replaced by that object or list."""
    plain = '"{' not in text and '"[' not in text and _SPACED.search(text) is None
    if plain or _OPENING.search(text) is None:
        return _restore(text)
    text = text.replace('\\"', _DOUBLE).replace("\\'", _SINGLE)
    scans = SCAN_LIMIT // (len(text) + 1)
    for string in _STRING.findall(text):
        if string[1] not in "{[ \t\n\r":
            continue
        inside = string[1:-1].replace(_DOUBLE, '"').replace(_SINGLE, "'")
        inner = _loaded(inside) if _INNER.match(inside) else _NOTHING
        if inner is not _NOTHING and scans > 0:
            scans -= 1
            text = text.replace(string, json.dumps(inner))
    return _restore(text)


_SPACED = lazy_pattern(r'"\s+[{\[]')


def _restore(text: str) -> str:
    """Return the text with escaped quotes in place of the placeholders that the released code puts in for them.

    A placeholder that the response itself contained is replaced, too.
    """
    return text.replace(_DOUBLE, '\\"').replace(_SINGLE, "\\'") if "_QUOTE__" in text else text


_BRACKETS = lazy_pattern(r"[{}\[\]]")
# Steps that the released search makes in 0.1 s on the machine of the golden vectors, within a factor of 2.
STEP_LIMIT = 230_000.0
_PLAIN_STEP = 0.3

Tokens = list[tuple[int, str]]


def candidate_spans(text: str) -> list[tuple[int, int]] | None:
    """Return the spans of the objects and lists of a text, in order; None if the released search times out.

    An object extends to the brace that balances its first one. A list extends to the last closing bracket before the
    brace that closes the surrounding object; brackets within it need not balance.
    Examples:
        >>> text = "[1] and [2], {'a': {}}"
        >>> [text[a:b] for a, b in candidate_spans(text) or ()]
        ['[1] and [2]', "{'a': {}}"]
    """
    if text[:1] == "{" and text[-1:] == "}" and text.count("{") == text.count("}") == 1:
        return [(0, len(text))]
    tokens = [(match.start(), match.group()) for match in _BRACKETS.finditer(text)]
    if not tokens:
        return []
    partner = _brace_partners(tokens)
    if partner[0] == len(tokens) - 1:
        return [(tokens[0][0], tokens[-1][0] + 1)]
    last = _last_closings(tokens, partner)
    search: _Search | None = None
    spans = []
    steps = 0.0
    index = 0
    while index < len(tokens):
        kind = tokens[index][1]
        end = partner[index] if kind == "{" else last[index + 1] if kind == "[" else -1
        if kind == "[" or (kind == "{" and end < 0):
            search = search or _Search(tokens, partner, len(text))
            steps += search.frame(max(index, end) + 1, kind)[0]
            if steps > STEP_LIMIT:
                return None
        if end >= 0:
            spans.append((tokens[index][0], tokens[end][0] + 1))
        index = max(index, end) + 1
    return spans


class _Search:
    """A counter of the steps that the released code's search takes by backtracking, from each opening bracket.

    It is made from the brackets of a text (``tokens``), the result of `_brace_partners` for them, and its length.
    """

    def __init__(self, tokens: Tokens, partner: list[int], length: int) -> None:
        self._tokens, self._partner, self._length = tokens, partner, length
        # For every opening bracket: the steps of its frame, and the tokens at which its list may end.
        self._tried: list[tuple[float, list[int]]] = [(0.0, [])] * len(tokens)
        for index in range(len(tokens) - 1, -1, -1):
            if tokens[index][1] in "[{":
                self._tried[index] = self.frame(index + 1, tokens[index][1])

    def frame(self, index: int, kind: str) -> tuple[float, list[int]]:
        """Return the steps of an attempt to match an object or list, and the indexes of the tokens where it may end.

        It begins with the bracket ``kind``, just before the token at ``index``. Steps above the limit are infinite.
        """
        steps, arrivals = 0.0, 1.0
        ends: list[int] = []
        again: dict[int, float] = {}  # how often the search reaches a token from the end of a list
        before = self._tokens[index - 1][0]
        while index < len(self._tokens):
            place, token = self._tokens[index]
            arrivals += again.pop(index, 0.0)
            steps += arrivals * (1.0 + _PLAIN_STEP * (place - before - 1))
            if token == "}":
                return steps, ends
            inner, closings = self._tried[index]
            if token == "[":
                steps += inner * arrivals if closings else inner
                for closing in closings:
                    again[closing + 1] = again.get(closing + 1, 0.0) + arrivals
            elif token == "]":
                if kind == "[":
                    ends.append(index)
            elif self._partner[index] < 0:
                return steps + inner, ends
            else:
                steps += inner * arrivals
                index = self._partner[index]
            if steps > STEP_LIMIT:
                return math.inf, ends
            before = self._tokens[index][0]
            index += 1
        return steps + (arrivals + sum(again.values())) * _PLAIN_STEP * (self._length - before - 1), ends


def _brace_partners(tokens: Tokens) -> list[int]:
    """Return, for each token, the index of the brace that closes it; -1 if it is no opening brace or never closed."""
    partner = [-1] * len(tokens)
    open_braces: list[int] = []
    for index, (_, kind) in enumerate(tokens):
        if kind == "{":
            open_braces.append(index)
        elif kind == "}" and open_braces:
            partner[open_braces.pop()] = index
    return partner


def _last_closings(tokens: Tokens, partner: list[int]) -> list[int]:
    """Return, for each token, the index of the last `]` from there on at which a list around it may end; -1 for none.

    ``partner`` is the result of `_brace_partners`.
    """
    last = [-1] * (len(tokens) + 1)
    for index in range(len(tokens) - 1, -1, -1):
        kind = tokens[index][1]
        if kind == "{":
            last[index] = last[partner[index] + 1] if partner[index] >= 0 else -1
        elif kind != "}":
            further = last[index + 1]
            last[index] = further if further >= 0 or kind == "[" else index
    return last
