"""Shows findings in the format that was asked for."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TextIO

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, FINDINGS
from scoring.diagnostics.diagnostic import Diagnostic

FORMATS = ("text", "concise", "json", "github")


def add_format(parser: argparse.ArgumentParser) -> None:
    """The option that all commands with findings share."""
    parser.add_argument("--format", choices=FORMATS, default="text", help="how findings are shown (default: text)")


def show(findings: Iterable[Diagnostic], console: Console, layout: str = "text", stream: TextIO | None = None) -> int:
    """Print findings, on stderr unless told otherwise; gives the exit code that they mean."""
    from scoring.diagnostics.render.formats import render

    found = list(findings)
    stream = stream or console.err
    style = console.style if stream is console.out else console.err_style
    text = render(found, layout, style.color)
    if text:
        stream.write(text + "\n")
    return FINDINGS if any(one.severity == "error" for one in found) else CLEAN
