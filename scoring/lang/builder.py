"""The base of the builders of pipelines and formulas: spans, texts and numbers, and findings about them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from typing import Any

from lark import Token, Transformer_NonRecursive
from lark.tree import Meta

from scoring.diagnostics.diagnostic import Diagnostics, Label
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits
from scoring.lang.words import BadEscape, unquoted_text


class TreeBuilder(Transformer_NonRecursive[Token, Any]):
    """The base class of builders that turn Lark's parse tree into a syntax tree; errors are collected in `found`.

    A method is called with the place of its rule and the rule's children. Lark's `v_args(meta=True)` does the same, but
    makes a new wrapper for each call.
    """

    def __init_subclass__(cls) -> None:
        for method in filter(isfunction, list(vars(cls).values())):
            vars(method)["visit_wrapper"] = _with_meta

    def __init__(self, fragment: Fragment) -> None:
        super().__init__(visit_tokens=False)
        self.fragment = fragment
        self.found = Diagnostics()

    def span(self, at: Token | Meta) -> Span:
        """Return the span in the file of a token, or of the text of a grammar rule."""
        return self.fragment.span(at.start_pos or 0, at.end_pos or 0)

    def name(self, token: Token) -> str:
        """Return the name that a token contains: a bare word, or the text inside quotes."""
        return self.text(token) if token.type == "TEXT" else str(token)

    def text(self, token: Token) -> str:
        """Return the text inside a quoted token; report a bad escape, and return the token as written if it has one."""
        try:
            return unquoted_text(token)
        except BadEscape as bad:
            from scoring.diagnostics.meant import Advice

            start, raw = token.start_pos or 0, f"r{token}" if token[0] not in token[1:-1] else ""
            span = self.fragment.span(start, start + len(token))
            self.found.error(
                "syntax-escape",
                f"`{bad.escape}` is not an escape",
                self.fragment.span(start + bad.start, start + bad.end),
                "unknown escape",
                help=[
                    *([Advice.of(f"a pattern is written raw: `{raw}`", span, raw)] if raw else []),
                    f"for a backslash itself write two: `{token.replace(chr(92), chr(92) * 2)}`",
                ],
                note="the escapes are those of JSON, and \\' in single quotes",
            )
            return str(token)

    def number(self, tokens: list[Token]) -> int | float:
        """Return the number in tokens, an optional sign and digits; report one that is too long or infinite."""
        written = "".join(tokens)
        value: int | float = 0
        if len(written) <= limits.DIGITS:
            value = float(written) if any(mark in written for mark in ".eE") else int(written)
        if len(written) > limits.DIGITS or value in (float("inf"), float("-inf")):
            self.found.error(
                "syntax-number",
                "this number is too large or too long",
                self.span(tokens[0]).to(self.span(tokens[-1])),
                f"at most {limits.DIGITS} characters and 1.8e308",
            )
            return 0
        return value

    def check_once(self, kind: str, names: list[tuple[str, Span]]) -> None:
        """Report each name that occurs a second time in `names`; `kind` is the word for a name in the message."""
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


def _with_meta(method: Callable[[Meta, list[Any]], Any], _rule: str, children: list[Any], meta: Meta) -> Any:
    return method(meta, children)
