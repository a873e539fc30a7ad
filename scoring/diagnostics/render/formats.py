"""The output formats of findings by name; those for programs are defined here, the one for people in `text.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label
from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import display


def render_diagnostics(diagnostics: Iterable[Diagnostic], format: str = "text", color: bool = False) -> str:  # noqa: A002
    """Return findings as text in one of the output formats; without findings it is empty, except in JSON.

    Examples:
        >>> render_diagnostics([Diagnostic("unused-field", "warning", "no scorer for `a`")], "concise")
        'warning[unused-field] no scorer for `a`'
    """
    return FORMATS[format](Diagnostics(diagnostics).sorted(), color)


def _text(found: Iterable[Diagnostic], color: bool) -> str:
    from scoring.diagnostics.render import text

    return text.render_as_text(found, color)


# ---- concise: one per line, `file:line:column: severity[id] message: label`, for editors and grep


def _line(diagnostic: Diagnostic) -> str:
    place = f"{diagnostic.span}: " if diagnostic.span else ""
    label = f": {diagnostic.primary.text}" if diagnostic.primary.text else ""
    return display(f"{place}{diagnostic.severity}[{diagnostic.id}] {diagnostic.message}{label}".replace("\n", " "))


# ---- GitHub workflow commands, which are shown next to the changed lines


def _command(diagnostic: Diagnostic) -> str:
    properties = _place(diagnostic.span) if diagnostic.span else {}
    properties["title"] = diagnostic.id
    written = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    lines = [
        diagnostic.message,
        diagnostic.primary.text,
        *(f"help: {text}" for text in diagnostic.help),
        *(f"note: {text}" for text in diagnostic.note),
    ]
    return f"::{diagnostic.severity} {written}::{_escaped(chr(10).join(line for line in lines if line))}"


def _place(span: Span) -> dict[str, str]:
    line, column = span.source.line_column(span.start)
    end_line, end_column = span.source.line_column(max(span.start, span.end - 1))
    place = {"file": span.source.name, "line": str(line), "endLine": str(end_line)}
    if line == end_line:  # GitHub refuses columns for a finding over several lines
        place |= {"col": str(column), "endColumn": str(end_column)}
    return place


def _escaped(text: str, more: str = "") -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")  # replaces lone surrogates, which can't be encoded
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


# ---- JSON: one object; lines and columns count from 1, offsets from 0 in code points; ends are exclusive


def _json(found: Iterable[Diagnostic], color: bool) -> str:
    data = list(map(_data, found))
    errors = sum(one["severity"] == "error" for one in data)
    document = {"errors": errors, "warnings": len(data) - errors, "diagnostics": data}
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def _data(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "id": diagnostic.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_labelled(diagnostic.primary),
        "related": [_labelled(label) for label in diagnostic.secondary],
        "help": list(diagnostic.help),
        "note": list(diagnostic.note),
        "fixes": [
            {"location": _location(fix.span), "text": fix.text, "title": fix.title, "safe": fix.is_safe}
            for fix in diagnostic.fixes
        ],
    }


def _labelled(label: Label) -> dict[str, Any]:
    return {"location": _location(label.span) if label.span else None, "label": label.text}


def _location(span: Span) -> dict[str, Any]:
    return {"file": span.source.name, "start": _position(span, span.start), "end": _position(span, span.end)}


def _position(span: Span, offset: int) -> dict[str, int]:
    line, column = span.source.line_column(offset)
    return {"line": line, "column": column, "offset": offset}


FORMATS: dict[str, Callable[[Iterable[Diagnostic], bool], str]] = {
    "text": _text,
    "concise": lambda found, color: "\n".join(map(_line, found)),
    "json": _json,
    "github": lambda found, color: "\n".join(map(_command, found)),
}
