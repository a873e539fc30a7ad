"""Render a document as GitHub's Markdown, for comments on pull requests, notes and notebooks.

Characters with a meaning in Markdown or HTML are written as character references, which are never interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scoring.lazy_pattern import lazy_pattern
from scoring.report import document as doc
from scoring.report.document import Piece, spans
from scoring.report.style import Style
from scoring.report.text import LEFT, cell_lines, draw_tree, figure_rows, notes_below
from scoring.report.visible import clipped, visible

_MEANINGFUL = lazy_pattern(r"[\\`*_\[\]<>|&#~$]|!(?=\[)|:(?=//)|(?<=www)\.")
# The beginnings of a line that turn it into a list or a rule; a number such as 0.5 does not.
_START = lazy_pattern(r"^(\d*)([.)](?=\s|$)|[-+=](?=[-+=]*(?:\s|$)))")
# A mention would notify the person; an empty comment separates the @ from the name.
_MENTION = lazy_pattern(r"@(?=\w)")


def render_markdown(document: doc.Document) -> str:
    """Return a document as Markdown, with only the first rows of long tables."""
    return _blocks(document.titled(), 1) + "\n"


def _blocks(blocks: Iterable[doc.DocumentBlock], level: int) -> str:
    return "\n\n".join(filter(None, (_block(block, level) for block in blocks)))


def _block(block: doc.DocumentBlock, level: int) -> str:
    match block:
        case doc.Title():
            aside = f"\n\n{_line(block.aside)}" if block.aside else ""
            return f"{'#' * level} {_line(block.text)}{aside}"
        case doc.Paragraph():
            return "  \n".join(map(_line, block.lines))
        case doc.Headlines():
            rows = [list(map(_line, row)) for row in figure_rows(block)]
            return _grid(["", "figure", *[""] * (len(rows[0]) - 2)], rows, [1]) if rows else ""
        case doc.DocumentTable():
            return _table(block, level)
        case doc.Tree():
            return _fenced(draw_tree(block, Style()), "text")
        case doc.Code():
            return _fenced("\n".join(map(visible, block.text.split("\n"))), block.language)
        case doc.Section(folded=True):
            head = f"<details>\n<summary>{_line(block.title)}</summary>"
            return f"{head}\n\n{_blocks(block.blocks, level + 1)}\n\n</details>"
        case doc.Section():
            return _blocks([doc.Title(block.title), *block.blocks], level + 1)
    return ""  # a plot is an image, which Markdown can't contain


def _escape(text: str) -> str:
    """Return any text of the data as literal Markdown text.

    Examples:
        >>> _escape("a|b <i> @all")
        'a&#124;b &#60;i&#62; @<!-- -->all'
    """
    return _MENTION.sub("@<!-- -->", _MEANINGFUL.sub(lambda found: f"&#{ord(found[0])};", visible(clipped(text))))


def _line(line: doc.Line) -> str:
    """Return a line as Markdown, without outer spaces and with its first character escaped if it would start a list,
    rule or code."""
    text = "".join(map(_span, spans(line))).strip()
    return _START.sub(lambda found: f"{found[1]}&#{ord(found[2])};", text)


def _span(span: Piece) -> str:
    text = _escape(span.text)
    if not span.text.strip() or span.look not in ("bold", "code"):
        return text
    # Unlike asterisks, tags need no spaces around them, and their content is still escaped.
    return f"<b>{text}</b>" if span.look == "bold" else f"<code>{text}</code>"


def _table(block: doc.DocumentTable, level: int) -> str:
    columns, rows = block.drawn(full=False)
    if not rows:
        return ""
    cells = [["<br>".join(map(_line, lines)) for lines in map(cell_lines, columns, row)] for row in rows]
    right = [at for at, column in enumerate(columns) if column.kind not in LEFT]
    title = [_block(doc.Title(block.title), level + 1)] if block.title else []
    grid = _grid([_line(column.title) for column in columns], cells, right)
    return "\n\n".join([*title, grid, *map(_line, notes_below(block, full=False))])


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    rule = ["---:" if at in right else "---" for at in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def _fenced(text: str, language: str) -> str:
    """Return code between fences that are longer than any run of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
