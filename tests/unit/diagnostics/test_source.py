"""Offsets, lines and columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.diagnostics.source import Fragment, Source


def test_only_a_line_feed_ends_a_line() -> None:
    source = Source("a", "x\u2028y\x85z\r\nsecond\n")
    assert source.line_count == 3
    assert source.line_text(1) == "x\u2028y\x85z"
    assert source.line_text(2) == "second"
    assert source.line_text(3) == ""
    assert source.line_column(source.text.index("second")) == (2, 1)


def test_offsets_outside_are_clipped() -> None:
    source = Source("a", "ab\nc")
    assert source.line_column(-5) == (1, 1)
    assert source.line_column(99) == (2, 2)


@pytest.mark.property
@given(st.text(alphabet="ab\n\r日"), st.data())
def test_line_and_column_lead_back_to_the_offset(text: str, data: st.DataObject) -> None:
    source = Source("a", text)
    offset = data.draw(st.integers(0, len(text)))
    line, column = source.line_column(offset)
    assert source.line_start(line) + column - 1 == offset
    assert line == text.count("\n", 0, offset) + 1


def test_spans_join_and_say_where_they_are() -> None:
    source = Source("a.yaml", "kind: task\nname: x")
    one, other = source.span(0, 4), source.span(11, 15)
    assert other.to(one) == source.span(0, 15)
    assert str(other) == "a.yaml:2:1"
    assert other.text == "name"


def test_a_fragment_without_a_map_reports_the_whole() -> None:
    source = Source("a", "x: folded")
    assert Fragment("fold ed", source.span(3, 9)).span(1, 2) == source.span(3, 9)


def test_a_fragment_reports_gaps_and_its_end() -> None:
    fragment = Fragment.of("ab")
    assert [(fragment.span(a, b).start, fragment.span(a, b).end) for a, b in ((0, 0), (1, 1), (2, 2), (0, 9))] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (0, 2),
    ]
    assert Fragment.of("").span(0, 0).start == 0
