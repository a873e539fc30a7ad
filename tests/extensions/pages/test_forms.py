"""The laws of the forms: no form loses a cell, none lets the data speak for itself, and pages give back their texts."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.pages.charts import (
    Changes,
    Chart,
    Curve,
    Forest,
    ForestRow,
    Histogram,
    LineChart,
    MarkedPicture,
    Matrix,
    ShapeOutline,
)
from scoring.extensions.pages.html import HtmlFragment
from scoring.extensions.pages.marked import Unfolding
from scoring.report import numbers
from scoring.report.document import (
    Branch,
    Code,
    Document,
    DocumentBlock,
    DocumentTable,
    Headline,
    Headlines,
    Paragraph,
    Piece,
    Plot,
    Section,
    TableColumn,
    Title,
    Tree,
    plain_text,
)
from scoring.report.render import FORMS, Form, render
from scoring.report.style import Style
from scoring.report.text import cell_line
from scoring.report.visible import visible

HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "<!--",
    "]]>",
    "\x00\x1b[31m\r\n\u202e\u2066",
    "\ud800",
    "| a | b |",
    "`code` ```",
    "[a](javascript:b) ![a](http://c)",
    "# - 1. > ---",
    "@all &amp; &#60;",
    "http://a.example www.a.example",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12), st.just("mean"))
FLOATS = st.none() | st.floats(allow_nan=True)
PAIRS = st.tuples(FLOATS, FLOATS)
LOOKS = st.sampled_from(["plain", "bold", "dim", "good", "bad", "warn", "code", "added", "removed"])
SPANS = st.builds(Piece, TEXTS, LOOKS, st.sampled_from(["", "t0", "t1"]))
LINES = st.one_of(TEXTS, SPANS, st.lists(st.one_of(TEXTS, SPANS), max_size=3).map(tuple))
CELLS = {
    "text": st.one_of(LINES, st.none(), st.lists(LINES, max_size=3)),
    "number": FLOATS,
    "share": st.none() | st.floats(0, 1),
    "count": st.none() | st.integers(0, 10**6),
    "times": st.integers(0, 10**6),
    "weight": FLOATS,
    "interval": st.none() | PAIRS,
    "change": PAIRS,
    "difference": FLOATS,
}


@st.composite
def tables(draw: st.DrawFn) -> DocumentTable:
    columns = draw(
        st.lists(
            st.builds(
                TableColumn,
                TEXTS,
                st.sampled_from(sorted(CELLS)),
                bar=st.booleans(),
                aside=st.booleans(),
                choices=st.booleans(),
            ),
            min_size=1,
            max_size=4,
        )
    )
    rows = draw(st.lists(st.tuples(*(CELLS[column.kind] for column in columns)), max_size=4))
    tags = tuple(frozenset(draw(st.sets(st.sampled_from(["t0", "t1", HOSTILE[0]])))) for _ in rows)
    brief = draw(st.none() | st.integers(0, 3))
    return DocumentTable(
        tuple(columns), tuple(rows), draw(TEXTS), brief, "elsewhere", tags=tags, search=draw(st.booleans())
    )


IMAGE = "data:image/jpeg;base64,/9j="
UNIT = st.floats(0, 1)
CHARTS: st.SearchStrategy[Chart] = st.one_of(
    st.builds(Histogram, TEXTS, TEXTS, st.just((0.0, 0.5, 1.0)), st.tuples(st.integers(0, 9), st.integers(0, 9))),
    st.lists(st.builds(ForestRow, TEXTS, UNIT, UNIT, UNIT, TEXTS), max_size=3).map(
        lambda rows: Forest("<t>", "x", tuple(rows), (0.0, 1.0), reference=0.5, note="<n>")
    ),
    st.lists(st.tuples(TEXTS, st.lists(st.tuples(UNIT, UNIT), max_size=3)), max_size=3).map(
        lambda lines: LineChart("t", "x", "y", tuple(Curve(name, tuple(points)) for name, points in lines))
    ),
    TEXTS.map(lambda name: Matrix(name, (name, "b"), (name, "b"), ((1.0, 2.5), (0.0, 0.0)), note=name)),
    TEXTS.map(lambda name: Changes(name, name, name, ((0.0, 1.0, 3),), (0.0, 1.0), "lower", name)),
    TEXTS.map(lambda name: MarkedPicture(name, 8, 4, (ShapeOutline("M0 0Z", name, "found", True, (0, 0)),), IMAGE)),
)
LEAVES = st.one_of(
    st.builds(Title, TEXTS, TEXTS),
    st.lists(LINES, min_size=1, max_size=3).map(lambda lines: Paragraph(tuple(lines))),
    st.lists(st.builds(Headline, TEXTS, FLOATS, notes=st.lists(TEXTS, max_size=2).map(tuple)), max_size=3).map(
        lambda figures: Headlines(tuple(figures))
    ),
    tables(),
    st.builds(
        Tree, LINES, st.lists(st.builds(Branch, TEXTS, LINES, st.just((Branch("in", "x"),))), max_size=2).map(tuple)
    ),
    st.builds(Code, TEXTS),
    st.builds(Plot, TEXTS, CHARTS),
)
BLOCKS: st.SearchStrategy[DocumentBlock] = st.one_of(
    LEAVES, st.builds(Section, TEXTS, st.lists(LEAVES, max_size=2).map(tuple))
)
DOCUMENTS = st.builds(Document, st.lists(BLOCKS, max_size=4).map(tuple), TEXTS)


class Page(HTMLParser):
    """The tags, attributes and tables of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: set[str] = set()
        self.tables: list[list[list[str]]] = []
        self.open: list[str] = []
        self.void = {"meta", "img", "br", "input"}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.targets.update(value or "" for name, value in attrs if name in ("href", "src"))
        if tag not in self.void:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data.replace("\n", "\\n")


