"""Match tokens against shapes of expressions such as `{a} if {c} else {b}`, and return the text of each placeholder."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.lang.scan import Token
from scoring.lazy_pattern import lazy_pattern

_HOLE = lazy_pattern(r"\{([a-z]+)\}")
_OPENS, _CLOSES = frozenset("([{"), frozenset(")]}")


def part_around(tokens: Sequence[Token], index: int) -> tuple[int, int]:
    """Return the start and end (exclusive) of the range of tokens between the brackets or commas around one token.

    Examples:
        >>> from scoring.diagnostics.source import Fragment
        >>> from scoring.lang.scan import scan
        >>> part_around(scan(Fragment.of("f(a, b if c else d)")), 5)
        (4, 9)
    """
    start = end = min(index, len(tokens))
    for step, turned, ends in ((-1, _CLOSES, _OPENS), (1, _OPENS, _CLOSES)):
        depth, at = 0, start - 1 if step < 0 else end
        while 0 <= at < len(tokens):
            text = tokens[at].text if tokens[at].kind != "text" else ""
            depth += text in turned
            if not depth and (text in ends or (text == "," and tokens[at].inside)):
                break
            depth -= text in ends
            at += step
        start, end = (at + 1, end) if step < 0 else (start, at)
    return start, end


def captured(shape: str, text: str, tokens: Sequence[Token]) -> dict[str, str] | None:
    """Return the text of each placeholder of a shape, by its name; None if the tokens of `text` don't match the shape.

    Examples:
        >>> from scoring.diagnostics.source import Fragment
        >>> from scoring.lang.scan import scan
        >>> text = "a if b > 0.5 else 0"
        >>> captured("{a} if {c} else {b}", text, scan(Fragment.of(text)))
        {'a': 'a', 'c': 'b > 0.5', 'b': '0'}
    """
    found: dict[str, str] = {}
    at, parts = 0, shape.split()
    for place, part in enumerate(parts):
        hole = _HOLE.fullmatch(part)
        if hole is None:
            if at >= len(tokens) or tokens[at].text != part:
                return None
            at += 1
            continue
        end = _end_of_hole(tokens, at, parts[place + 1] if place + 1 < len(parts) else None)
        if end is None:
            return None
        found[hole[1]] = text[tokens[at].start : tokens[end - 1].end]
        at = end
    return found if at == len(tokens) else None


def _end_of_hole(tokens: Sequence[Token], start: int, until: str | None) -> int | None:
    """Return the index at which a placeholder's tokens end: that of the next token `until` outside of brackets.

    If `until` is None, they extend to the last token. The result is None if there is no such end.
    """
    depth = 0
    for at in range(start, len(tokens)):
        token = tokens[at]
        if not depth and at > start and token.text == until and token.kind != "text":
            return at
        if token.kind != "text":
            depth += (token.text in _OPENS) - (token.text in _CLOSES)
        if depth < 0:
            return None
    return len(tokens) if until is None and start < len(tokens) else None
