"""What reading pipelines and reading formulas share: the tokens from left to right, and what is wrong with them.

The readers are written by hand, after the rules of `grammar.lark`, and read what that grammar reads: a test
holds them to it with Lark. Brackets are at most limits.DEPTH deep when they run (see scan.py), each takes a dozen
calls, and operators take none, so recursion is bounded. What a grammar cannot say is checked here, too: each name once,
escapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from scoring.depth import has_fresh_stack
from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits
from scoring.lang.scan import END, Token, scan, too_large
from scoring.lang.words import BadEscape, unquote
from scoring.late import pattern

if TYPE_CHECKING:
    from scoring.lang.mistake import Place

T = TypeVar("T")

_NUMBER = pattern(r"(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Refused(Exception):
    """An expression that is not of the grammar; what to say of it is worked out only where somebody is told."""

    def __init__(self, split: bool = False) -> None:
        super().__init__()
        self.split = split


class TokenReader:
    """Reads one expression; ``entry`` is what it is: pipeline, formula or path."""

    entry = "pipeline"

    def __init__(self, fragment: Fragment, entry: str = "") -> None:
        self.fragment, self.tokens, self.entry = fragment, scan(fragment), entry or self.entry
        self.found = Diagnostics()
        self.index = 0
        # What could stand at the token with an index; when that one is refused, it says what was expected.
        self._wished: dict[int, list[str]] = {}

    def read(self, rule: Callable[[], T], meant: Callable[[], str]) -> T:
        """The whole expression by one rule; raises SpecError for all that is wrong with it, with what was meant."""
        try:
            found = self.whole(rule)
        except Refused as refused:
            raise self.explained(refused.split, meant()) from None
        self.found.raise_errors()
        return found

    def whole(self, rule: Callable[[], T]) -> T:
        """The whole expression by one rule; raises Refused, and leaves in `found` what else is wrong."""
        try:
            found = rule()
        except RecursionError:
            if not has_fresh_stack():  # whoever calls has used up most of what Python has: it is read anew
                raise
            raise too_large(self.fragment.whole, "brackets stand too deep") from None
        if self.token is not END:
            self.wish("the end")
            raise Refused
        return found

    # ---- tokens

    @property
    def token(self) -> Token:
        """The token that is next."""
        return self.tokens[self.index] if self.index < len(self.tokens) else END

    def wish(self, *words: str, ahead: int = 0) -> None:
        """Note what could stand here, or some tokens further on."""
        self._wished.setdefault(self.index + ahead, []).extend(words)

    def is_next(self, text: str) -> bool:
        """Whether a sign or a word stands behind the next token."""
        return self.index + 1 < len(self.tokens) and self.tokens[self.index + 1].text == text

    def take(self, text: str) -> bool:
        """Step over a sign or a word if it is next."""
        if self.token.text == text:
            self.index += 1
            return True
        self.wish(f"`{text}`")
        return False

    def need(self, text: str) -> None:
        """Step over a sign that must be next."""
        if not self.take(text):
            raise Refused

    def step(self) -> Token:
        """Step over the next token, whatever it is."""
        token = self.token
        self.index += 1
        return token

    def refused_at(self, split: bool) -> Place:
        """Where the token stands that was refused."""
        from scoring.lang.mistake import Place

        return Place(self.entry, self.tokens, self.index, split, self.fragment.text)

    def explained(self, split: bool, meant: str) -> SpecError:
        """What to say of the token that was refused: the known mistake, or what was expected."""
        from scoring.lang.mistake import explain

        return explain(self.refused_at(split), self.fragment, self._wished.get(self.index, []), meant)

    def separated(self, closer: str) -> Iterator[None]:
        """Once before each part of what a bracket holds: commas stand between, and may stand at the end."""
        while not self.take(closer):
            yield
            if not self.take(","):
                self.need(closer)
                return

    # ---- places, texts, numbers

    def span(self, start: int) -> Span:
        """Where the tokens from an index up to the next one stand in the file."""
        return self.fragment.span(self.tokens[start].start, self.tokens[self.index - 1].end)

    def name(self, *words: str) -> str:
        """A bare word, or the text of a quoted one."""
        self.wish(*words)
        if self.token.kind not in ("word", "text"):
            raise Refused
        token = self.step()
        return self.text(token) if token.kind == "text" else token.text

    def text(self, token: Token) -> str:
        """The text inside a quoted token; a bad escape is noted and the text left as it is."""
        try:
            return unquote(token.text)
        except BadEscape as bad:
            self.found.error(
                "syntax-escape",
                f"`{bad.escape}` is no escape",
                self.fragment.span(token.start + bad.start, token.start + bad.end),
                "unknown escape",
                help=[
                    *([f"a pattern is written raw: `r{token.text}`"] if token.text[:1] not in token.text[1:-1] else []),
                    f"for a backslash itself write two: `{token.text.replace(chr(92), chr(92) * 2)}`",
                ],
                note="the escapes are those of JSON, and \\' in single quotes",
            )
            return token.text

    def number(self, sign: str = "") -> int | float:
        """The number that is next, behind its sign; refused if no computer number is like it."""
        self.wish("a number")
        token = self.token
        if token.kind != "number" or not _NUMBER.fullmatch(token.text):
            raise Refused(split=token.kind == "number")
        start = self.index - len(sign)
        self.index += 1
        written = sign + token.text
        value: int | float = 0
        if len(written) <= limits.DIGITS:
            value = float(written) if any(mark in written for mark in ".eE") else int(written)
        if len(written) > limits.DIGITS or value in (float("inf"), float("-inf")):
            self.found.error(
                "syntax-number",
                "this number is too large or too long",
                self.span(start),
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
