"""Primitives of short answers: what they must withstand, and rules beyond their examples."""

from __future__ import annotations

import random
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.answers.cleaning import clean_answer
from scoring.extensions.answers.listed import literal_list, match_in_order
from scoring.extensions.answers.numbers import float_value, whole_value
from scoring.extensions.text.common_characters import gestalt
from scoring.packs.mmesgbench.answers import (
    is_identifier,
    join_listed_texts,
    repaired_literal_list,
    same_quantity,
    short_answer,
)
from scoring.primitives.rescore.rescorers import at_least, zero_below
from scoring.result import Unparsed, Unscored
from tests.support.cost import grows_with_the_length

HOSTILE = ["(" * 100_000, " " * 100_000 + "(", "[" * 100_000, "'" * 100_000, "answer " * 20_000, "a@" + "." * 100_000]


@pytest.mark.parametrize("text", HOSTILE, ids=["parentheses", "spaces", "brackets", "quotes", "markers", "dots"])
def test_hostile_texts_take_no_long_time(text: str) -> None:
    readers: list[Callable[[str], Any]] = [
        clean_answer, is_identifier, join_listed_texts, literal_list, repaired_literal_list, short_answer
    ]  # fmt: skip
    for read in readers:
        grows_with_the_length(read, text, freely=1.0)


def test_a_text_is_never_run_as_a_program() -> None:
    text = "[__import__('os').getcwd()]"
    assert join_listed_texts(text) == text
    with pytest.raises(Unparsed):
        literal_list(text)


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("A (b (c)) d", "a) d"),
        ("a (b", "a (b"),
        ("'5'", "5"),
        ("$$5%%", "5"),
        ('$"5"', '"5'),
        ("(a) 'b'", "b"),
        (5.0, "5.0"),
        (None, "none"),
        (["x"], "['x']"),
    ],
)
def test_cleaning(value: object, cleaned: str) -> None:
    assert clean_answer(value) == cleaned


def test_numbers_at_their_bounds() -> None:
    assert same_quantity(101.0101, 100.0) == 1.0
    assert same_quantity(101.0102, 100.0) == 0.0
    assert same_quantity(float("nan"), float("nan")) == 0.0
    assert same_quantity(float("inf"), float("inf")) == 1.0
    assert same_quantity(0.0, 0.31) == 1.0
    with pytest.raises(Unparsed):
        whole_value(float("inf"))
    with pytest.raises(Unparsed):
        whole_value("9" * 5_000)
    with pytest.raises(Unparsed):
        float_value(["1"])


@pytest.mark.property
@settings(max_examples=500)
@given(st.text("abcAB é\ud800", max_size=40), st.text("abcAB é\ud800", max_size=40))
@example("ab" * 99, "ba" * 300)
@example("aab", "abaab")
def test_gestalt_is_difflibs_ratio(first: str, second: str) -> None:
    assert gestalt(first, second) == SequenceMatcher(None, second, first).ratio()


@pytest.mark.property
@given(st.text("abcAB ", max_size=30), st.text("abcAB ", max_size=30), st.sampled_from([0.0, 0.3, 0.8, 1.0]))
@example("", "", 0.8)
def test_a_bound_of_the_score_changes_none(first: str, second: str, limit: float) -> None:
    ratio = gestalt(first, second)
    scores = [scoring.scorer(f"gestalt | {step}({limit}, strict=true)") for step in ("at_least", "zero_below")]
    assert [scorer.score(first, second).value for scorer in scores] == [
        at_least(ratio, threshold=limit, strict=True),
        zero_below(ratio, threshold=limit, strict=True),
    ]


def test_what_the_comparator_refuses_is_refused_behind_a_threshold() -> None:
    assert scoring.scorer("gestalt | at_least(0.8, strict=true)").score("a" * 6_000, "b").status == "unscored"


def test_gestalt_of_long_texts_is_difflibs_and_of_longer_ones_refused() -> None:
    source = random.Random(4)
    for size in (30, 199, 200, 250):
        first, second = ("".join(source.choices("abcde ", k=size)) for _ in range(2))
        assert gestalt(first, second) == SequenceMatcher(None, second, first).ratio()
    with pytest.raises(Unscored, match="more than"):
        gestalt("a" * 6_000, "b" * 6_000)


def test_matching_in_order_depends_on_the_order() -> None:
    def similar(prediction: str, reference: str) -> float:
        return float(gestalt(prediction, reference) > 0.8)

    short, long = "abcdefghij", "abcdefghijklmn"
    assert match_in_order(["abcdefghijkl", "abcdefghi"], [short, long], scorer=similar) == 0.5
    assert match_in_order(["abcdefghijkl", "abcdefghi"], [long, short], scorer=similar) == 1.0
    assert match_in_order([], [], scorer=similar) == 0.0


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("North America", "North America"),
        ("Let me see.\nThe figure is on page 3.\nAnswer: 42", "42"),
        ("Answer: 1\nNo, wait.\nFinal answer: 2.", "2"),
        ("**Answer:** `2050`", "2050"),
        ("The answer is **Paris**.", "Paris"),
        ("Answer:\n\n  North America\n", "North America"),
        ("Extracted answer: ['Asia', 'Africa']", "['Asia', 'Africa']"),
        ("Answer: 9 a.m.", "9 a.m."),
        ("The report does not mention it.", "Not answerable"),
        ("It cannot be determined from the text.\n", "Not answerable"),
        ("I looked.\n\n  **Table 4**  \n", "Table 4"),
    ],
)
def test_short_answers(response: str, answer: str) -> None:
    assert short_answer(response) == answer


@pytest.mark.parametrize("response", ["", " \n\t", "x" * 200_001], ids=["empty", "blank", "long"])
def test_responses_without_a_short_answer(response: str) -> None:
    with pytest.raises(Unparsed):
        short_answer(response)
