"""Findings as a file for another program, which is the whole output of a command: ``--format sarif``.

Such a report is a plug-in of the group ``scoring.reports``: the name of its entry point is the word after ``--format``,
and its value is a function that takes the findings, the result of the command or None, and whether warnings are
failures, and returns a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostic
from scoring.registry import plugins
from scoring.registry.extension import provided

GROUP = "scoring.reports"


def other_reports() -> Iterator[str]:
    """Yield the names of the reports, formats for findings, that other packages provide."""
    if plugins.is_mentioned(GROUP):
        yield from (plugin.name for plugin in plugins.others(GROUP))


def render_report(name: str, findings: Sequence[Diagnostic], tried: Any = None, strict: bool = False) -> str:
    """Return the findings of a command as a report for another program, with one newline at its end.

    Args:
        name: The name of the report's format, such as ``sarif``.
        findings: The findings.
        tried: The command's result apart from findings, such as the examples that were run.
        strict: Whether warnings are failures.

    Raises:
        InputError: when no extension provides it.
    """
    text: str = provided(GROUP, name, f"--format {name}")(findings, tried, strict)
    return text.rstrip("\n") + "\n"
