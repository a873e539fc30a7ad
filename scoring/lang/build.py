"""From the parser's tree to ours: values decoded, parentheses gone, every node with its place.

Brackets are at most limits.DEPTH deep and operators at most limits.STEPS many when this runs (see scan.py), so
recursion is bounded. What the grammar cannot say is checked here: each name once, positions before names, escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import Diagnostics, Label
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits
from scoring.lang.words import BadEscape, unquote

if TYPE_CHECKING:
    from lark import Token, Tree

    Parsed = Tree[Token]


class Builder:
    """What building pipelines and building formulas share: places, texts, numbers, and the errors found."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment
        self.found = Diagnostics()

    def span(self, part: Parsed) -> Span:
        """Where a part stands in the file."""
        return self.fragment.span(part.meta.start_pos, part.meta.end_pos)

    def token_span(self, token: Token) -> Span:
        """Where a token stands in the file."""
        return self.fragment.span(token.start_pos or 0, token.end_pos or 0)

    def text(self, token: Token) -> str:
        """The text inside a quoted token; a bad escape is noted and the text left as it is."""
        try:
            return unquote(token)
        except BadEscape as bad:
            start = token.start_pos or 0
            self.found.error(
                "syntax-escape",
                f"`{bad.escape}` is no escape",
                self.fragment.span(start + bad.start, start + bad.end),
                "unknown escape",
                help=f"for a backslash itself write two: `{token.replace(chr(92), chr(92) * 2)}`",
                note="the escapes are those of JSON, and \\' in single quotes",
            )
            return str(token)

    def name(self, token: Token) -> str:
        """A bare word, or the text of a quoted one."""
        return self.text(token) if token.type == "TEXT" else str(token)

    def number(self, part: Parsed) -> int | float:
        """A number with an optional sign, refused if no computer number is like it."""
        written = "".join(token_texts(part))
        value: int | float = 0
        if len(written) <= limits.DIGITS:
            value = float(written) if any(mark in written for mark in ".eE") else int(written)
        if len(written) > limits.DIGITS or value in (float("inf"), float("-inf")):
            self.found.error(
                "syntax-number",
                "this number is too large or too long",
                self.span(part),
                f"at most {limits.DIGITS} characters and 1.8e308",
            )
            return 0
        return value

    def check_once(self, kind: str, names: list[tuple[str, Span]]) -> None:
        """Note every name that was written before."""
        first: dict[str, Span] = {}
        for name, span in names:
            if name in first:
                self.found.error(
                    "syntax-repeated-name",
                    f"the {kind} `{name}` is given twice",
                    span,
                    "given again",
                    secondary=[Label(first[name], "given here first")],
                )
            first.setdefault(name, span)

    def check_count(self, what: str, count: int, span: Span) -> None:
        """Note a pipeline that is too long."""
        if count > limits.STEPS:
            self.found.error(
                "syntax-limit",
                f"a pipeline has at most {limits.STEPS} {what}, this has {count}",
                span,
                "too long",
                help="give its parts names under `scorers:` of a pack and use the names",
            )


def token_texts(part: Parsed) -> list[str]:
    """The texts of the tokens directly below a part."""
    return [child for child in part.children if isinstance(child, str)]


def parts(part: Parsed) -> list[Parsed]:
    """The parts directly below a part, tokens left out."""
    return [child for child in part.children if not isinstance(child, str)]


def tokens(part: Parsed) -> list[Token]:
    """The tokens directly below a part."""
    return [child for child in part.children if isinstance(child, str)]
