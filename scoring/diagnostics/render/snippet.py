"""Draw lines of a source with underlined spans; the texts of several spans in one line are placed below it."""

from __future__ import annotations

from itertools import groupby

from msgspec import Struct

from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import display, width

WIDEST = 140
"""The number of characters of a source line that are drawn; of them, three in seven may stand before a mark."""

_COLORS = {
    "error": "1;31",
    "warning": "1;33",
    "secondary": "1;34",
    "gutter": "1;34",
    "help": "1;36",
    "note": "1;32",
    "bold": "1",
}


class Paint(Struct, frozen=True):
    """A function that colours text by its role, such as "error" or "gutter", or if not ``on`` returns it unchanged.

    Beside it, `widest` is the number of characters of a source line that are drawn.
    """

    on: bool
    widest: int = WIDEST

    def __call__(self, role: str, text: str) -> str:
        return f"\x1b[{_COLORS[role]}m{text}\x1b[0m" if self.on and text else text


class Mark(Struct, frozen=True):
    """A span to underline, the text for it, and its role: error, warning or secondary."""

    span: Span
    text: str
    role: str


class _Under(Struct, frozen=True):
    """A span to underline in one drawn line, by its terminal columns, with the text for it."""

    start: int
    end: int
    text: str
    role: str

    @property
    def line(self) -> str:
        return ("-" if self.role == "secondary" else "^") * (self.end - self.start)


def snippet(marks: list[Mark], gutter: int, arrow: str, paint: Paint) -> list[str]:
    """Return the drawn lines of a source that have marks, below a line with `arrow` and the source's name.

    `gutter` is the width of the column of line numbers.
    """
    source = marks[0].span.source
    name = f"{display(source.name)}:{marks[0].span.line}:{marks[0].span.column}"
    side = " " * gutter
    lines = [f"{side}{paint('gutter', arrow)} {name}", f"{side} {paint('gutter', '|')}"]
    by_line: dict[int, list[Mark]] = {}
    for mark in marks:
        by_line.setdefault(mark.span.line, []).append(mark)
    last = 0
    for number in sorted(by_line):
        if last and number > last + 2:
            lines.append(paint("gutter", "..."))
        elif last and number == last + 2:
            lines.append(_numbered(last + 1, gutter, _cut(source.line_text(last + 1), 0, paint.widest)[0], paint))
        lines.extend(_line(number, by_line[number], gutter, paint))
        last = number
    return lines


def _line(number: int, marks: list[Mark], gutter: int, paint: Paint) -> list[str]:
    source = marks[0].span.source
    text, start = source.line_text(number), source.line_start(number)
    first = min(mark.span.start for mark in marks) - start
    shown, skipped = _cut(text, first, paint.widest)
    unders = [_under(mark, text, start, skipped, paint.widest) for mark in marks]
    side = f"{' ' * gutter} {paint('gutter', '|')}"
    rows = [f"{side} {row}".rstrip() for row in _rows(unders, paint)]
    return [_numbered(number, gutter, shown, paint), *rows]


def _numbered(number: int, gutter: int, shown: str, paint: Paint) -> str:
    return f"{paint('gutter', f'{number:>{gutter}} |')} {shown}".rstrip()


def _cut(text: str, first: int, widest: int) -> tuple[str, int]:
    """Return the part of a long line around the offset `first`, and the number of characters left out before it."""
    skipped = max(first - widest * 3 // 7, 0) if len(text) > widest else 0
    part = text[skipped : skipped + widest]
    head = "…" if skipped else ""
    tail = "…" if skipped + widest < len(text) else ""
    return head + display(part) + tail, skipped


def _under(mark: Mark, text: str, line_start: int, skipped: int, widest: int) -> _Under:
    def column(offset: int) -> int:
        offset = min(offset, skipped + widest, len(text))
        return width(text[skipped:offset]) + (1 if skipped else 0)

    start = column(max(mark.span.start - line_start, skipped))
    end = column(max(mark.span.end - line_start, skipped))
    return _Under(start, max(end, start + 1), display(mark.text), mark.role)


def _rows(unders: list[_Under], paint: Paint) -> list[str]:
    """Return the rows to draw below a source line: the underlines with the text of the last one, then the other texts,
    each connected to its underline by a vertical line."""
    # Each piece has a row, a start column, a text and a role; later pieces cover earlier ones.
    pieces: list[tuple[int, int, str, str]] = []
    ordered = sorted(unders, key=lambda under: (under.start, -under.end))
    for under in sorted(ordered, key=lambda under: under.start - under.end):  # short ones over long ones
        pieces.append((0, under.start, under.line, under.role))
    last = ordered[-1]
    fits_on_line = all(other.end <= last.end for other in ordered)
    if fits_on_line:
        pieces.append((0, last.end + 1, last.text, last.role))
    hanging = [under for under in (ordered[:-1] if fits_on_line else ordered) if under.text]
    for row, under in enumerate(reversed(hanging), start=1):
        pieces += [(above, under.start, "|", under.role) for above in range(1, row + 1)]
        pieces.append((row + 1, under.start, under.text, under.role))
    return [_row([piece[1:] for piece in pieces if piece[0] == row], paint) for row in range(pieces[-1][0] + 1)]


def _row(pieces: list[tuple[int, str, str]], paint: Paint) -> str:
    cells = {column + at: (mark, role) for column, text, role in pieces for at, mark in enumerate(text)}
    row = [cells.get(column, (" ", "")) for column in range(max(cells, default=-1) + 1)]
    runs = ((role, "".join(mark for mark, _ in run)) for role, run in groupby(row, key=lambda cell: cell[1]))
    return "".join(paint(role, text) if role else text for role, text in runs)
