"""Scan an expression in linear time, before it is parsed: its tokens, its brackets, and its size.

The scan limits nesting before anything recurses, and reports an unclosed bracket or quote where it was opened. The
tokens are also used to explain errors of the parser.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.diagnostics.diagnostic import Label, SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits
from scoring.lazy_pattern import lazy_pattern

TOKEN = lazy_pattern(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<text>r?(?:"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'))
    | (?P<word>[^\W\d]\w*)
    | (?P<number>(?:[0-9][0-9.]*[eE][+-][0-9]|[0-9])[\w.]*)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<operator>===|!==|\|\||&&|\*\*|//|->|=>|:=|<>|==|!=|<=|>=|[|,.=:<>+\-*/])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_OPERATORS = frozenset({"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "in", "["})
# `>` is not included, since some people write it for `|`.
_FORMULA_OPERATORS = frozenset({"+", "*", "**", "%", "<", "<=", ">=", "==", "!="})


class Token(NamedTuple):
    """A word, text, number, bracket or operator in an expression, with its offsets and the bracket it is inside of."""

    kind: str
    text: str
    start: int
    end: int
    inside: str


END = Token("end", "", 0, 0, "")


def scan(fragment: Fragment) -> list[Token]:
    """Return the tokens of an expression; raise SpecError for unclosed brackets, odd characters and excessive size."""
    text = fragment.text
    if len(text) > limits.LENGTH:
        raise too_large(
            fragment.whole, f"an expression has at most {limits.LENGTH:,} characters, but this one has {len(text):,}"
        )
    tokens: list[Token] = []
    opened: list[Token] = []
    odd: set[str] = set()  # those that the parser refuses
    for found in TOKEN.finditer(text):
        kind = found.lastgroup or "other"
        if kind == "space":
            continue
        inside = opened[-1].text if opened else ""
        token = Token(kind, found[0], found.start(), found.end(), inside)
        tokens.append(token)
        if kind == "open":
            opened.append(token)
            if len(opened) > limits.DEPTH:
                raise too_large(fragment.span(token.start, token.end), f"brackets nest at most {limits.DEPTH} deep")
        elif kind == "close":
            _close(fragment, opened, token)
        elif kind == "other" and token.text not in odd:
            odd.add(token.text)
            _refuse(fragment, token)
    if opened:
        raise _unclosed(fragment, opened[-1], len(text))
    return tokens


def check_operators(fragment: Fragment, tokens: list[Token]) -> None:
    """Raise SpecError if a formula, given with its tokens, has more operators than allowed; `x[i]` counts as one."""
    count = sum(token.text in _OPERATORS for token in tokens if token.kind != "text")
    if count > limits.STEPS:
        raise too_large(fragment.whole, f"a formula has at most {limits.STEPS} operators, but this one has {count}")


def has_formula_operator(fragment: Fragment) -> bool:
    """Return whether an expression has, outside of quotes, an operator that only formulas have.

    Examples:
        >>> has_formula_operator(Fragment.of("a.b == 1")), has_formula_operator(Fragment.of('find("a+") | equal'))
        (True, False)
    """
    try:
        return any(token.kind == "operator" and token.text in _FORMULA_OPERATORS for token in scan(fragment))
    except SpecError:
        return False


def has_pipe(fragment: Fragment) -> bool:
    """Return whether an expression has a `|` outside of quotes, as pipelines of several steps have."""
    try:
        return any(token.text == "|" for token in scan(fragment))
    except SpecError:
        return "|" in fragment.text


def _close(fragment: Fragment, opened: list[Token], token: Token) -> None:
    if not opened:
        raise SpecError.of(
            "syntax-unopened-bracket",
            f"`{token.text}` closes a bracket that was never opened",
            fragment.span(token.start, token.end),
            "nothing to close",
        )
    opener = opened.pop()
    if _CLOSES[opener.text] != token.text:
        raise _unclosed(fragment, opener, token.start, token.end)


def _unclosed(fragment: Fragment, opener: Token, start: int, end: int | None = None) -> SpecError:
    wanted = _CLOSES[opener.text]
    return SpecError.of(
        "syntax-unclosed-bracket",
        f"`{opener.text}` is never closed",
        fragment.span(opener.start, opener.end),
        f"needs a `{wanted}`",
        secondary=[Label(fragment.span(start, start if end is None else end), f"expected `{wanted}` by here")],
    )


def _refuse(fragment: Fragment, token: Token) -> None:
    span = fragment.span(token.start, token.end)
    if token.text in "\"'":
        raise SpecError.of(
            "syntax-unclosed-text",
            "this text is never closed",
            span,
            f"needs another {token.text} on its line",
            help="write a line break inside a text as \\n, and a quote as \\\" or \\'",
        )
    from scoring.diagnostics.meant import Advice
    from scoring.lang.characters import LOOKALIKES, describe_character, replace_lookalikes

    if token.text in LOOKALIKES:
        plain, plain_text = LOOKALIKES[token.text], replace_lookalikes(fragment.text)
        raise SpecError.of(
            "syntax-character",
            f"{describe_character(token.text)} is not part of the language",
            span,
            f"write {plain}",
            help=Advice.of(f"with plain characters: `{plain_text}`", fragment.whole, plain_text),
        )


def too_large(span: Span | None, message: str, note: str = "") -> SpecError:
    """Return the error for an expression that exceeds a limit, which `message` names."""
    advice = "give its parts names under `scorers:` of a pack and use the names"
    return SpecError.of("syntax-limit", message, span, "too large", help=advice, note=note)
