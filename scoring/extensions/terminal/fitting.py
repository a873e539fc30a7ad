"""Fit what is printed to the width of a terminal: cells, branches and lines are folded, wide tables drawn in parts.

Nothing that a file or a pipe receives passes through here, and nothing is left out: a table whose columns can't stand
side by side is drawn as several, each with the first column, which names the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.diagnostics.visible import visible
from scoring.extensions.terminal.folding import drawn_width, fold
from scoring.report import document as doc
from scoring.report.document import Piece
from scoring.report.style import Style
from scoring.report.text import LEFT, cell_line, draw_line, figure_rows, heading, notes_below

_GAP = 2
_LEAST_TEXT, _LEAST_NOTE = 16, 30
"""The width to which a table's text, and a figure's note, is folded at most before the table is drawn in parts."""


def fit_document(document: doc.Document, style: Style, columns: int) -> str:
    """Return a document as text whose lines have at most `columns` columns, except for code and unbroken words.

    Examples:
        >>> table = doc.DocumentTable((doc.TableColumn("name"), doc.TableColumn("why")), (["a", "it holds no number"],))
        >>> print(fit_document(doc.Document((table,)), Style(), 20))
        name  why
        a     it holds no
              number
    """
    return _blocks(document.blocks, style, columns)


def _blocks(blocks: Iterable[doc.DocumentBlock], style: Style, columns: int) -> str:
    return "\n\n".join(filter(None, (_block(block, style, columns) for block in blocks)))


def _block(block: doc.DocumentBlock, style: Style, columns: int) -> str:
    match block:
        case doc.Title():
            aside = ("  ", Piece(block.aside, "dim")) if block.aside else ()
            return _line((Piece(block.text, "bold"), *aside), style, columns)
        case doc.Paragraph():
            return "\n".join(_line(line, style, columns) for line in block.lines)
        case doc.Headlines():
            first, *rows = figure_rows(block) or [[]]
            grid = [[draw_line(Piece(cell, "bold"), style) for cell in first]]
            grid += [[draw_line(cell, style) for cell in row] for row in rows]
            notes = [_LEAST_NOTE if at > 1 else 0 for at in range(len(first))]
            return _Grid(grid, notes, [False] * len(first), columns).drawn()
        case doc.DocumentTable():
            return _table(block, style, columns)
        case doc.Tree():
            foot = [_line(block.foot, style, columns)] if block.foot else []
            return "\n".join([_line(block.head, style, columns), *_branches(block.branches, style, columns), *foot])
        case doc.Code():  # it is to be copied, so a terminal breaks its lines
            return "\n".join(f"    {visible(line)}" for line in block.text.split("\n"))
        case doc.Section():
            return _blocks([doc.Title(block.title), *block.blocks], style, columns)
    return ""  # a plot


def _line(line: doc.Line, style: Style, columns: int) -> str:
    drawn = draw_line(line, style)
    return "\n".join(fold(drawn, columns, len(drawn) - len(drawn.lstrip(" ")) + 2, cut=True))


def _table(block: doc.DocumentTable, style: Style, columns: int) -> str:
    shown, rows = block.drawn(full=False)
    if not rows:
        return ""
    shown = _widened(shown, rows, columns)
    cells = [
        [draw_line(cell_line(column, value), style) for column, value in zip(shown, row, strict=True)] for row in rows
    ]
    if any(column.title for column in shown):
        cells = [[draw_line(Piece(heading(column), "dim"), style) for column in shown], *cells]
    least = [_LEAST_TEXT if column.kind == "text" else 0 for column in shown]
    alone = {
        at: draw_line(Piece(f"{heading(shown[at - 1])} {heading(column)}", "dim"), style)
        for at, column in enumerate(shown)
        if column.kind == "interval" and at > 1
    }
    grid = _Grid(cells, least, [column.kind not in LEFT for column in shown], columns, alone).drawn()
    notes = [_line(Piece(note, "dim"), style, columns) for note in notes_below(block, full=False)]
    return "\n".join([grid, *notes])


def _widened(shown: list[doc.TableColumn], rows: Sequence[Sequence[Any]], columns: int) -> list[doc.TableColumn]:
    """Return the columns of a table, those that are cut at a width with the room that the terminal still has."""
    sizes = [
        [drawn_width(visible(doc.plain_text(cell_line(one, row[at])))) for row in rows] for at, one in enumerate(shown)
    ]
    used = sum(max([drawn_width(heading(one)), *size]) for one, size in zip(shown, sizes, strict=True))
    spare = columns - used - _GAP * (len(shown) - 1)
    cut = [at for at, one in enumerate(shown) if one.kind == "text" and one.width and max(sizes[at]) >= one.width]
    if spare <= 0 or not cut:
        return shown
    more = spare // len(cut)
    return [replace(one, width=one.width + more) if at in cut else one for at, one in enumerate(shown)]


class _Grid(Struct, frozen=True):
    """Rows of drawn cells to be aligned in columns.

    Args:
        rows: The cells, row by row, with their colours.
        least: For each column the width that it can be folded to, 0 if it is not to be folded.
        right: For each column whether it is aligned right.
        columns: The width of the terminal.
        alone: The heading of a column, by its place, that is not drawn behind the one before it.
    """

    rows: Sequence[Sequence[str]]
    least: Sequence[int]
    right: Sequence[bool]
    columns: int
    alone: Mapping[int, str] = field(default_factory=dict)

    def drawn(self) -> str:
        """Return the grid as text; one that does not fit as several, one below the other."""
        most = [max(map(drawn_width, column)) for column in zip(*self.rows, strict=True)]
        floor = [min(one, least) if least else one for one, least in zip(most, self.least, strict=True)]
        groups: list[list[int]] = [[]]
        for at in range(len(most)):
            if len(groups[-1]) > 1 and self._sum([floor[one] for one in [*groups[-1], at]]) > self.columns:
                groups.append([0])
            groups[-1].append(at)
        return "\n\n".join(self._part(group, floor) for group in groups)

    def _sum(self, widths: Sequence[int]) -> int:
        return sum(widths) + _GAP * (len(widths) - 1)

    def _part(self, group: Sequence[int], floor: Sequence[int]) -> str:
        """Return the columns of a group as text, the widest of them folded until all fit."""
        rows = [[row[at] for at in group] for row in self.rows]
        if group[0] != group[-1] and group[1] != 1:  # rows of which these columns say nothing are not named again
            rows = [row for row in rows if any(row[1:])]
            rows[0][1] = self.alone.get(group[1], rows[0][1])
        widths = [min(max(map(drawn_width, column)), self.columns) for column in zip(*rows, strict=True)]
        floors = [floor[at] for at in group]
        if self._sum(floors) > self.columns:  # a name beside a figure that is wider than the rest of the line
            floors = [1] * len(group)
        while self._sum(widths) > self.columns and max(widths) > 1:
            widths[max(range(len(group)), key=lambda one: (widths[one] > floors[one], widths[one]))] -= 1
        return "\n".join(line for row in rows for line in self._lines(group, row, widths))

    def _lines(self, group: Sequence[int], row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
        folded = [fold(cell, wide, cut=True) for cell, wide in zip(row, widths, strict=True)]
        for cells in zip_longest(*folded, fillvalue=""):
            spaces = [" " * (wide - drawn_width(cell)) for wide, cell in zip(widths, cells, strict=True)]
            placed = zip(group, cells, spaces, strict=True)
            yield (" " * _GAP).join(gap + cell if self.right[at] else cell + gap for at, cell, gap in placed).rstrip()


def _branches(branches: Sequence[doc.Branch], style: Style, columns: int, prefix: str = "") -> list[str]:
    lines = []
    names = max((drawn_width(visible(branch.name)) for branch in branches), default=0)
    for place, branch in enumerate(branches):
        stroke, below = ("└─", "   ") if place == len(branches) - 1 else ("├─", "│  ")
        head, side = f"{prefix}{stroke} ", f"{prefix}{below}"
        bar = "│  " if branch.children else "   "
        name, text = visible(branch.name), draw_line(branch.text, style)
        room = columns - len(head) - names - _GAP
        if room >= min(_LEAST_TEXT, drawn_width(text)):
            first, *more = fold(text, room, cut=True)
            lines.append(f"{head}{name}{' ' * (names - drawn_width(name))}  {first}".rstrip())
            lines += [f"{side}{bar:<{names + _GAP}}{part}" for part in more]
        else:  # a name and its text do not fit side by side
            first, *more = fold(name, columns - len(head), cut=True)
            lines += [head + first, *(side + part for part in more)]
            lines += [f"{side}{bar}{part}".rstrip() for part in fold(text, columns - len(side) - len(bar), cut=True)]
        lines += _branches(branch.children, style, columns, side)
    return lines
