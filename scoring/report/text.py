"""Render a document for a terminal: aligned columns, a few colours, and no control characters from data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scoring.diagnostics.visible import width
from scoring.report import document as doc
from scoring.report import numbers
from scoring.report.document import Piece, plain_text, spans
from scoring.report.style import Style
from scoring.report.visible import shorten, visible

# The kinds of columns that are aligned left; all others are figures, and aligned right.
LEFT = ("text", "interval", "change")


def render_text(document: doc.Document, style: Style) -> str:
    """Return a document as text for a terminal, with its blocks separated by empty lines."""
    return _blocks(document.blocks, style)


def _blocks(blocks: Iterable[doc.DocumentBlock], style: Style) -> str:
    return "\n\n".join(filter(None, (_block(block, style) for block in blocks)))


def _block(block: doc.DocumentBlock, style: Style) -> str:
    match block:
        case doc.Title():
            aside = ("  ", Piece(block.aside, "dim")) if block.aside else ()
            return draw_line((Piece(block.text, "bold"), *aside), style)
        case doc.Paragraph():
            return "\n".join(draw_line(line, style) for line in block.lines)
        case doc.Headlines():
            first, *rows = figure_rows(block) or [[]]
            return _grid([[Piece(cell, "bold") for cell in first], *rows], [], style)
        case doc.DocumentTable():
            return _table(block, style)
        case doc.Tree():
            return draw_tree(block, style)
        case doc.Code():
            return "\n".join(f"    {visible(line)}" for line in block.text.split("\n"))
        case doc.Section():
            return _blocks([doc.Title(block.title), *block.blocks], style)
    return ""  # a plot, which no terminal shows


def draw_line(line: doc.Line, style: Style) -> str:
    """Return a line as terminal text, with each piece in its look."""
    return "".join(style.draw(span.look, visible(span.text)) for span in spans(line))


def figure_rows(block: doc.Headlines) -> list[list[str]]:
    """Return headline figures as rows of texts, all of one length: the name, the figure, its notes."""
    rows = [[one.name, numbers.figure(one.kind, one.value), *one.notes] for one in block.figures]
    most = max(map(len, rows), default=0)
    return [[*row, *[""] * (most - len(row))] for row in rows]


def _table(block: doc.DocumentTable, style: Style) -> str:
    columns, rows = block.drawn(full=False)
    if not rows:
        return ""
    cells = [list(map(cell_line, columns, row)) for row in rows]
    head: list[doc.Line] = [Piece(heading(column), "dim") for column in columns]
    right = [at for at, column in enumerate(columns) if column.kind not in LEFT]
    drawn = _grid([head, *cells] if any(column.title for column in columns) else cells, right, style)
    return "\n".join([drawn, *(style.draw("dim", visible(note)) for note in notes_below(block, full=False))])


def notes_below(block: doc.DocumentTable, full: bool) -> list[str]:
    """Return notes about the rows and columns of a table that are not shown; `full` as in `DocumentTable.shown`.

    Examples:
        >>> notes_below(
        ...     doc.DocumentTable((doc.TableColumn("task"),), (["a"], ["b"], ["c"]), brief=1, rest="below"), full=False
        ... )
        ['… and 2 more below']
    """
    total = max(block.total, len(block.rows))
    missing = total - len(block.shown(full))
    if full:
        return [f"{total - missing:,} of {total:,}{f'; all are {block.rest}' if block.rest else ''}"] if missing else []
    notes = [f"… and {missing:,} more {block.rest}".rstrip()] if missing else []
    aside = [heading(column) for column in block.columns if column.aside and column.kind not in LEFT]
    return [*notes, f"… and {', '.join(aside)} {block.rest_columns}".rstrip()] if aside else notes


def heading(column: doc.TableColumn) -> str:
    """Return a column's title, shortened to the column's width."""
    return shorten(column.title, column.width) if column.width else column.title


def cell_lines(column: doc.TableColumn, value: Any) -> tuple[doc.Line, ...]:
    """Return the lines of text in a table's cell with a value: one line, unless the column's kind is "text"."""
    if column.kind != "text":
        return (numbers.figure(column.kind, value),)
    if isinstance(value, list):  # several lines in one cell
        return tuple(value)
    return (value if isinstance(value, (str, Piece, tuple)) else "" if value is None else str(value),)


def cell_line(column: doc.TableColumn, value: Any) -> doc.Line:
    """Return the text of a table's cell with a value on one line, shortened to its column's width."""
    line = doc.join_lines(cell_lines(column, value), ", ")
    if column.kind != "text" or not column.width:
        return line
    return Piece(shorten(plain_text(line), column.width), next((span.look for span in spans(line)), "plain"))


def _grid(rows: Sequence[Sequence[doc.Line]], right: Sequence[int], style: Style) -> str:
    """Return rows of cells as text with aligned columns; columns whose index is in `right` are right-aligned."""
    sizes = [[width(visible(plain_text(cell))) for cell in row] for row in rows]
    most = [max(column) for column in zip(*sizes, strict=True)]
    drawn = []
    for row, size in zip(rows, sizes, strict=True):
        spaces = [" " * (wide - own) for wide, own in zip(most, size, strict=True)]
        texts = [draw_line(cell, style) for cell in row]
        cells = [spaces[at] + text if at in right else text + spaces[at] for at, text in enumerate(texts)]
        drawn.append("  ".join(cells).rstrip())
    return "\n".join(drawn)


def draw_tree(tree: doc.Tree, style: Style) -> str:
    """Return a tree drawn with connecting lines."""
    foot = [draw_line(tree.foot, style)] if tree.foot else []
    return "\n".join([draw_line(tree.head, style), *_branches(tree.branches, style), *foot])


def _branches(branches: Sequence[doc.Branch], style: Style, prefix: str = "") -> list[str]:
    lines = []
    names = max((width(visible(branch.name)) for branch in branches), default=0)
    for place, branch in enumerate(branches):
        stroke, below = ("└─", "   ") if place == len(branches) - 1 else ("├─", "│  ")
        name = visible(branch.name)
        text = draw_line(branch.text, style)
        lines.append(f"{prefix}{stroke} {name}{' ' * (names - width(name))}  {text}".rstrip())
        lines += _branches(branch.children, style, prefix + below)
    return lines
