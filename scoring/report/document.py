"""Results as data: titles, figures, tables, trees and plots, which each form (terminal, page, …) draws its own way.

A builder says what is known; how wide, how bold and how escaped it is drawn is a form's business. So texts here are raw
texts of the data, and each form makes them harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

Look: TypeAlias = Literal["plain", "bold", "dim", "good", "bad", "warn", "code"]
ColumnKind: TypeAlias = Literal[
    "text", "number", "share", "count", "times", "weight", "interval", "change", "difference"
]
DocumentRow: TypeAlias = Sequence[Any]
BarScale: TypeAlias = tuple[float | None, float | None]
"""The ends of a bar; one that is None is infinite, and then no bar is drawn."""

MAX_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text with its look, and the tag of the rows that it represents: a page links to those."""

    text: str
    look: Look = "plain"
    picks: str = ""


Line: TypeAlias = str | Piece | tuple[str | Piece, ...]
"""One line of text, in pieces where their looks differ."""


def spans(line: Line) -> tuple[Piece, ...]:
    """Return the pieces of a line.

    Examples:
        >>> spans(("mean ", Piece("0.5", "bold")))
        (Piece(text='mean ', look='plain', picks=''), Piece(text='0.5', look='bold', picks=''))
    """
    parts = (line,) if isinstance(line, (str, Piece)) else line
    return tuple(Piece(part) if isinstance(part, str) else part for part in parts)


def plain(line: Line) -> str:
    """Return a line without looks."""
    return "".join(span.text for span in spans(line))


def joined(parts: Iterable[Line], between: str = " · ") -> Line:
    """Lines as one line.

    Examples:
        >>> plain(joined(["2 scored", Piece("1 unparsed", "warn")]))
        '2 scored · 1 unparsed'
    """
    found: list[Piece] = []
    for part in parts:
        found += [Piece(between)] if found else []
        found += spans(part)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table."""

    title: str = ""  # what stands above it
    # What its cells hold: ``text`` a `Line`, or a list of lines; ``number`` a score; ``share`` a part of 1; ``count``,
    # ``times`` and ``weight`` numbers; ``interval`` its two ends and perhaps the level; ``change`` a pair, before and
    # after; ``difference`` a number with its sign. None is nothing.
    kind: ColumnKind = "text"
    width: int = 0  # how many columns of a terminal a cell may take; 0 for as many as it needs
    bar: bool = False  # whether a page draws a bar beside the figure
    scale: BarScale = (0.0, 1.0)  # from where to where the bar goes
    aside: bool = False  # whether only a page, which has room, shows it
    choices: bool = False  # whether a page offers its values to filter by


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a document, and a dimmed text next to it."""

    text: str
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline figure, its interval, bounds and other notes (an empty one keeps its place), the ends of its bar."""

    name: str
    value: Any
    kind: ColumnKind = "number"
    notes: tuple[str, ...] = ()
    scale: BarScale = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Headlines:
    """The headline figures of a result, the first one first."""

    figures: tuple[Headline, ...]


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Rows of typed cells."""

    columns: tuple[TableColumn, ...]  # what the cells are
    rows: tuple[DocumentRow, ...]  # the cells, a list for each row
    title: str = ""  # a heading; a terminal does without, since the first column names the rows
    brief: int | None = None  # how many rows are shown where space is short; None for all, 0 for none, without a word
    rest: str = ""  # where the rows are that are not shown
    rest_columns: str = ""  # where the columns are that stand aside
    total: int = 0  # how many rows there are in truth, where the table itself holds only some of them
    tags: tuple[frozenset[str], ...] = ()  # what each row may be picked by
    search: bool = False  # whether a page offers to search it

    @classmethod
    def of(cls, items: Iterable[Any], *cells: tuple[TableColumn, str | Callable[[Any], Any]], **settings: Any) -> Self:
        """Return a table of items: for each column the key or the function that gives an item's cell.

        Examples:
            >>> DocumentTable.of(
            ...     [{"id": 1, "score": 0.5}], (TableColumn("id"), "id"), (TableColumn(), lambda one: one["score"] * 2)
            ... ).rows
            ([1, 1.0],)
        """
        rows = tuple([one.get(cell) if isinstance(cell, str) else cell(one) for _, cell in cells] for one in items)
        return cls(tuple(column for column, _ in cells), rows, **settings)

    def shown(self, full: bool) -> tuple[DocumentRow, ...]:
        """Return the rows that a form shows; even a page has no end of room."""
        return self.rows[: MAX_ROWS if full else self.brief]

    def drawn(self, full: bool) -> tuple[list[TableColumn], list[list[Any]]]:
        """Return the columns that a form shows, and the cells below them, row by row."""
        places = [at for at, column in enumerate(self.columns) if full or not column.aside]
        return [self.columns[at] for at in places], [[row[at] for at in places] for row in self.shown(full)]

    def without_empty(self) -> Self:
        """Return the table without the columns that say nothing in any row."""
        dashes = ("number", "share", "weight")
        kept = [
            at
            for at, column in enumerate(self.columns)
            if column.kind in dashes or any(row[at] not in (None, "") for row in self.rows)
        ]
        columns = tuple(self.columns[at] for at in kept)
        return replace(self, columns=columns, rows=tuple([row[at] for at in kept] for row in self.rows))


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree and what hangs below it; names are aligned with those of its siblings."""

    name: str
    text: Line = ""
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree under a headline, with a line at its foot."""

    head: Line
    branches: tuple[Branch, ...]
    foot: Line = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of a program, as they are."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing as SVG text; only pages and notebooks show it, as a picture that can neither run nor load anything."""

    name: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading; folded, a page and Markdown show the heading until somebody opens it."""

    title: str
    blocks: tuple[DocumentBlock, ...]
    folded: bool = False


DocumentBlock: TypeAlias = Title | Paragraph | Headlines | DocumentTable | Tree | Code | Plot | Section


@dataclass(frozen=True, slots=True)
class Document:
    """A result as people read it, in any form."""

    blocks: tuple[DocumentBlock, ...]  # what there is to say, in order
    name: str = ""  # a heading for a page of its own; a terminal, where a command was just typed, does without

    def titled(self) -> tuple[DocumentBlock, ...]:
        """Return the blocks, under the document's own heading where it has one.

        Examples:
            >>> Document((Paragraph(("verified",)),), "runs/a").titled()[0]
            Title(text='runs/a', aside='')
        """
        return (Title(self.name), *self.blocks) if self.name else self.blocks
