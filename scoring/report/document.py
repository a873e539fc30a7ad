"""Results as documents: titles, figures, tables, trees and plots, which each output format (terminal, page, …) renders.

Builders provide the content; width, styling and escaping are up to the output format. So texts here are raw texts of
the data, and each output format must escape them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

Look: TypeAlias = Literal["plain", "bold", "dim", "good", "bad", "warn", "code", "added", "removed"]
ColumnKind: TypeAlias = Literal[
    "text", "number", "share", "count", "times", "weight", "interval", "change", "difference"
]
DocumentRow: TypeAlias = Sequence[Any]
BarScale: TypeAlias = tuple[float | None, float | None]
"""The values at the two ends of a bar; None means infinite, and then no bar is drawn."""

MAX_ROWS = 2_000


class Piece(Struct, frozen=True):
    """A piece of text with its look; on a page, a click on it selects the table rows with the tag `picks`, if any."""

    text: str
    look: Look = "plain"
    picks: str = ""


Line: TypeAlias = str | Piece | tuple[str | Piece, ...]
"""One line of text, split into pieces if their looks differ."""


def spans(line: Line) -> tuple[Piece, ...]:
    """Return the pieces of a line of a document; plain texts become pieces without a look.

    Examples:
        >>> spans(("mean ", Piece("0.5", "bold")))
        (Piece(text='mean ', look='plain', picks=''), Piece(text='0.5', look='bold', picks=''))
    """
    parts = (line,) if isinstance(line, (str, Piece)) else line
    return tuple(Piece(part) if isinstance(part, str) else part for part in parts)


def plain_text(line: Line) -> str:
    """Return the text of a line of a document, without the looks of its pieces."""
    return "".join(span.text for span in spans(line))


def join_lines(parts: Iterable[Line], between: str = " · ") -> Line:
    """Return several lines of a document joined into one, with the separator `between`.

    Examples:
        >>> plain_text(join_lines(["2 scored", Piece("1 unparsed", "warn")]))
        '2 scored · 1 unparsed'
    """
    found: list[Piece] = []
    for part in parts:
        found += [Piece(between)] if found else []
        found += spans(part)
    return tuple(found)


class TableColumn(Struct, frozen=True):
    """The description of a table's column: its heading, and how its cells are shown.

    Args:
        title: The heading.
        kind: The kind of its cells: ``text`` is a `Line` or a list of lines; ``number`` a score; ``share`` a fraction
            of 1; ``count``, ``times`` and ``weight`` are numbers; ``interval`` has two ends and optionally the level;
            ``change`` is a pair, before and after; ``difference`` a number shown with its sign. None is an empty cell.
        width: The maximum width of a cell in a terminal, in characters; 0 for unlimited.
        bar: Whether a page draws a bar next to the figure.
        scale: The values at the two ends of the bar.
        aside: Whether only a page, which has more room, shows the column.
        choices: Whether a page lets the reader filter by its values.
        better: Which values are better, ``higher``, ``lower``, a target or None, by which bars are coloured.
    """

    title: str = ""
    kind: ColumnKind = "text"
    width: int = 0
    bar: bool = False
    scale: BarScale = (0.0, 1.0)
    aside: bool = False
    choices: bool = False
    better: Any = "higher"


class Title(Struct, frozen=True):
    """The title of a document, and a note that is shown dimmed next to it."""

    text: str
    aside: str = ""


class Paragraph(Struct, frozen=True):
    """A block of a document: lines of text that belong together."""

    lines: tuple[Line, ...]


class Headline(Struct, frozen=True):
    """A main figure of a result with notes, such as its interval and bounds, the scale of its bar, and which values are
    better, as in `TableColumn`.

    Notes are aligned in columns, so an empty note leaves its column empty.
    """

    name: str
    value: Any
    kind: ColumnKind = "number"
    notes: tuple[str, ...] = ()
    scale: BarScale = (0.0, 1.0)
    better: Any = "higher"


class Headlines(Struct, frozen=True):
    """The headline figures of a result, the most important one first."""

    figures: tuple[Headline, ...]


class DocumentTable(Struct, frozen=True):
    """A block of a document: a table.

    Args:
        columns: The descriptions of the columns.
        rows: The cells, one list for each row.
        title: The heading; a terminal omits it, since the first column names the rows.
        brief: The number of rows shown if space is short; None for all; 0 for none, without a note.
        rest: A text that says where to find the rows that are not shown.
        rest_columns: A text that says where to find the columns that only a page shows.
        total: The actual number of rows, if ``rows`` are only some of them.
        tags: The tags by which each row can be selected.
        search: Whether a page offers a search box for the table.
    """

    columns: tuple[TableColumn, ...]
    rows: tuple[DocumentRow, ...]
    title: str = ""
    brief: int | None = None
    rest: str = ""
    rest_columns: str = ""
    total: int = 0
    tags: tuple[frozenset[str], ...] = ()
    search: bool = False

    @classmethod
    def of(cls, items: Iterable[Any], *cells: tuple[TableColumn, str | Callable[[Any], Any]], **settings: Any) -> Self:
        """Return a table with a row for each item, given for each column the key of its cell, or a function for it.

        Examples:
            >>> DocumentTable.of(
            ...     [{"id": 1, "score": 0.5}], (TableColumn("id"), "id"), (TableColumn(), lambda one: one["score"] * 2)
            ... ).rows
            ([1, 1.0],)
        """
        rows = tuple([one.get(cell) if isinstance(cell, str) else cell(one) for _, cell in cells] for one in items)
        return cls(tuple(column for column, _ in cells), rows, **settings)

    def shown(self, full: bool) -> tuple[DocumentRow, ...]:
        """Return the rows to show: the first `MAX_ROWS` if `full` (there is space), else the first `brief` ones."""
        return self.rows[: MAX_ROWS if full else self.brief]

    def drawn(self, full: bool) -> tuple[list[TableColumn], list[list[Any]]]:
        """Return the columns to show, and the cells to show row by row; unless `full`, those for pages are left out."""
        indices = [at for at, column in enumerate(self.columns) if full or not column.aside]
        return [self.columns[at] for at in indices], [[row[at] for at in indices] for row in self.shown(full)]

    def without_empty(self) -> Self:
        """Return the table without columns that are empty in every row."""
        dashes = ("number", "share", "weight")
        kept = [
            at
            for at, column in enumerate(self.columns)
            if column.kind in dashes or any(row[at] not in (None, "") for row in self.rows)
        ]
        columns = tuple(self.columns[at] for at in kept)
        return replace(self, columns=columns, rows=tuple([row[at] for at in kept] for row in self.rows))


class Branch(Struct, frozen=True):
    """One line of a drawn tree with the lines below it (children); its text is aligned with those of its siblings."""

    name: str
    text: Line = ""
    children: tuple[Branch, ...] = ()


class Tree(Struct, frozen=True):
    """A block of a document: a drawn tree with a line above and a line below it."""

    head: Line
    branches: tuple[Branch, ...]
    foot: Line = ""


class Code(Struct, frozen=True):
    """Source code or other text that is shown verbatim."""

    text: str
    language: str = ""


class Plot(Struct, frozen=True):
    """A plot as data, which only pages and notebooks draw; `scoring.extensions.pages` knows the kinds of charts."""

    name: str
    chart: Any


class Section(Struct, frozen=True):
    """Blocks of a document under a heading; if folded, pages and Markdown show only the heading until it is opened."""

    title: str
    blocks: tuple[DocumentBlock, ...]
    folded: bool = False


DocumentBlock: TypeAlias = Title | Paragraph | Headlines | DocumentTable | Tree | Code | Plot | Section


class Document(Struct, frozen=True):
    """A result as a human-readable document, for any output format."""

    blocks: tuple[DocumentBlock, ...]  # the content, in order
    name: str = ""  # heading of a separate page; a terminal, where a command was just typed, omits it

    def titled(self) -> tuple[DocumentBlock, ...]:
        """Return the blocks, preceded by the document's name as title if it has one.

        Examples:
            >>> Document((Paragraph(("verified",)),), "runs/a").titled()[0]
            Title(text='runs/a', aside='')
        """
        return (Title(self.name), *self.blocks) if self.name else self.blocks
