"""Render a document as a self-contained page: no network access, no third-party scripts, all data escaped.

The page is complete without its script, which only sorts, searches and filters.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from importlib.resources import files

from scoring.report import document as doc
from scoring.report import numbers
from scoring.report.document import Piece, spans
from scoring.report.text import LEFT, cell_lines, notes_below
from scoring.report.visible import clipped, visible

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="scoring">
{body}
<script>{script}</script>
</body>
</html>
"""


def render_page(document: doc.Document) -> str:
    """Return the page of a document."""
    style, script = resource("page.css"), resource("page.js")
    titles = (block.text for block in document.titled() if isinstance(block, doc.Title))
    # The page may run its own script and show its own images, and nothing else, whatever the data contains.
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:"
    body = HtmlFragment(document, full=True).html()
    return _PAGE.format(policy=policy, title=escape(next(titles, "")), style=style, body=body, script=script)


def render_notebook(document: doc.Document) -> str:
    """Return a document as a fragment for notebooks, with its own style, no script, and only the first rows of long
    tables."""
    body = HtmlFragment(document, full=False).html()
    return f'<div class="scoring">\n<style>{resource("page.css")}</style>\n{body}\n</div>\n'


def escape(text: str) -> str:
    """Return a text of the data as HTML text.

    Examples:
        >>> escape("<script>\\u202e")
        '&lt;script&gt;\\\\u202e'
    """
    return html.escape(visible(clipped(text)))


def resource(name: str, package: str = "scoring.report") -> str:
    """Return the text of a file that is part of a package."""
    return files(package).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class HtmlFragment:
    """The body of a document as HTML.

    Args:
        document: The document to show.
        full: Whether to show all rows and columns, and allow selecting rows; otherwise as in a terminal.
    """

    def __init__(self, document: doc.Document, full: bool) -> None:
        self._blocks = document.titled()
        self._full = full
        # Tags are texts of the data; the page contains only their numbers, and those of the tables.
        self._tags: dict[str, int] = {}
        self._homes: dict[str, int] = {}
        for number, table in enumerate(_tables(document.blocks) if full else ()):
            for tag in sorted({tag for tags in table.tags for tag in tags}):
                self._tags.setdefault(tag, len(self._tags))
                self._homes.setdefault(tag, number)

    def html(self) -> str:
        """Return the HTML text."""
        return self._all(self._blocks, 1)

    def _all(self, blocks: Iterable[doc.DocumentBlock], level: int) -> str:
        return "\n".join(filter(None, (self._block(block, level) for block in blocks)))

    def _block(self, block: doc.DocumentBlock, level: int) -> str:
        match block:
            case doc.Title():
                aside = f'\n<p class="dim">{escape(block.aside)}</p>' if block.aside else ""
                return f"<h{level}>{escape(block.text)}</h{level}>{aside}"
            case doc.Paragraph():
                return "".join(f"<p>{self._line(line)}</p>" for line in block.lines)
            case doc.Headlines():
                return f'<div class="figures">{"".join(map(_figure, block.figures))}</div>'
            case doc.DocumentTable():
                return self._table(block, level + 1)
            case doc.Tree():
                foot = f"<p>{self._line(block.foot)}</p>" if block.foot else ""
                return f"<p>{self._line(block.head)}</p>{self._branches(block.branches)}{foot}"
            case doc.Code():
                return f"<pre>{self._span(Piece(block.text, 'code'))}</pre>"
            case doc.Section(folded=True):
                inner = self._all(block.blocks, level + 1)
                return f"<details><summary>{escape(block.title)}</summary>{inner}</details>"
            case doc.Section():
                return f"<section>{self._all([doc.Title(block.title), *block.blocks], level + 1)}</section>"
            case doc.Plot():
                # As an image, even an SVG from elsewhere can neither run nor load anything.
                data, name = base64.b64encode(block.svg.encode("utf-8", "replace")).decode(), escape(block.name)
                image = f'<img alt="{name}" src="data:image/svg+xml;base64,{data}">'
                return f"<figure>{image}<figcaption>{name}</figcaption></figure>"

    def _line(self, line: doc.Line) -> str:
        return "".join(map(self._span, spans(line)))

    def _span(self, span: Piece) -> str:
        # Text with several lines, such as a raw response, keeps them for readability.
        lines = clipped(span.text).split("\n") if span.look == "code" else [span.text]
        text = "\n".join(map(escape, lines))
        if span.picks in self._tags:
            home, number = self._homes[span.picks], self._tags[span.picks]
            text = f'<a href="#rows-{home}" data-pick="{number}">{text}</a>'
        if span.look == "code":
            return f"<code>{text}</code>"
        return f'<span class="{span.look}">{text}</span>' if span.look != "plain" else text

    def _branches(self, branches: tuple[doc.Branch, ...]) -> str:
        items = (
            f'<li><span class="name">{escape(branch.name)}</span> {self._line(branch.text)}'
            f"{self._branches(branch.children)}</li>"
            for branch in branches
        )
        return f'<ul class="tree">{"".join(items)}</ul>' if branches else ""

    def _table(self, table: doc.DocumentTable, level: int) -> str:
        columns, rows = table.drawn(self._full)
        if not rows:
            return ""
        head = "".join(map(_head, columns))
        heads = f"<thead><tr>{head}</tr></thead>" if any(column.title for column in table.columns) else ""
        body = "\n".join(
            f"<tr{self._marks(table, number)}>{''.join(map(self._cell, columns, row))}</tr>"
            for number, row in enumerate(rows)
        )
        home = next((self._homes[tag] for tags in table.tags for tag in tags), None) if self._full else None
        mark = f' id="rows-{home}"' if home is not None else ""
        search = ' data-search=""' if self._full and table.search else ""
        title = f"<h{level}>{escape(table.title)}</h{level}>\n" if table.title else ""
        notes = "".join(f'<p class="dim">{escape(note)}</p>' for note in notes_below(table, self._full))
        return f'{title}<div class="wide"{mark}{search}><table>{heads}\n<tbody>\n{body}\n</tbody></table></div>{notes}'

    def _marks(self, table: doc.DocumentTable, number: int) -> str:
        if not self._full or number >= len(table.tags):
            return ""
        return f' data-tags="{" ".join(str(self._tags[tag]) for tag in sorted(table.tags[number]))}"'

    def _cell(self, column: doc.TableColumn, value: object) -> str:
        text = [self._line(line) for line in cell_lines(column, value)]
        if column.kind == "text":
            return f"<td>{text[0] if len(text) == 1 else ''.join(f'<div>{line}</div>' for line in text)}</td>"
        rank = numbers.rank(column.kind, value)
        sort = f' data-rank="{rank!r}"' if rank is not None else ""
        return f'<td class="{_side(column)}"{sort}>{text[0]}{_bar(rank, column.scale) if column.bar else ""}</td>'


