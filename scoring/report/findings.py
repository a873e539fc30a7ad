"""Findings as a file for another program, which is the whole output of a command: ``--format sarif``.

Such a report is a plug-in of the group ``scoring.reports``: the name of its entry point is the word after ``--format``,
and its value is a function that takes the findings, the result of the command or None, and whether warnings are
failures, and returns a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic

GROUP = "scoring.reports"
LAYOUTS = ("text", "concise", "json", "github")
"""The formats of findings that are printed beside a result."""
REPORTS = ("sarif", "junit")
"""The reports of our extensions."""


class FindingFormats:
    """The formats that a command offers: those of the core, some reports of ours, and all reports of other packages,
    which are looked up only when one that is not ours is requested."""

    def __init__(self, reports: Sequence[str]) -> None:
        self._named = (*LAYOUTS, *reports)
        self._has_reports = bool(reports)

    def __iter__(self) -> Iterator[str]:
        yield from self._named
        from scoring.registry import plugins

        if self._has_reports and plugins.is_mentioned(GROUP):
            yield from (plugin.name for plugin in plugins.others(GROUP) if plugin.name not in (*LAYOUTS, *REPORTS))


def is_report(layout: str) -> bool:
    """Return whether a format of findings is a report, so that nothing else may be printed.

    Examples:
        >>> is_report("text"), is_report("sarif")
        (False, True)
    """
    return layout not in LAYOUTS


def render_report(name: str, findings: Sequence[Diagnostic], tried: Any = None, strict: bool = False) -> str:
    """Return the report of a command, with one newline at its end.

    Args:
        name: The report, such as ``sarif``; also where nothing was found it has a text.
        findings: The findings.
        tried: The result of the command that has more than findings, such as examples that were run.
        strict: Whether warnings are failures.

    Raises:
        InputError: when no extension provides it.
    """
    from scoring.registry.extension import provided

    text: str = provided(GROUP, name, f"--format {name}")(findings, tried, strict)
    return text.rstrip("\n") + "\n"
