"""Documents as plain data, which the page's script draws as texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scoring.extensions.studio.stories import line_data
from scoring.report import document as doc
from scoring.report.text import cell_lines, figure_rows


def document_data(document: doc.Document) -> list[dict[str, Any]]:
    """Return the blocks of a document as plain data, those of its sections behind the title of each."""
    return list(_blocks(document.titled()))


def _blocks(blocks: Iterable[doc.DocumentBlock]) -> Iterable[dict[str, Any]]:
    waiting: list[doc.DocumentBlock] = list(blocks)
    while waiting:
        block = waiting.pop(0)
        match block:
            case doc.Section():
                waiting[:0] = [doc.Title(block.title), *block.blocks]
            case doc.Title():
                yield {"kind": "title", "text": block.text}
            case doc.Paragraph():
                yield {"kind": "lines", "lines": [line_data(line) for line in block.lines]}
            case doc.Headlines():
                yield {"kind": "table", "title": "", "head": [], "rows": _texts(figure_rows(block))}
            case doc.DocumentTable():
                columns, rows = block.drawn(False)
                cells = [[_cell(*one) for one in zip(columns, row, strict=True)] for row in rows]
                yield {"kind": "table", "title": block.title, "head": [one.title for one in columns], "rows": cells}
            case doc.Code():
                yield {"kind": "lines", "lines": [[[line, "code"]] for line in block.text.split("\n")]}


def _cell(column: doc.TableColumn, value: Any) -> list[list[list[str]]]:
    return [line_data(line) for line in cell_lines(column, value)]


def _texts(rows: Sequence[Sequence[str]]) -> list[list[list[list[list[str]]]]]:
    return [[[[[cell, "plain"]]] for cell in row] for row in rows]
