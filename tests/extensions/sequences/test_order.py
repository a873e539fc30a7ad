"""Lists in reverse, and items with their positions."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import scoring

LISTS = st.lists(st.one_of(st.text(max_size=2), st.integers(), st.booleans(), st.none()), max_size=6)


@given(LISTS)
def test_reversed_twice_is_the_same(items: list[Any]) -> None:
    assert scoring.parser("reverse").parse(items) == items[::-1]
    assert scoring.parser("reverse | reverse").parse(items) == scoring.parser("same").parse(items) == items


@given(LISTS, st.integers(-3, 3))
def test_positions_count_from_where_they_are_told(items: list[Any], start: int) -> None:
    found = scoring.parser(f"enumerate_items({start})").parse(items)
    assert found == [{"position": place, "item": item} for place, item in enumerate(items, start)]


def test_a_text_is_reversed_by_its_characters() -> None:
    assert scoring.parser('split("") | reverse | join("")').parse("abc") == "cba"


def test_the_items_at_even_positions_are_kept() -> None:
    even = 'enumerate_items | keep(where=item.position in [0, 2]) | map_items(value_at("item"))'
    spec = {"kind": "task", "name": "t", "score": f"sides(prediction={even}) | equal"}
    assert scoring.load(spec).score({"id": 1, "response": ["a", "b", "c"], "reference": ["a", "c"]}).score == 1