def _tables(blocks: Iterable[doc.DocumentBlock]) -> Iterable[doc.DocumentTable]:
    for block in blocks:
        if isinstance(block, doc.DocumentTable):
            yield block
        elif isinstance(block, doc.Section):
            yield from _tables(block.blocks)


def _side(column: doc.TableColumn) -> str:
    return "left" if column.kind in LEFT else "right"


def _head(column: doc.TableColumn) -> str:
    choices = ' data-choices=""' if column.choices else ""
    return f'<th class="{_side(column)}" scope="col"{choices}>{escape(column.title)}</th>'


def _figure(figure: doc.Headline) -> str:
    notes = "".join(f'<div class="dim">{escape(note)}</div>' for note in figure.notes if note)
    bar = _bar(numbers.rank(figure.kind, figure.value), figure.scale)
    value = f"{escape(numbers.figure(figure.kind, figure.value))}</b>{bar}"
    return f'<div class="figure"><div class="name">{escape(figure.name)}</div><b>{value}{notes}</div>'


def _bar(value: float | None, scale: doc.BarScale) -> str:
    """Return the SVG bar of a value on a scale, "" if the value is outside the scale or an end is infinite."""
    low, high = scale
    if value is None or low is None or high is None or not low <= value <= high or low == high:
        return ""
    share = (value - low) / (high - low)
    # A width in percent would need inline style, which the page's policy forbids; an SVG does not.
    bar = f'<rect width="{share * 60:.1f}" height="6" rx="2"/>'
    return f'<svg class="bar" width="60" height="6" aria-hidden="true">{bar}</svg>'
