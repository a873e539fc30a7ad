"""Fit what a command prints to the width of its terminal; what only documents or findings need is imported late."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.cli.console import SafeStream
from scoring.extensions.terminal.folding import drawn_width, fold_text

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.report.document import Document

_MARGIN = 8  # the numbers before the lines of a source
_LEAST = 16


def fit_to_terminal(stream: SafeStream, text: str, shown: Document | Sequence[Diagnostic] = ()) -> str:
    """Return what is to be printed on a terminal with lines that fit it, unchanged if its width is unknown.

    Args:
        stream: The stream, which is a terminal.
        text: The text to print.
        shown: The document or the findings of which it is the text; by default it is a text of its own.
    """
    try:
        columns = os.get_terminal_size(stream.raw.fileno()).columns
    except (OSError, ValueError, AttributeError):  # a stream that calls itself a terminal, and is none of the system
        return text
    if columns < 1:
        return text
    if not shown:
        return fold_text(text, columns)
    if not isinstance(shown, Sequence):
        from scoring.extensions.terminal.fitting import fit_document

        return fit_document(shown, stream.style, columns)
    from scoring.diagnostics.render.snippet import WIDEST
    from scoring.diagnostics.render.text import render_as_text

    lines = (span.source.line_text(span.line) for one in shown if (span := one.span) is not None)
    room = columns // 2 if any(drawn_width(line) > len(line) for line in lines) else columns
    widest = max(min(WIDEST, room - _MARGIN), _LEAST)
    return fold_text(render_as_text(shown, stream.style.color, widest), columns)
