"""Tables of HTML: as rows of texts, and as trees; and the distance of trees, against its plain definition."""

from __future__ import annotations

import contextlib
import functools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.structure.tables import cell_spans, html_table, teds
from scoring.extensions.structure.tree_edits import OrderedTree, tree_distance
from scoring.result import Unparsed, Unscored


def document(table: str) -> str:
    return f"<html><body>{table}</body></html>"


ONE = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>D</td></tr></table>"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (ONE, [["a", "b"], ["c", "D"]]),
        ("```html\n" + ONE + "\n```", [["a", "b"], ["c", "D"]]),
        ("<TABLE><TR><TD>a<TD>b<TR><TD>c<TD>D", [["a", "b"], ["c", "D"]]),
        ("<table><thead><tr><th>x &amp; y<tbody><tr><td> 1\n 2 <b>3</b>", [["x & y"], ["1 2 3"]]),
        ("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", [["a", "b"], ["a", "c"]]),
        ("<table><tr><td>a<td rowspan=2>b<tr><td>c</table>", [["a", "b"], ["c", "b"]]),
        ("<table><tr><td colspan=2 rowspan=2>a<td>b<tr><td>c</table>", [["a", "a", "b"], ["a", "a", "c"]]),
        ("<table><tr><td>a<table><tr><td>in</table></table>", [["ain"]]),
        ("<table></table>", []),
        ("<table><tr></tr></table>", [[]]),
        ("<table><tr><td>é 日本</td></tr></table>", [["é 日本"]]),
    ],
)
def test_a_table_is_read_as_rows(text: str, rows: list[list[str]]) -> None:
    assert html_table(text) == rows


def test_settings_of_reading() -> None:
    two = "<table><tr><td>1</table> and <table><tr><td>2</table>"
    assert html_table(two, pick="last") == [["2"]]
    spread = "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>"
    assert html_table(spread, spans="empty") == [["a", "b"], ["", "c"]]


@pytest.mark.parametrize(
    ("text", "written", "spanned"),
    [
        ("<tr><td rowspan=3>a<td rowspan=2>b", [["a", "b"]], [["a", "b"], ["a", "b"], ["a"]]),
        ("<tr><td>a<td rowspan=9>b", [["a", "b"]], [["a", "b"]]),  # nothing is at the left of the next row
        ("<tr><td>a<tr><tr>", [["a"], [], []], [["a"]]),
        ("<tr><td>a<td rowspan=2>b<tr><tr><td>c<td>d", [["a", "b"], [], ["c", "d"]], [["a", "b"], [], ["c", "d"]]),
        ("<tr><td>a<td rowspan=3>b<tr><td colspan=2>c<tr><td>d", [["a", "b"], ["c", "c"], ["d", "b"]], None),
    ],
)
def test_cells_span_rows_that_are_short_or_not_there(
    text: str, written: list[list[str]], spanned: list[list[str]] | None
) -> None:
    assert html_table(f"<table>{text}</table>") == written
    assert html_table(f"<table>{text}</table>", rows="spanned") == (spanned or written)


def test_a_cell_that_another_lies_over_goes_on_below() -> None:
    spans = cell_spans("<table><tr><td>a<td rowspan=3>b<tr><td colspan=2>c<tr><td>d</table>")
    assert spans[2] == [(0, 0, 1, 1), (0, -2, 1, 1)]


@pytest.mark.parametrize("text", ["", "  ", "no table", "<p>x", "<table><tr><td colspan=x>1", "<tr><td>1"])
def test_what_holds_no_table_is_unparsed(text: str) -> None:
    with pytest.raises(Unparsed):
        html_table(text)


def test_two_tables_are_compared_as_trees() -> None:
    assert teds(ONE, ONE) == 1
    assert teds(ONE.replace("D", "xD"), ONE) == 1 - 0.5 / 6
    assert teds(ONE.replace("D", "xD"), ONE, structure_only=True) == 1
    assert teds(ONE.replace("<td>D</td>", ""), ONE) == 1 - 1 / 6
    assert teds(ONE.replace("<td>D", "<td colspan=2>D"), ONE, structure_only=True) == 1 - 1 / 6
    assert teds(ONE.replace("<td>D</td>", "<td><b>D</b></td>"), ONE, ignored_tags=["b"]) == 1
    assert teds(ONE.replace("<td>D</td>", "<td><b>D</b></td>"), ONE) == 1 - (2 / 3) / 7


def test_a_tag_that_is_ignored_twice_is_ignored() -> None:
    bold = ONE.replace("<td>D</td>", "<td><b>D</b></td>")
    assert teds(bold, ONE, ignored_tags=["b", "b"]) == teds(bold, ONE, ignored_tags=["b", "i", "b"]) == 1