TAGS = (
    "div p span a b code pre ul li table caption thead tbody tr th td h1 h2 h3 svg rect figure figcaption section mark "
    "details summary title text line circle path polyline g image"
)
ATTRIBUTES = (
    "class id href scope width height rx aria-hidden aria-label aria-labelledby role tabindex data-pick data-tags "
    "data-rank data-search data-total data-choices data-head viewbox x y x1 x2 y1 y2 cx cy r d points transform "
    "text-anchor fill-opacity"
)


def all_tables(blocks: tuple[DocumentBlock, ...]) -> list[DocumentTable]:
    found = []
    for block in blocks:
        found += [block] if isinstance(block, DocumentTable) else []
        found += all_tables(block.blocks) if isinstance(block, Section) else []
    return found


def without_numbers(page: str) -> str:
    """A page without the tables of what plots draw."""
    return re.sub(r'<details class="numbers">.*?</details>', "", page, flags=re.DOTALL)


def full_text(column: TableColumn, value: object) -> str:
    """What a cell says, with nothing between the lines of a stack."""
    if isinstance(value, list):
        return "".join(visible(plain_text(line)) for line in value)
    return visible(plain_text(cell_line(column, value)))


@given(DOCUMENTS)
def test_a_page_gives_back_every_cell(document: Document) -> None:
    held = [table for table in all_tables(document.blocks) if table.rows]
    found = Page(without_numbers(render(document, "html"))).tables
    assert len(found) == len(held)
    for table, rows in zip(held, found, strict=True):
        titles = any(column.title for column in table.columns)
        assert rows[titles:] == [
            [full_text(column, value) for column, value in zip(table.columns, row, strict=True)] for row in table.rows
        ]
        assert not titles or rows[0] == [visible(column.title) for column in table.columns]


def test_a_text_unfolds_whole_on_a_page_and_stands_short_elsewhere() -> None:
    long = "<b>\n" + "x" * 10_000
    document = Document((Paragraph((Unfolding("<b>…", "code", whole=(Piece(long, "code"),)),)),))
    page = render(document, "html")
    assert f"<code>&lt;b&gt;\n{'x' * 10_000}</code></div></details>" in page
    assert all("xxx" not in render(document, form) for form in ("text", "markdown", "notebook"))


@given(DOCUMENTS)
def test_data_adds_no_tag_and_no_attribute_to_a_page(document: Document) -> None:
    for full in (True, False):
        page = Page(HtmlFragment(document, full).html())
        assert page.tags <= set(TAGS.split())
        assert page.attributes <= set(ATTRIBUTES.split())
        assert not page.open
        assert all(re.fullmatch(r"#rows-\d+|data:image/jpeg;base64,[\w+/=]*", target) for target in page.targets)


def cells_of(markdown: str) -> list[list[str]]:
    """The rows of a Markdown text's tables as they are shown."""
    lines = [line for line in markdown.split("\n") if line.startswith("|")]
    return [[shown(cell) for cell in line[1:-1].split("|")] for line in lines]


def shown(cell: str) -> str:
    text = re.sub(r"<!-- -->|</?(b|code|br)>", "", cell)
    return " ".join(html.unescape(text).split())


@given(DOCUMENTS)
def test_markdown_has_every_cell_that_a_terminal_shows(document: Document) -> None:
    rows = cells_of("\n".join(re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "", render(document, "markdown")).split("\n")))
    for table in all_tables(document.blocks):
        places = [at for at, column in enumerate(table.columns) if not column.aside]
        for row in table.shown(full=False) if places else ():
            assert [" ".join(full_text(table.columns[at], row[at]).split()) for at in places] in rows


