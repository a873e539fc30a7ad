"""Shows findings in the format that was asked for."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.cli.console import CLEAN, FINDINGS, Console, SafeStream
from scoring.diagnostics.diagnostic import Diagnostic


def show(
    findings: Iterable[Diagnostic], console: Console, layout: str = "text", stream: SafeStream | None = None
) -> int:
    """Print findings, on stderr unless told otherwise; gives the exit code that they mean."""
    found = list(findings)
    if not found and layout != "json":
        return CLEAN
    from scoring.diagnostics.render.formats import render

    stream = stream or console.err
    text = render(found, layout, stream.style.color)
    if text:
        stream.write(text + "\n", commands=layout == "github")
    return FINDINGS if any(one.severity == "error" for one in found) else CLEAN
