"""The document about conformance cases that were run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.data.json_write import dumps
from scoring.diagnostics.words import counted
from scoring.report.document import Document, DocumentBlock, Line, Paragraph, Piece
from scoring.report.visible import shorten

_WIDTH = 120


def conformance_document(data: Mapping[str, Any]) -> Document:
    """Return a paragraph for each case that failed, and how many cases there were."""
    blocks: list[DocumentBlock] = [Paragraph(tuple(_lines(one))) for one in data["failures"]]
    tried = f"{counted(data['cases'], 'case')} of {counted(data['rules'], 'rule')}"
    if data["failures"]:
        end = Piece(f"{tried}: {len(data['failures'])} not as stated", "bad")
    else:
        end = Piece(f"{tried}: all as stated", "good")
    return Document((*blocks, Paragraph((end,))), "Conformance")


def _lines(failure: Mapping[str, Any]) -> Iterator[Line]:
    yield Piece(f"{failure['place']}: {failure['case']} ({', '.join(failure['rules'])})", "bold")
    for one in failure["differences"]:
        yield f"  {one['place']}: expected {_shown(one['expected'])}, got {_shown(one['got'])}"


def _shown(value: Any) -> str:
    return shorten(dumps(value), _WIDTH)
