"""Lists in reverse, items with their positions, and runs of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.hostile.bounded import score_in_bounded_memory

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


def test_runs_are_of_consecutive_items() -> None:
    assert scoring.parser("words | ngrams(2)").parse("a b c") == [["a", "b"], ["b", "c"]]


@pytest.mark.parametrize(("n", "message"), [("1.5", "whole number"), ("0", "at least 1")])
def test_the_length_of_runs_is_a_whole_number(n: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        scoring.parser(f"ngrams({n})")


def test_runs_that_hold_too_much_are_refused_by_their_number() -> None:
    found = scoring.scorer("sides(prediction=words | ngrams(context.n) | length) | equal")
    text = "a " * 100_000
    for n, reason in (
        (100, None),
        (99_900, None),
        (50_000, "runs of 50,000 out of 100,000 items hold 2,500,050,000 in all"),
    ):
        assert (reason or "None") in str(found.score(text, 1, context={"n": n}).reason)


def test_a_batch_of_runs_is_scored_in_bounded_memory(tmp_path: Path) -> None:
    answers = [f"{'a ' * 30_000}{number}" for number in range(16)]
    score_in_bounded_memory({"score": "words | ngrams(n=300) | equal"}, answers, tmp_path)
