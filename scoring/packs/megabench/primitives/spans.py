"""The spans that the released search for JSON objects finds: braces balanced, brackets not, longest first.

The released search backtracks: on unclosed brackets its work doubles with every bracket, until its limit of 0.1 s
ends it. How many steps it would take is counted here, in linear time, to know whether it gets there.

The count follows the search as it was measured. Each bracket that may begin an object or a list is tried as one, which
opens a frame of its own. A frame reads a bracket of a list first as a character, then as the begin of a list. A list
gives back every place where it may end, once each, and the frame goes on behind it again, trying further lists again;
an object gives back one. What can't end at all is tried once in a frame.
"""

from __future__ import annotations

import math
import re

_BRACKETS = re.compile(r"[{}\[\]]")
# Steps that the released search makes in 0.1 s on the machine of the golden vectors, give or take a factor of 2.
STEP_LIMIT = 230_000.0
_PLAIN_STEP = 0.3

Tokens = list[tuple[int, str]]


def candidate_spans(text: str) -> list[tuple[int, int]] | None:
    """Where the objects and lists of a text stand, from left to right; None where the released search times out.

    An object reaches to the brace that balances its first one. A list reaches to the last closing bracket before the
    brace that closes what it stands in; brackets within it need not balance.

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
    """The steps that the backtracking search makes in vain, counted for each bracket that it may try as a begin."""

    def __init__(self, tokens: Tokens, partner: list[int], length: int) -> None:
        self._tokens, self._partner, self._length = tokens, partner, length
        # Of every opening bracket: the steps of its frame, and the tokens where its list may end.
        self._tried: list[tuple[float, list[int]]] = [(0.0, [])] * len(tokens)
        for index in range(len(tokens) - 1, -1, -1):
            if tokens[index][1] in "[{":
                self._tried[index] = self.frame(index + 1, tokens[index][1])

    def frame(self, index: int, kind: str) -> tuple[float, list[int]]:
        """The steps of a frame from a token on, and where it may end; infinitely many where the limit is passed."""
        steps, arrivals = 0.0, 1.0
        ends: list[int] = []
        again: dict[int, float] = {}  # how often the search comes to a token from the end of a list
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
    """For each opening brace the token that closes it, -1 where nothing does."""
    partner = [-1] * len(tokens)
    open_braces: list[int] = []
    for index, (_, kind) in enumerate(tokens):
        if kind == "{":
            open_braces.append(index)
        elif kind == "}" and open_braces:
            partner[open_braces.pop()] = index
    return partner


def _last_closings(tokens: Tokens, partner: list[int]) -> list[int]:
    """From each token on, the last closing bracket that a list begun before it may end with, -1 for none."""
    last = [-1] * (len(tokens) + 1)
    for index in range(len(tokens) - 1, -1, -1):
        kind = tokens[index][1]
        if kind == "{":
            last[index] = last[partner[index] + 1] if partner[index] >= 0 else -1
        elif kind != "}":
            further = last[index + 1]
            last[index] = further if further >= 0 or kind == "[" else index
    return last
