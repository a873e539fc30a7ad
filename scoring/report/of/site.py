"""A site that was written: where it is, and how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.document import Document, Paragraph, Piece, joined


def site_document(data: Mapping[str, Any]) -> Document:
    """Where the site begins, and what it holds."""
    counts = [
        counted(len(data["packs"]), "pack"),
        counted(data["tasks"], "task"),
        counted(data["definitions"], "definition"),
        counted(data["primitives"], "primitive"),
        f"{counted(data['examples'], 'example')} run",
    ]
    size = f"{counted(data['files'], 'file')}, {data['bytes'] / 1e6:.1f} MB"
    lines = (
        ("the site begins at ", Piece(data["start"], "bold")),
        joined(counts),
        Piece(size, "dim"),
        *(Piece(one, "warn") for one in data["skipped"]),
    )
    return Document((Paragraph(lines),), "Site")