def test_only_documents_count_where_released_code_wants_them() -> None:
    assert teds(document(ONE), document(ONE), documents=True) == 1
    assert teds(ONE, document(ONE), documents=True) == 0
    assert teds("", document(ONE), documents=True) == 0
    assert teds("none", ONE) == 0
    with pytest.raises(Unscored, match="no table in the reference"):
        teds(ONE, "none")
    with pytest.raises(Unscored, match="both tables are empty"):
        teds("<table></table>", "<table></table>")
    with pytest.raises(Unscored, match="no whole number"):
        teds("<table><tr><td rowspan=x>", ONE)


def test_explain_tells_where_nested_values_differ() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "html_table | equal"})
    stage = task.score_parts(ONE.replace("D", "x"), ONE).explain()["fields"][0]["stages"][-1]
    assert stage["told"] == [
        {"stage": "differences", "value": "1"},
        {"stage": "[1][1]", "prediction": "x", "reference": "D"},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<table>" + "<tr><td>x" * 5000,
        "<table>" + "<b>" * 100_000,
        "<table><tr><td colspan=1000000 rowspan=1000000>x",
        "<table><tr>" + "<td colspan=50000>x" * 1000,
        "<table><tr><td rowspan=99999>x" + "<tr>" * 30_000,
        "<table><tr><td colspan=90000 rowspan=999999>x" + "<tr>" * 5_000,
        "<table><tr><td>x<td colspan=90000 rowspan=999999>x" + "<tr>" * 5_000,
        "<table><tr><td>" + "x" * 1_000_000,
        "<" * 1_000_000,
        "<table " + "a=1 " * 200_000,
        "<table " + " ".join(f"a{number}=1" for number in range(150_000)) + "><tr><td>a",
        "<table " + "".join(f"a{number}='>'" for number in range(150_000)) + "><tr><td>b",
        "<table " + "/".join(f"a{number}" for number in range(150_000)) + "><tr><td>c",
        "<table " + " ".join(f'a{number}="' for number in range(150_000)),
        "&amp;" * 300_000,
        "<!--" * 300_000,
    ],
    ids=lambda text: text[:9] + text[-9:],
)
def test_hostile_tables_cost_bounded_time(text: str) -> None:
    started = time.process_time()
    for documents in (False, True):
        with contextlib.suppress(Unscored):
            teds(document(text) if documents else text, document(ONE) if documents else ONE, documents=documents)
    with contextlib.suppress(Unscored):
        teds(text, text)
    with contextlib.suppress(Unparsed):
        html_table(text)
    assert time.process_time() - started < 20


def test_long_attributes_are_no_many_attributes() -> None:
    image = "data:image/png;base64," + "ab/= " * 50_000
    assert html_table(f"<table title='{image}' style=\"{image}\"><tr><td>1</table>") == [["1"]]
    many = " ".join(f"a{number}=1" for number in range(10_001))
    with pytest.raises(Unparsed, match="a tag with more than 10,000 attributes"):
        html_table(f"<table {many}><tr><td>1</table>")


Forest = tuple["Forest", ...]
TREES: st.SearchStrategy[Forest] = st.recursive(
    st.just(()), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6
)


def ordered(tree: Forest) -> OrderedTree:
    leftmost: list[int] = []

    def walk(node: Forest) -> int:
        first = [walk(child) for child in node]
        leftmost.append(first[0] if first else len(leftmost))
        return leftmost[-1]

    walk(tree)
    return OrderedTree(leftmost)


def size(forest: Forest) -> int:
    return sum(1 + size(tree) for tree in forest)


@functools.cache
def plainly(one: Forest, other: Forest, change: float) -> float:
    """The definition: of the last trees of two forests one is taken apart, or they are matched."""
    if not one or not other:
        return float(size(one) + size(other))
    mine, theirs = one[-1], other[-1]
    return min(
        plainly(one[:-1] + mine, other, change) + 1,
        plainly(one, other[:-1] + theirs, change) + 1,
        plainly(one[:-1], other[:-1], change) + plainly(mine, theirs, change) + change,
    )


@pytest.mark.property
@given(TREES, TREES, st.sampled_from([0.0, 0.25, 1.0]))
@settings(max_examples=300)
def test_the_distance_of_trees_is_that_of_its_definition(one: Forest, other: Forest, change: float) -> None:
    found = tree_distance(ordered(one), ordered(other), lambda place, at: change)
    assert found == plainly((one,), (other,), change)
    assert found == tree_distance(ordered(other), ordered(one), lambda place, at: change)
