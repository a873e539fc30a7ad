"""Findings for programs, with lines, columns and offsets of both ends."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label
from scoring.diagnostics.source import Span


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """One JSON object: the findings and how many there are.

    Lines and columns count from 1, offsets from 0 in code points; the end is not included.

    Args:
        diagnostics: The findings.
        color: Taken for the sake of one interface; JSON has no colour.

    Examples:
        >>> print(render([]))
        {
          "errors": 0,
          "warnings": 0,
          "diagnostics": []
        }
    """
    found = Diagnostics(diagnostics).sorted()
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    document = {"errors": errors, "warnings": len(found) - errors, "diagnostics": [as_data(one) for one in found]}
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def as_data(diagnostic: Diagnostic) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "id": diagnostic.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_labelled(diagnostic.primary),
        "related": [_labelled(label) for label in diagnostic.secondary],
        "help": list(diagnostic.help),
        "note": list(diagnostic.note),
    }


def _labelled(label: Label) -> dict[str, Any]:
    return {"location": _location(label.span) if label.span else None, "label": label.text}


def _location(span: Span) -> dict[str, Any]:
    return {"file": span.source.name, "start": _position(span, span.start), "end": _position(span, span.end)}


def _position(span: Span, offset: int) -> dict[str, int]:
    line, column = span.source.line_column(offset)
    return {"line": line, "column": column, "offset": offset}
