"""A document as a terminal shows it: aligned columns, a little colour, and nothing that could steer the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scoring.diagnostics.width import width
from scoring.report import numbers
from scoring.report.document import (
    Block,
    Branch,
    Code,
    Column,
    Document,
    Figures,
    Line,
    Paragraph,
    Section,
    Span,
    Stack,
    Table,
    Title,
    Tree,
    plain,
    spans,
)
from scoring.report.style import Style
from scoring.report.visible import shorten, visible

GAP = "  "
# What stands to the left; all other kinds are figures, and stand to the right.
LEFT = ("text", "interval", "change")


def render_text(document: Document, style: Style) -> str:
    """The document, its blocks parted by empty lines."""
    return _blocks(document.blocks, style)


def _blocks(blocks: Iterable[Block], style: Style) -> str:
    return "\n\n".join(filter(None, (_block(block, style) for block in blocks)))


def _block(block: Block, style: Style) -> str:
    match block:
        case Title():
            aside = f"{GAP}{style.dim(visible(block.aside))}" if block.aside else ""
            return f"{style.bold(visible(block.text))}{aside}"
        case Paragraph():
            return "\n".join(draw_line(line, style) for line in block.lines)
        case Figures():
            return _figures(block, style)
        case Table():
            return _table(block, style)
        case Tree():
            return draw_tree(block, style)
        case Code():
            return "\n".join(f"    {visible(line)}" for line in block.text.split("\n"))
        case Section():
            return _blocks([Title(block.title), *block.blocks], style)
    return ""  # a plot, which no terminal shows


def draw_line(line: Line, style: Style) -> str:
    """A line in its looks."""
    return "".join(style.draw(span.look, visible(span.text)) for span in spans(line))


def _figures(block: Figures, style: Style) -> str:
    look = "bold" if style.color else "plain"
    rows = [[one.name, numbers.figure(one.kind, one.value), *one.notes] for one in block.figures]
    most = max(map(len, rows), default=0)
    cells: list[list[Line]] = [[*row, *[""] * (most - len(row))] for row in rows]
    if cells:
        cells[0] = [Span(plain(cell), look) for cell in cells[0]]  # type: ignore[arg-type]  # a look is a literal
    return _grid(cells, [], style)


def _table(block: Table, style: Style) -> str:
    rows = block.shown(full=False)
    if not rows:
        return ""
    places = [at for at, column in enumerate(block.columns) if not column.aside]
    columns = [block.columns[at] for at in places]
    cells = [[cell_line(block.columns[at], row[at]) for at in places] for row in rows]
    head: list[Line] = [Span(heading(column), "dim") for column in columns]
    drawn = _grid(
        [head, *cells] if any(column.title for column in columns) else cells,
        [at for at, column in enumerate(columns) if column.kind not in LEFT],
        style,
    )
    return "\n".join([drawn, *(style.dim(visible(note)) for note in notes_below(block, full=False))])


def notes_below(block: Table, full: bool) -> list[str]:
    """What a form says about the rows and columns that it does not show.

    Examples:
        >>> notes_below(Table((Column("task"),), (["a"], ["b"], ["c"]), brief=1, rest="in summary.json"), full=False)
        ['… and 2 more in summary.json']
    """
    notes = []
    hidden = [heading(column) for column in block.columns if column.aside and column.kind not in LEFT]
    if block.missing(full):
        notes.append(f"… and {block.missing(full):,} more {block.rest}".rstrip())
    if hidden and not full:
        notes.append(f"… and {', '.join(hidden)} {block.rest_columns}".rstrip())
    return notes


def heading(column: Column) -> str:
    """A column's title, as wide as the column allows."""
    return shorten(column.title, column.width) if column.width else column.title


def cell_line(column: Column, value: object) -> Line:
    """A cell on one line, as wide as its column allows."""
    if column.kind != "text":
        return numbers.figure(column.kind, value)
    if value is None:
        return ""
    lines = value.lines if isinstance(value, Stack) else (value,)
    found: list[Span] = []
    for line in lines:
        found += [Span(", ")] if found else []
        found += spans(line)  # type: ignore[arg-type]  # a cell of text is a line
    if not column.width:
        return tuple(found)
    return Span(shorten(plain(tuple(found)), column.width), found[0].look if found else "plain")


def _grid(rows: Sequence[Sequence[Line]], right: Sequence[int], style: Style) -> str:
    """Lines of equal columns."""
    sizes = [[width(visible(plain(cell))) for cell in row] for row in rows]
    most = [max(column) for column in zip(*sizes, strict=True)]
    drawn = []
    for row, size in zip(rows, sizes, strict=True):
        cells = []
        for at, cell in enumerate(row):
            space = " " * (most[at] - size[at])
            text = draw_line(cell, style)
            cells.append(space + text if at in right else text + space)
        drawn.append(GAP.join(cells).rstrip())
    return "\n".join(drawn)


def draw_tree(tree: Tree, style: Style) -> str:
    """A tree with its connecting strokes."""
    foot = [draw_line(tree.foot, style)] if tree.foot else []
    return "\n".join([draw_line(tree.head, style), *_branches(tree.branches, style), *foot])


def _branches(branches: Sequence[Branch], style: Style, prefix: str = "") -> list[str]:
    lines = []
    names = max((width(visible(branch.name)) for branch in branches), default=0)
    for place, branch in enumerate(branches):
        last = place == len(branches) - 1
        name = visible(branch.name)
        text = draw_line(branch.text, style)
        lines.append(f"{prefix}{'└─' if last else '├─'} {name}{' ' * (names - width(name))}  {text}".rstrip())
        lines += _branches(branch.children, style, prefix + ("   " if last else "│  "))
    return lines