@given(DOCUMENTS)
def test_a_terminal_shows_every_cell_and_obeys_none(document: Document) -> None:
    text = render(document, "text")
    lines = text.split("\n")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    for table in all_tables(document.blocks):
        for row in table.shown(full=False):
            cells = [
                visible(plain_text(cell_line(column, value))).strip()
                for column, value in zip(table.columns, row, strict=True)
                if not column.aside
            ]
            assert any(all(cell in line for cell in cells) for line in lines)


@given(DOCUMENTS)
def test_colours_change_no_text(document: Document) -> None:
    colored = render(document, "text", Style(True))
    bare = [line.rstrip() for line in re.sub("\x1b\\[[0-9]+m", "", colored).split("\n")]
    assert bare == [line.rstrip() for line in render(document, "text").split("\n")]


@given(DOCUMENTS)
def test_every_form_is_text_that_a_file_can_hold(document: Document) -> None:
    for form in FORMS:
        render(document, cast("Form", form)).encode("utf-8")


def test_the_rest_of_a_long_table_is_counted() -> None:
    rows = tuple([f"task{n}", n / 10, n] for n in range(10))
    columns = (TableColumn("task"), TableColumn("score", "number"), TableColumn("records", "count", aside=True))
    table = DocumentTable(columns, rows, brief=2, rest="in summary.json", rest_columns="with --json", total=12)
    assert render(Document((table,)), "text").split("\n")[-2:] == [
        "… and 10 more in summary.json",
        "… and records with --json",
    ]
    assert "10 of 12" in render(Document((table,)), "html")
    assert "10 more in summary.json" in render(Document((table,)), "notebook")


def test_pages_and_markdown_are_bounded_whatever_a_builder_forgot() -> None:
    table = DocumentTable(
        (TableColumn("group"),), tuple(["x" * 100_000] for _ in range(3)) + tuple([n] for n in range(5000))
    )
    page = render(Document((table,)), "html")
    assert len(page) < 200_000
    assert "2,000 of 5,003" in page
    assert "x… (100,000 characters)" in page
    assert len(render(Document((DocumentTable(table.columns, table.rows[:3]),)), "markdown")) < 20_000


def test_a_fragment_for_a_notebook_has_no_script_and_styles_only_itself() -> None:
    text = render(Document((DocumentTable((TableColumn("task"),), (["a"],), search=True),)), "notebook")
    assert "<script" not in text
    assert "data-search" not in text
    style = re.sub(r"@media [^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}", r"\1", text.split("<style>")[1].split("</style>")[0])
    selectors = [one.strip() for block in re.findall(r"([^{}]+)\{", style) for one in block.split(",")]
    assert len(selectors) > 50
    assert all(re.match(r"(body|div)?\.scoring\b", selector) for selector in selectors)


def test_a_figure_without_a_value_has_no_bar_and_sorts_last() -> None:
    columns = (TableColumn("mean", "number", bar=True),)
    page = render(Document((DocumentTable(columns, ([0.5], [None], [float("nan")], [2.0])),)), "html")
    assert re.findall(r'<td class="right" data-head="mean"(?: data-rank="([^"]*)")?>([^<]*)(<svg)?', page) == [
        ("0.5", "0.5000", "<svg"),
        ("", numbers.NOTHING, ""),
        ("", "nan", ""),
        ("2.0", "2.0000", ""),
    ]


def test_a_group_picks_the_rows_that_have_its_tag() -> None:
    groups = DocumentTable(
        (TableColumn("by kind"),), ([Piece("short", picks="kind = short")], [Piece("long", picks="kind = long")])
    )
    records = DocumentTable((TableColumn("id"),), (["a"],), tags=(frozenset(("kind = short",)),), search=True)
    page = render(Document((groups, records)), "html")
    assert '<a href="#rows-1" data-pick="0">short</a>' in page
    assert '<td data-head="by kind">long</td>' in page
    assert 'id="rows-1" data-search="" data-total="1">' in page
    assert '<tr data-tags="0">' in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [("0.6438", "0.6438"), ("-0.1", "-0.1"), ("+0.5000", "+0.5000"), ("1. x", "1&#46; x"), ("- x", "&#45; x")],
)
def test_markdown_keeps_numbers_and_escapes_what_begins_a_list(text: str, shown: str) -> None:
    assert render(Document((Paragraph((text,)),)), "markdown") == f"{shown}\n"


def test_markdown_escapes_a_line_that_would_be_a_rule() -> None:
    assert render(Document((Paragraph(("---",)),)), "markdown").startswith("&#45;")
