"""The spans that the released search for JSON objects finds: braces balanced, brackets not, longest first.

The released search backtracks: on unclosed brackets its work doubles with every bracket, until its limit of 0.1 s
ends it. How many steps it would take is counted here exactly enough to know, in linear time, whether it gets there.
"""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"[{}\[\]]")
# Steps that the released search makes in 0.1 s on the machine of the golden vectors, give or take a factor of 2.
STEP_LIMIT = 300_000.0
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
    spans = []
    steps = 0.0
    index = 0
    while index < len(tokens):
        kind = tokens[index][1]
        end = partner[index] if kind == "{" else last[index + 1] if kind == "[" else -1
        if kind == "[" or (kind == "{" and end < 0):
            steps += _search_steps(tokens, len(text), max(index, end) + 1, [1.0] if kind == "{" else [0.0, 1.0])
            if steps > STEP_LIMIT:
                return None
        if end >= 0:
            spans.append((tokens[index][0], tokens[end][0] + 1))
        index = max(index, end) + 1
    return spans


def _search_steps(tokens: Tokens, length: int, start: int, ways: list[float]) -> float:
    """How many steps the backtracking search makes in vain from a token on.

    ``ways[k]`` counts the ways to be here with k lists open since the last open brace: an opening bracket is read
    either as a character or as the begin of a list, a closing one as a character or as the end of the innermost list.
    """
    steps = 0.0
    factor = 1.0
    outer: list[tuple[float, list[float]]] = []
    before = tokens[start - 1][0]
    for index in range(start, len(tokens)):  # no slice: a thousand starts would copy a thousand tails
        place, kind = tokens[index]
        total = sum(ways) * factor
        steps += total * (1.0 + _PLAIN_STEP * (place - before - 1))
        before = place
        if steps > STEP_LIMIT or total == 0.0:
            return steps
        if kind == "[":
            ways = [stay + enter for stay, enter in zip([*ways, 0.0], [0.0, *ways], strict=True)]
        elif kind == "]":
            ways = [stay + leave for stay, leave in zip(ways, [*ways[1:], 0.0], strict=True)]
        elif kind == "{":
            outer.append((factor, ways))
            factor, ways = total, [1.0]
        elif not outer:
            return steps
        else:
            inside = ways[0]
            factor, ways = outer.pop()
            ways = [count * inside for count in ways]
    return steps + sum(ways) * factor * _PLAIN_STEP * (length - before)


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
