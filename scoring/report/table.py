"""Aligned tables: text to the left, numbers to the right, two spaces between columns."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.diagnostics.width import width
from scoring.report.style import Style

GAP = "  "


def table(
    rows: Sequence[Sequence[str]], header: Sequence[str] = (), right: Sequence[int] = (), style: Style | None = None
) -> str:
    """The rows as lines of equal columns.

    Args:
        rows: The cells.
        header: Column titles, drawn dim.
        right: Which columns are aligned to the right.
        style: How titles are drawn; plain by default.

    Examples:
        >>> print(table([["vendor", "0.9"], ["total", "12.0"]], ["field", "mean"], right=[1]))
        field   mean
        vendor   0.9
        total   12.0
    """
    lines = [list(map(str, row)) for row in rows]
    cells = [list(header), *lines] if header else lines
    if not cells:
        return ""
    widths = [max(width(row[column]) for row in cells) for column in range(len(cells[0]))]
    drawn = [GAP.join(_pad(cell, widths[at], at in right) for at, cell in enumerate(row)).rstrip() for row in cells]
    if header and style is not None:
        drawn[0] = style.dim(drawn[0])
    return "\n".join(drawn)


def _pad(cell: str, columns: int, right: bool) -> str:
    space = " " * (columns - width(cell))
    return space + cell if right else cell + space
