"""Render a document as a self-contained HTML page: no network and no script of others is used, all data are escaped.

The page is complete without scripts; its script only adds sorting, searching and filtering.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from scoring.extensions.pages.drawing import draw_chart
from scoring.extensions.pages.marked import Unfolding
from scoring.extensions.pages.templates import escape_html, render_template, resource, template_environment
from scoring.report import document as doc
from scoring.report import numbers
from scoring.report.document import spans
from scoring.report.text import LEFT, cell_lines, notes_below
from scoring.report.visible import clipped, visible

_TEMPLATES = template_environment("scoring.extensions.pages")


def render_page(document: doc.Document) -> str:
    """Return a document as a complete HTML page."""
    style, script = _style(), resource("page.js")
    titles = (block.text for block in document.titled() if isinstance(block, doc.Title))
    # The page may run its own script, show its own pictures, and nothing else, whatever the data holds.
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:"
    return render_template(
        _TEMPLATES,
        "page.jinja",
        policy=Markup(policy),
        title=next(titles, ""),
        style=Markup(style),
        script=Markup(script),
        body=HtmlFragment(document, full=True).html(),
    )


def render_notebook(document: doc.Document) -> str:
    """Return a document as an HTML fragment for notebooks, with its own style, without a script, and with only the
    first rows of long tables."""
    body = HtmlFragment(document, full=False).html()
    return f'<div class="scoring">\n<style>{_style()}</style>\n{body}\n</div>\n'


def _style() -> str:
    return resource("page.css") + resource("chart.css")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class HtmlFragment:
    """A renderer of the body of a document as HTML.

    Args:
        document: The document to render.
        full: Whether to show every row and column, and let readers select rows; otherwise as much as a terminal shows.
    """

    def __init__(self, document: doc.Document, full: bool) -> None:
        self._blocks = document.titled()
        self.full = full
        # Tags are texts of the data; the page has their numbers instead, and that of their table.
        self._tags: dict[str, int] = {}
        self._homes: dict[str, int] = {}
        self._tables = 0
        for number, table in enumerate(_tables(document.blocks) if full else ()):
            for tag in sorted({tag for tags in table.tags for tag in tags}):
                self._tags.setdefault(tag, len(self._tags))
                self._homes.setdefault(tag, number)

    def html(self) -> Markup:
        """Return the HTML of the whole body."""
        return render_template(_TEMPLATES, "document.jinja", blocks=self._blocks, view=self, **_FUNCTIONS)

    def line(self, line: doc.Line) -> Markup:
        """Return the HTML of a line of text, built without a template, since a page may have 100,000 lines."""
        return Markup("".join(map(self._span, spans(line))))

    def _span(self, span: doc.Piece) -> str:
        if isinstance(span, Unfolding):
            whole = "".join(f"<div>{''.join(map(_whole, spans(line)))}</div>" for line in span.whole)
            head = f"<summary><code>{_lines_of(span.text)}</code></summary>"
            return f"<details>{head}{whole}</details>" if self.full else f"<code>{_lines_of(span.text)}</code>"
        if span.look in _MARKS:
            return f'<mark class="{span.look}">{escape_html(span.text)}</mark>'
        text = _lines_of(span.text) if span.look == "code" else escape_html(span.text)
        if span.picks in self._tags:
            text = f'<a href="#rows-{self._homes[span.picks]}" data-pick="{self._tags[span.picks]}">{text}</a>'
        if span.look == "code":
            return f"<code>{text}</code>"
        return f'<span class="{span.look}">{text}</span>' if span.look != "plain" else text

    def cell(self, column: doc.TableColumn, value: object) -> Markup:
        """Return the HTML of a table cell; that of a figure includes the number by which the script sorts it, and
        optionally a bar."""
        lines = list(map(self.line, cell_lines(column, value)))
        # A narrow page shows each row as a card, in which each cell tells its column.
        head = f' data-head="{escape_html(column.title)}"' if column.title else ""
        if column.kind == "text":
            inner = lines[0] if len(lines) == 1 else "".join(f"<div>{line}</div>" for line in lines)
            return Markup(f"<td{head}>{inner}</td>")
        rank = numbers.rank(column.kind, value)
        sort = f' data-rank="{rank!r}"' if rank is not None else ""
        bar = _bar(rank, column.scale, column.better) if column.bar else ""
        return Markup(f'<td class="{_side(column)}"{head}{sort}>{lines[0]}{bar}</td>')

    def next_table(self) -> int:
        """Return a new number for a table, by which its region refers to its caption."""
        self._tables += 1
        return self._tables

    def numbers(self, plot: doc.Plot) -> Markup:
        """Return the numbers behind a plot as a table that is folded, so that they can be read and copied; empty where
        a page has no room for it, and for a plot without numbers."""
        titles, rows = plot.chart.numbers()
        if not self.full or not rows:
            return Markup("")
        columns = tuple(doc.TableColumn(title) for title in titles)
        cells = tuple([_number(value) for value in row] for row in rows[:MOST_NUMBERS])
        table = doc.DocumentTable(columns, cells, plot.name, total=len(rows))
        return render_template(_TEMPLATES, "document.jinja", blocks=(table,), view=self, **_FUNCTIONS)

    def home(self, table: doc.DocumentTable) -> int | None:
        """Return the number by which links refer to a table whose rows can be selected, None for any other table."""
        return next((self._homes[tag] for tags in table.tags for tag in tags), None) if self.full else None

    def tags(self, table: doc.DocumentTable, row: int) -> str | None:
        """Return the value of the attribute by which links on the page select a row: the numbers of its tags, separated
        by spaces; None if the row has no tags."""
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
    """Return the HTML of a text that keeps its line breaks, such as a raw response."""
    return Markup("\n".join(map(escape_html, clipped(text).split("\n"))))


_MARKS = ("added", "removed")
MOST_NUMBERS = 200
"""Rows of the numbers behind a plot; the files of a run have all of them."""


def _whole(span: doc.Piece) -> str:
    """Return the HTML of a piece of a text that is unfolded: however long it is, all of it."""
    text = "\n".join(html.escape(visible(line)) for line in span.text.split("\n"))
    if span.look in _MARKS:
        return f'<mark class="{span.look}">{text}</mark>'
    return f"<code>{text}</code>" if span.look == "code" else f'<span class="{span.look}">{text}</span>'


def _number(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _side(column: doc.TableColumn) -> str:
    return "left" if column.kind in LEFT else "right"


def _bar(value: float | None, scale: doc.BarScale, better: Any = "higher") -> Markup:
    """Return the SVG of a bar that shows a figure on a scale, of another colour where lower values are better; empty if
    the figure is not within the scale."""
    low, high = scale
    if value is None or low is None or high is None or not low <= value <= high or low == high:
        return Markup("")
    # A width in percent would need inline style, which the page's policy forbids; an SVG does not.
    bar = f'<rect width="{(value - low) / (high - low) * 60:.1f}" height="6" rx="2"/>'
    look = "bar" if better == "higher" else "bar cost" if better == "lower" else "bar other"
    return Markup(f'<svg class="{look}" width="60" height="6" aria-hidden="true">{bar}</svg>')


_FUNCTIONS: dict[str, Any] = {
    "bar": _bar,
    "draw_chart": lambda plot: Markup(draw_chart(plot.chart)),
    "figure_text": lambda figure: numbers.figure(figure.kind, figure.value),
    "has_heads": lambda table: any(column.title for column in table.columns),
    "kind_of": lambda block: type(block).__name__,
    "lines_of": _lines_of,
    "newline": Markup("\n"),
    "notes_below": notes_below,
    "rank": numbers.rank,
    "side": _side,
    "total_of": lambda table: max(table.total, len(table.rows)),
}
