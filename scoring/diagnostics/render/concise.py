"""Findings one a line, as editors and grep read them."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics
from scoring.diagnostics.width import display


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """One line for each finding: `file:line:column: severity[id] message: label`.

    Args:
        diagnostics: The findings.
        color: Taken for the sake of one interface; these lines are for programs and have no colour.

    Examples:
        >>> from scoring.diagnostics.source import Source
        >>> found = Diagnostics()
        >>> found.error("unknown-name", "nothing is called `numbr`", Source("a.yaml", "numbr").span(0, 5))
        >>> render(found)
        'a.yaml:1:1: error[unknown-name] nothing is called `numbr`'
    """
    return "\n".join(_line(diagnostic) for diagnostic in Diagnostics(diagnostics).sorted())


def _line(diagnostic: Diagnostic) -> str:
    place = f"{diagnostic.span}: " if diagnostic.span else ""
    label = f": {diagnostic.primary.text}" if diagnostic.primary.text else ""
    return display(f"{place}{diagnostic.severity}[{diagnostic.id}] {diagnostic.message}{label}".replace("\n", " "))
