"""The output formats by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scoring.diagnostics.diagnostic import Diagnostic
from scoring.diagnostics.render import concise, github, json, text

Renderer = Callable[[Iterable[Diagnostic], bool], str]

FORMATS: dict[str, Renderer] = {
    "text": text.render,
    "concise": concise.render,
    "json": json.render,
    "github": github.render,
}


def render(diagnostics: Iterable[Diagnostic], format: str = "text", color: bool = False) -> str:  # noqa: A002
    """Draw findings in one of the formats; nothing found is an empty text, except in JSON.

    Args:
        diagnostics: The findings.
        format: text, concise, json or github.
        color: Whether to use terminal colours where the format has them.

    Examples:
        >>> render([Diagnostic("unused-field", "warning", "no scorer for `a`")], "concise")
        'warning[unused-field] no scorer for `a`'
    """
    return FORMATS[format](diagnostics, color)
