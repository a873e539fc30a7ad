"""Shows findings in the format that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scoring.cli.console import CLEAN, FINDINGS, Console, SafeStream
from scoring.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from scoring.report.junit import JunitCase

REPORTS = ("sarif", "junit")
"""Formats that are a file for another program: the whole of standard output, also where nothing was found."""


def show(
    findings: Iterable[Diagnostic],
    console: Console,
    layout: str = "text",
    stream: SafeStream | None = None,
    *,
    cases: Callable[[], Mapping[str, Sequence[JunitCase]]] | None = None,
) -> int:
    """Print findings, on stderr unless told otherwise; gives the exit code that they mean.

    Args:
        findings: What was found.
        console: Where the command writes.
        layout: The format; `REPORTS` go to standard output.
        stream: Where other formats go.
        cases: What was tried, for JUnit; without, a suite for each file in which something was found.
    """
    found = list(findings)
    code = FINDINGS if any(one.severity == "error" for one in found) else CLEAN
    if layout == "sarif":
        from scoring.report.sarif import sarif

        console.out.write(sarif(found))
        return code
    if layout == "junit":
        from scoring.report.junit import cases_of, junit

        console.out.write(junit(cases() if cases is not None else cases_of((), found)) + "\n")
        return code
    if not found and layout != "json":
        return CLEAN
    from scoring.diagnostics.render.formats import render

    stream = stream or console.err
    text = render(found, layout, stream.style.color)
    if text:
        stream.write(text + "\n", commands=layout == "github")
    return code
