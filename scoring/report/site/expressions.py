"""An expression drawn with its parts marked and its names as links."""

from __future__ import annotations

from collections.abc import Callable

from scoring.report.site.markup import Child, Markup, el, join, text
from scoring.report.site.model import ExpressionMark, ShownExpression

Linked = Callable[[str], str]
"""Makes of a target the address from the page that is drawn."""


def expression_block(shown: ShownExpression, linked: Linked) -> Markup:
    """The expression as a block of code."""
    return el("pre", el("code", expression_line(shown, linked)), class_="expression")


def expression_line(shown: ShownExpression, linked: Linked) -> Markup:
    """The expression as code in a line."""
    parts: list[Child] = []
    at = 0
    for mark in shown.marks:
        parts += [text(shown.text[at : mark.start]), _marked(shown.text[mark.start : mark.end], mark, linked)]
        at = mark.end
    return join([*parts, text(shown.text[at:])])


def _marked(part: str, mark: ExpressionMark, linked: Linked) -> Markup:
    look = f"x-{mark.look}"
    if not mark.target:
        return el("span", text(part), class_=look)
    return el("a", text(part), href=linked(mark.target), class_=look, title=mark.title or None)
