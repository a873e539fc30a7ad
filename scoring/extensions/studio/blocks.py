"""Documents as plain data, which the page's script draws as texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.extensions.pages.drawing import draw_chart
from scoring.extensions.studio.stories import line_data
from scoring.lazy_pattern import lazy_pattern
from scoring.report import document as doc
from scoring.report.of.summary import summary_document
from scoring.report.text import cell_lines, figure_rows
from scoring.report.visible import visible

# The tables of a report that the page has in a form of its own.
_ELSEWHERE = lazy_pattern(r"Fields|Details|Lowest|Records that were not scored|By .*")


def document_data(document: doc.Document) -> list[dict[str, Any]]:
    """Return the blocks of a document as plain data, those of its sections behind the title of each."""
    return list(_blocks(document.titled()))


def report_data(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the report of a run has beside figures, fields and groups: tables of its metrics, and plots."""
    waiting: list[doc.DocumentBlock] = list(summary_document(summary).blocks)
    found: list[dict[str, Any]] = []
    while waiting:
        block = waiting.pop(0)
        if isinstance(block, doc.Section):
            waiting[:0] = [doc.Title(block.title), *block.blocks]
        elif isinstance(block, doc.Plot):
            found.append({"kind": "drawing", "title": visible(block.name), "svg": draw_chart(block.chart)})
        elif isinstance(block, doc.DocumentTable) and not _ELSEWHERE.fullmatch(block.title):
            found += _blocks([block])
    return found


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
