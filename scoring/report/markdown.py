"""A document as GitHub's Markdown, for comments on pull requests, notes and notebooks.

Whatever could mean something to Markdown or HTML is written as a character reference, which only ever means itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scoring.report import numbers
from scoring.report.document import (
    Block,
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
    spans,
)
from scoring.report.style import Style
from scoring.report.text import LEFT, draw_tree, notes_below
from scoring.report.visible import visible

_MEANINGFUL = re.compile(r"[\\`*_\[\]<>|&#~$]|!(?=\[)|:(?=//)|(?<=www)\.")
# What makes a list or a rule of a line that begins with it.
_START = re.compile(r"^(\d*)([-+=.)])")
# A mention would tell the person; an empty comment parts the sign from the name.
_MENTION = re.compile(r"@(?=\w)")


def render_markdown(document: Document) -> str:
    """The document, with the first rows of long tables."""
    return _blocks(document.titled(), 1) + "\n"


def _blocks(blocks: Iterable[Block], level: int) -> str:
    return "\n\n".join(filter(None, (_block(block, level) for block in blocks)))


def _block(block: Block, level: int) -> str:
    match block:
        case Title():
            aside = f"\n\n{_line(block.aside)}" if block.aside else ""
            return f"{'#' * level} {_line(block.text)}{aside}"
        case Paragraph():
            return "  \n".join(map(_line, block.lines))
        case Figures():
            return _figures(block)
        case Table():
            return _table(block, level)
        case Tree():
            return _fenced(draw_tree(block, Style()), "text")
        case Code():
            return _fenced("\n".join(map(visible, block.text.split("\n"))), block.language)
        case Section():
            return _blocks([Title(block.title), *block.blocks], level + 1)
    return ""  # a plot is a picture of its own, which a text can't hold


def escape(text: str) -> str:
    """Text of the data as text of Markdown, whatever it holds.

    Examples:
        >>> escape("a|b <i> @all")
        'a&#124;b &#60;i&#62; @<!-- -->all'
    """
    return _MENTION.sub("@<!-- -->", _MEANINGFUL.sub(_reference, visible(text)))


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _line(line: Line) -> str:
    """A line, whose spaces at the ends and whose first sign would make lists, rules and code of it."""
    text = "".join(map(_span, spans(line))).strip()
    return _START.sub(lambda found: f"{found[1]}&#{ord(found[2])};", text)


def _span(span: Span) -> str:
    text = escape(span.text)
    if not span.text.strip() or span.look not in ("bold", "code"):
        return text
    # Tags need no spaces around them, and what stands in them is still escaped.
    return f"<b>{text}</b>" if span.look == "bold" else f"<code>{text}</code>"


def _figures(block: Figures) -> str:
    rows = [[one.name, numbers.figure(one.kind, one.value), *one.notes] for one in block.figures]
    most = max(map(len, rows), default=2)
    cells = [[escape(cell) for cell in row] + [""] * (most - len(row)) for row in rows]
    return _grid(["figure", "value", *[""] * (most - 2)], cells, ["right" if at == 1 else "" for at in range(most)])


def _table(block: Table, level: int) -> str:
    rows = block.shown(full=False)
    if not rows:
        return ""
    places = [at for at, column in enumerate(block.columns) if not column.aside]
    cells = [[_cell(block.columns[at], row[at]) for at in places] for row in rows]
    columns = [block.columns[at] for at in places]
    drawn = _grid(
        [escape(column.title) for column in columns],
        cells,
        ["" if column.kind in LEFT else "right" for column in columns],
    )
    title = f"{'#' * (level + 1)} {escape(block.title)}\n\n" if block.title else ""
    return "\n\n".join([title + drawn, *map(escape, notes_below(block, full=False))])


def _cell(column: Column, value: object) -> str:
    if column.kind != "text":
        return escape(numbers.figure(column.kind, value))
    lines = value.lines if isinstance(value, Stack) else ("" if value is None else value,)
    return "<br>".join(map(_line, lines))  # type: ignore[arg-type]  # a cell of text is a line


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], sides: Sequence[str]) -> str:
    rule = ["---:" if side else "---" for side in sides]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def _fenced(text: str, language: str) -> str:
    """Lines of code between fences that are longer than any in them."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
