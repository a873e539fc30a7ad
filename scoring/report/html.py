"""Render a document as a self-contained page: no network access, no third-party scripts, all data escaped.

The page is complete without its script, which only sorts, searches and filters.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from scoring.report import document as doc
from scoring.report import numbers
from scoring.report.document import spans
from scoring.report.templates import environment, escape, render, resource
from scoring.report.text import LEFT, cell_lines, notes_below
from scoring.report.visible import clipped

_TEMPLATES = environment("scoring.report")


def render_page(document: doc.Document) -> str:
    """Return the page of a document."""
    style, script = resource("page.css"), resource("page.js")
    titles = (block.text for block in document.titled() if isinstance(block, doc.Title))
    # The page may run its own script and show its own images, and nothing else, whatever the data contains.
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:"
    return render(
        _TEMPLATES,
        "page.jinja",
        policy=Markup(policy),
        title=next(titles, ""),
        style=Markup(style),
        script=Markup(script),
        body=HtmlFragment(document, full=True).html(),
    )


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

    def line(self, line: doc.Line) -> Markup:
        """Return a line of text; written by hand as cells are, since a page may have a hundred thousand."""
        return Markup("".join(map(self._span, spans(line))))

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
            text = f'<a href="#rows-{self._homes[span.picks]}" data-pick="{self._tags[span.picks]}">{text}</a>'
        if span.look == "code":
            return f"<code>{text}</code>"
        return f'<span class="{span.look}">{text}</span>' if span.look != "plain" else text

    def cell(self, column: doc.TableColumn, value: object) -> Markup:
        """Return a cell of a table; a figure with its rank, by which the script sorts, and perhaps a bar."""
        lines = list(map(self.line, cell_lines(column, value)))
        if column.kind == "text":
            inner = lines[0] if len(lines) == 1 else "".join(f"<div>{line}</div>" for line in lines)
            return Markup(f"<td>{inner}</td>")
        rank = numbers.rank(column.kind, value)
        sort = f' data-rank="{rank!r}"' if rank is not None else ""
        bar = _bar(rank, column.scale) if column.bar else ""
        return Markup(f'<td class="{_side(column)}"{sort}>{lines[0]}{bar}</td>')

    def home(self, table: doc.DocumentTable) -> int | None:
        """Return the number of a table whose rows can be picked, else None."""
        return next((self._homes[tag] for tags in table.tags for tag in tags), None) if self.full else None

    def tags(self, table: doc.DocumentTable, row: int) -> str | None:
        """Return the numbers of a row's tags, None if its table has none."""
        if not self.full or row >= len(table.tags):
            return None
        return " ".join(str(self._tags[tag]) for tag in sorted(table.tags[row]))


def _tables(blocks: Iterable[doc.DocumentBlock]) -> Iterable[doc.DocumentTable]:
    for block in blocks:
        if isinstance(block, doc.DocumentTable):
            yield block
        elif isinstance(block, doc.Section):
            yield from _tables(block.blocks)


def _lines_of(text: str) -> Markup:
    """Return a text whose line ends stay, such as a raw response."""
    return Markup("\n".join(map(escape, clipped(text).split("\n"))))


def _picture(plot: doc.Plot) -> Markup:
    data = base64.b64encode(plot.svg.encode("utf-8", "replace")).decode()
    return Markup(f"data:image/svg+xml;base64,{data}")


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
        return Markup("")
    # A width in percent would need inline style, which the page's policy forbids; an SVG does not.
    bar = f'<rect width="{(value - low) / (high - low) * 60:.1f}" height="6" rx="2"/>'
    return Markup(f'<svg class="bar" width="60" height="6" aria-hidden="true">{bar}</svg>')


_FUNCTIONS: dict[str, Any] = {
    "bar": _bar,
    "figure_text": lambda figure: numbers.figure(figure.kind, figure.value),
    "has_heads": lambda table: any(column.title for column in table.columns),
    "kind_of": lambda block: type(block).__name__,
    "lines_of": _lines_of,
    "newline": Markup("\n"),
    "notes_below": notes_below,
    "picture": _picture,
    "rank": numbers.rank,
    "side": _side,
}
