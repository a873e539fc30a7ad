"""Findings as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics
from scoring.diagnostics.source import Span


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """One `::error …::message` line for each finding.

    Args:
        diagnostics: The findings.
        color: Taken for the sake of one interface; the commands have no colour.

    Examples:
        >>> print(render([Diagnostic("unknown-name", "error", "nothing is called `a:b`")]))
        ::error title=unknown-name::nothing is called `a:b`
    """
    return "\n".join(_command(diagnostic) for diagnostic in Diagnostics(diagnostics).sorted())


def _command(diagnostic: Diagnostic) -> str:
    properties = _place(diagnostic.span) if diagnostic.span else {}
    properties["title"] = diagnostic.id
    written = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    lines = [
        diagnostic.message,
        diagnostic.primary.text,
        *(f"help: {text}" for text in diagnostic.help),
        *(f"note: {text}" for text in diagnostic.note),
    ]
    return f"::{diagnostic.severity} {written}::{_escaped(chr(10).join(line for line in lines if line))}"


def _place(span: Span) -> dict[str, str]:
    line, column = span.source.line_column(span.start)
    end_line, end_column = span.source.line_column(max(span.start, span.end - 1))
    place = {"file": span.source.name, "line": str(line), "endLine": str(end_line)}
    if line == end_line:  # columns are refused for a finding over several lines
        place |= {"col": str(column), "endColumn": str(end_column)}
    return place


def _escaped(text: str, more: str = "") -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")  # half a character can't be written
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
