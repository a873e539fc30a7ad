"""Where a command writes: results to stdout, findings and progress to stderr, colour only on a terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from scoring.report.style import Style


@dataclass(frozen=True, slots=True)
class Console:
    """The two streams of a command and how they are drawn."""

    out: TextIO
    err: TextIO
    style: Style
    err_style: Style

    @classmethod
    def standard(cls) -> Console:
        """The process's own streams; what they can't encode is escaped, never an error."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        return cls(sys.stdout, sys.stderr, Style(_colored(sys.stdout)), Style(_colored(sys.stderr)))

    def print(self, text: str = "") -> None:
        """A line of result."""
        self.out.write(text + "\n")

    def note(self, text: str) -> None:
        """A line beside the result."""
        self.err.write(text + "\n")

    def json(self, data: Any) -> None:
        """A result as strict JSON."""
        from scoring.data.strict_json import dumps_pretty

        self.out.write(dumps_pretty(data))


def _colored(stream: TextIO) -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()
