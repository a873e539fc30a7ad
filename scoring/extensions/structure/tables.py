"""Primitives for tables: HTML to rows of strings, and the similarity of two tables as trees (TEDS)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, Literal, NamedTuple

from scoring.extensions.structure.html import (
    NoTable,
    cell_text,
    pieces,
    span,
    table_in_body,
    table_rows,
    tables,
    tag_of,
)
from scoring.extensions.structure.tree_edits import OrderedTree, tree_distance
from scoring.primitives.text.edit import CELL_LIMIT
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Box, Score, numbered

MOST_CELLS = 100_000
"""The limit on cells of a table, including those that others span."""


@primitive(
    revision=2,
    uses=("lxml",),
    topics=("tables", "extraction"),
    aka=("table extraction", "parse table", "xml table", "table to rows"),
)
def html_table(
    text: str,
    /,
    *,
    pick: Literal["first", "last"] = "first",
    spans: Literal["repeated", "empty"] = "repeated",
    content: Literal["shown", "pieces"] = "shown",
    rows: Literal["written", "spanned"] = "written",
) -> list[list[str]]:
    """Extract a table of HTML or XML (`table`, `tr`, `td`, `th`) from a text as rows of strings.

    The text of a cell has no tags. Rows may differ in length.

    Args:
        pick: Which table is taken where there are several.
        spans: Whether the text of a cell that spans several rows or columns is repeated in all of their positions, or
            is only in the first, with the others empty.
        content: Whether white space in a cell is reduced to single spaces (shown), or the pieces of text between its
            tags are joined by a space as they stand (pieces).
        rows: Whether the rows are those that are written (`tr`), as browsers show a table, or those that cells span:
            rows below the last one, if a cell spans them, and no rows without cells at the end.

    Raises:
        Unparsed: when there is no table in the text, or it has more than 100,000 cells.

    Examples:
        >>> html_table("Here: <table><tr><th>Town<th>People<tr><td>Suva<td>93,970</table>")
        [['Town', 'People'], ['Suva', '93,970']]
        >>> html_table("<table><tr><td colspan=2>a</td></tr><tr><td>b</td><td>c</td></tr></table>", spans="empty")
        [['a', ''], ['b', 'c']]
    """
    grid = _read(text, pick, cell_text if content == "shown" else _in_pieces, rows)
    repeated = spans == "repeated"
    return [[part.text if repeated or not (part.down or part.right) else "" for part in row] for row in grid]


def _in_pieces(cell: Any) -> str:
    return " ".join(cell.itertext())


@primitive(
    revision=2,
    uses=("lxml",),
    topics=("tables", "extraction"),
    aka=("table structure", "colspan", "rowspan", "relative spans", "table topology"),
)
def cell_spans(text: str, /, *, pick: Literal["first", "last"] = "first") -> list[list[Box]]:
    """Return, for each position in the grid of an HTML table, the box of its cell relative to that position.

    A box is left, top, right and bottom; that of a cell that spans nothing else is 0, 0, 1, 1. The rows are those that
    cells span, as in `html_table(rows="spanned")`.

    Args:
        pick: Which table is taken where there are several.

    Raises:
        Unparsed: when there is no table in the text, or it has more than 100,000 cells.

    Examples:
        >>> cell_spans("<table><tr><td colspan=2>a</td></tr><tr><td>b</td><td>c</td></tr></table>")
        [[(0, 0, 2, 1), (-1, 0, 1, 1)], [(0, 0, 1, 1), (0, 0, 1, 1)]]

    Source:
        Smock, Pesala, Abraham: GriTS: Grid table similarity metric for table structure recognition, arXiv:2203.12555.
    """
    grid = _read(text, pick, cell_text, "spanned")
    return [[(-one.right, -one.down, one.width - one.right, one.height - one.down) for one in row] for row in grid]


class _Part(NamedTuple):
    """A position in a grid: the text of its cell, how far down and right it lies in it, and how much that spans."""

    text: str
    down: int
    right: int
    height: int
    width: int


def _read(text: str, pick: str, content: Callable[[Any], str], rows: str) -> list[list[_Part]]:
    try:
        found = tables(text)
        return _grid(found[0] if pick == "first" else found[-1], content, is_spanned=rows == "spanned")
    except NoTable as error:
        raise Unparsed(str(error)) from None


def _grid(table: Any, content: Callable[[Any], str], *, is_spanned: bool) -> list[list[_Part]]:
    rows: list[list[_Part]] = []
    above: dict[int, _Part] = {}  # by column: what a cell that spans further rows has in the next one
    count = 0
    written = [*table_rows(table)]
    for cells in chain(written, repeat([])):
        if len(rows) >= len(written) and not (is_spanned and 0 in above):
            break
        row: list[_Part] = []
        below = {at: part._replace(down=part.down + 1) for at, part in above.items() if part.down + 1 < part.height}
        ahead = iter(cells)
        cell = next(ahead, None)
        while cell is not None or len(row) in above:
            if len(row) in above:
                row.append(above[len(row)])
                continue
            width, height = max(1, span(cell, "colspan")), max(1, span(cell, "rowspan"))
            if count + len(row) + width > MOST_CELLS:
                raise NoTable(f"a table of more than {MOST_CELLS:,} cells")
            text = content(cell)
            for place in range(width):
                part = _Part(text, 0, place, height, width)
                if height > 1:
                    below[len(row)] = part._replace(down=1)
                row.append(part)
            cell = next(ahead, None)
        count += max(len(row), len(above))
        if count > MOST_CELLS:
            raise NoTable(f"a table of more than {MOST_CELLS:,} cells")
        above = below
        rows.append(row)
    while is_spanned and rows and not rows[-1]:
        rows.pop()
    return rows


@primitive(
    uses=("lxml", "rapidfuzz"),
    range=(-1.0, 1.0),
    topics=("tables",),
    aka=("tree edit distance similarity", "table structure recognition", "table similarity", "tree edit distance"),
)
def teds(
    prediction: str,
    reference: str,
    /,
    *,
    structure_only: bool = False,
    ignored_tags: list[str] | None = None,
    documents: bool = False,
) -> Score:
    """Compare two HTML tables as trees: 1 minus their edit distance divided by the nodes of the larger tree (TEDS).

    Inserting or deleting a node costs 1, and so does changing its tag, colspan or rowspan. Changing the content of a
    cell (`td`) costs the Levenshtein distance of both contents, in characters and tags, divided by the length of the
    longer one. The text of other tags, `th` included, does not count. Very different tables may score below 0.

    Args:
        structure_only: Whether the contents of cells are ignored.
        ignored_tags: Tags that are removed before the comparison, such as `b`; their content is kept.
        documents: If true, a table counts only as a direct child of the body of a whole document, as in the released
            code, and a text without one scores 0. If false, the first table of a text counts, and only a prediction
            without a table scores 0.

    Raises:
        Unscored: when the reference contains no table, a colspan or rowspan is not an integer, both tables are empty,
            or they are so large that comparing them would take long.

    Examples:
        >>> rows = "<table><tr><td>a</td><td>{}</td></tr></table>"
        >>> teds(rows.format("b"), rows.format("b")), teds(rows.format("bc"), rows.format("bd"))
        (1.0, 0.8333333333333334)

    Source:
        Zhong, ShafieiBavani, Jimeno Yepes: Image-based table recognition, 2020; its released code.
    """
    if documents and not (prediction and reference):
        return 0.0
    try:
        mine, theirs = _table(prediction, documents), _table(reference, documents)
        if theirs is None and not documents:
            raise NoTable("there is no table in the reference")
        if mine is None or theirs is None:
            return 0.0
        trees = [_TableTree(table, structure_only, ignored_tags or []) for table in (mine, theirs)]
    except NoTable as error:
        raise Unscored(str(error)) from None
    nodes = max(tree.elements for tree in trees)
    if not nodes:
        raise Unscored("both tables are empty")
    return 1.0 - tree_distance(trees[0].shape, trees[1].shape, _Costs(*trees)) / nodes


def _table(text: str, documents: bool) -> Any | None:
    if documents:
        return table_in_body(text)
    try:
        return tables(text)[0]
    except NoTable:
        return None


class _TableTree:
    """A table as a tree: the kind of each node, and the contents of cells; elements inside a cell are not nodes.

    Args:
        table: The element of the table.
        structure_only: Whether the contents of cells are left out.
        ignored: The tags that are removed, while their content is kept.
    """

    def __init__(self, table: Any, structure_only: bool, ignored: list[str]) -> None:
        self.kinds: list[tuple[str, int | None, int | None]] = []
        self.contents: list[list[str] | None] = []
        leftmost: list[int] = []
        for tag in ignored:  # one by one, because an element that two entries match is removed only once
            for element in [*table.iterdescendants(tag)]:
                element.drop_tag()
        self.elements = sum(isinstance(element.tag, str) for element in table.iterdescendants())
        # Each node is visited twice: on the way down, and again after all nodes below it have been numbered.
        waiting: list[tuple[Any, int | None]] = [(table, None)]
        while waiting:
            element, first = waiting.pop()
            is_cell = element.tag == "td"
            if first is None and not is_cell:
                waiting.append((element, len(leftmost)))
                waiting.extend((child, None) for child in reversed(element))
                continue
            spans = (span(element, "colspan"), span(element, "rowspan")) if is_cell else (None, None)
            self.kinds.append((tag_of(element), *spans))
            self.contents.append(None if not is_cell else [] if structure_only else pieces(element))
            leftmost.append(len(leftmost) if first is None else first)
        self.shape = OrderedTree(leftmost)


class _Costs:
    """A function that returns the cost, from 0 to 1, of changing a node of one tree into a node of the other; each pair
    of cell contents is compared only once.
    """

    def __init__(self, one: _TableTree, other: _TableTree) -> None:
        from rapidfuzz.distance import Levenshtein

        self._distance = Levenshtein.distance
        self._kinds = one.kinds, other.kinds
        cells = [cell for tree in (one, other) for cell in tree.contents]
        numbers = numbered(*(cell or () for cell in cells))
        known = [None if cell is None else tuple(pieces) for cell, pieces in zip(cells, numbers, strict=True)]
        self._contents = known[: len(one.contents)], known[len(one.contents) :]
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}
        self._compared = 0

    def __call__(self, place: int, other: int) -> float:
        if self._kinds[0][place] != self._kinds[1][other]:
            return 1.0
        mine, theirs = self._contents[0][place], self._contents[1][other]
        if mine == theirs or mine is None or theirs is None:
            return 0.0
        cost = self._known.get((mine, theirs))
        if cost is None:
            self._compared += len(mine) * len(theirs)
            if self._compared > CELL_LIMIT:
                raise Unscored("the cells of both tables are too long to be compared with one another")
            cost = self._distance(mine, theirs) / max(len(mine), len(theirs))
            self._known[mine, theirs] = cost
        return cost
