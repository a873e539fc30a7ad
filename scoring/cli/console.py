"""Print the output of commands: results to stdout, findings and progress to stderr, in colour only on a terminal.

Nothing else in the package prints. What is printed may contain names of files, keys, and messages of servers, so all of
it is passed through `steady`, which escapes control characters; text made of such parts is made one line by `visible`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct

from scoring.api import find_service
from scoring.diagnostics.visible import steady, visible
from scoring.report.style import Style

if TYPE_CHECKING:
    from scoring.api.result import Result
    from scoring.api.run import Run
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.report.document import Document, Look
    from scoring.report.render import Form


CLEAN, FINDINGS, FAILED, UNCOVERED, GATED, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143
LAYOUTS, REPORTS = ("text", "concise", "json", "github"), ("sarif", "junit")
"""The formats of findings: those printed beside a result, and our reports, which are all of standard output."""

_MOST_REMARKS = 10
_LONGEST = 10_000
"""The longest line in addition to the result, in characters."""


def is_report(layout: str) -> bool:
    """Return whether the format `layout` of findings is a report, so that nothing else may be printed."""
    return layout not in LAYOUTS


class UsageError(Exception):
    """The exception for a command that can't be executed as requested; the message says why in one line."""


class SafeStream:
    """An output stream that escapes control characters."""

    def __init__(self, raw: TextIO, color: bool = False) -> None:
        self.raw = raw
        self.style = Style(color)

    def write(self, text: str, commands: bool = False) -> int:
        """Write text; escape control characters, and unless `commands` also CI commands; return the length."""
        return self.raw.write(steady(text, self.style.color, commands))

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self.raw.isatty()

    def flush(self) -> None:
        """Flush the stream."""
        self.raw.flush()


def fitted(stream: SafeStream, text: str, shown: Document | Sequence[Diagnostic] = ()) -> str:
    """Return a text, or what it shows, in lines that fit the stream if it is a terminal; for others it is unchanged."""
    fit = find_service("terminal-lines") if stream.isatty() else None
    return text if fit is None else str(fit(stream, text, shown))


class Console(Struct, frozen=True):
    """The standard output and the standard error stream of a command."""

    out: SafeStream
    err: SafeStream

    @classmethod
    def standard(cls) -> Console:
        """Return the console of this process; characters that its streams can't encode are escaped."""
        streams = []
        has_colors = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
            streams.append(SafeStream(stream, has_colors and stream.isatty()))
        return cls(*streams)

    def print(self, text: str = "", look: Look = "plain") -> None:
        """Print one line of the result on standard output in a look, such as `bold`; control characters are escaped."""
        self.out.write(fitted(self.out, self.out.style.draw(look, visible(text))) + "\n")

    def show(self, document: Document, form: Form = "text") -> None:
        """Print a document on standard output in one of the output forms, such as `text` or `html`."""
        from scoring.report.render import render

        text = render(document, form, self.out.style).rstrip("\n")
        self.out.write((fitted(self.out, text, document) if form == "text" else text) + "\n")

    def result(self, found: Result | Run, options: argparse.Namespace) -> None:
        """Print the result of an API function on standard output, in the form that `--json` or `--as` requests."""
        if options.json:
            self.json(found.to_json())
        else:
            self.show(found.document(), getattr(options, "form", "text"))

    def check_report(self, options: argparse.Namespace) -> None:
        """Raise `UsageError` if the options request a report of the findings, and also a form of the result."""
        if is_report(options.format) and (options.json or options.form != "text"):
            raise UsageError(f"--format {options.format} is the whole output; leave out --json and --as")

    def findings(
        self,
        findings: Iterable[Diagnostic],
        layout: str = "text",
        stream: SafeStream | None = None,
        *,
        tried: Any = None,
        strict: bool = False,
    ) -> int:
        """Print findings, by default on stderr, and return the exit code for them.

        Args:
            findings: The findings.
            layout: The format; a report is always printed on standard output.
            stream: The stream for other formats.
            tried, strict: The result of the command, and whether warnings are failures, for a report.
        """
        found = list(findings)
        code = FINDINGS if any(one.severity == "error" for one in found) else CLEAN
        if is_report(layout):
            from scoring.report.findings import render_report

            self.out.write(render_report(layout, found, tried, strict))
        elif found or layout == "json":
            from scoring.diagnostics.render.formats import render_diagnostics

            stream = stream or self.err
            text = render_diagnostics(found, layout, stream.style.color)
            text = fitted(stream, text, found) if layout == "text" else text
            if text:
                stream.write(text + "\n", commands=layout == "github")
        return code

    def remark(self, text: str) -> None:
        """Print a remark about the run on stderr, preceded by the program's name."""
        self.note(f"scoring: {text}")

    def remarks(self, lines: Sequence[str]) -> None:
        """Print several remarks on stderr; of more than ten, only the first ten, and the number of the others."""
        for line in lines[:_MOST_REMARKS]:
            self.remark(line)
        if len(lines) > _MOST_REMARKS:
            self.remark(f"and {len(lines) - _MOST_REMARKS} more like these")

    def note(self, text: str) -> None:
        """Print a line on stderr, shortened in the middle if it is long."""
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 4 :]}"
        self.err.write(fitted(self.err, visible(text)) + "\n")

    def json(self, data: Any) -> None:
        """Print plain data on standard output as strict JSON."""
        from scoring.api import dumps_pretty

        self.out.write(dumps_pretty(data))
