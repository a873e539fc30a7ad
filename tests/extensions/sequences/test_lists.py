"""Bags, beginnings and edits of lists, against naive rules and numbers worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.sequences.compare import common_prefix, same_length
from scoring.registry import registry
from scoring.values import same_value

items = st.lists(st.sampled_from(["a", "b", "c", "", 1, 1.0, True, False, 0, None, (1,), (True,)]), max_size=8)
ITEMS = st.lists(st.sampled_from(["a", "b", "é", "ab", "", 1, True, None]), max_size=8)


def score(expression: str, prediction: Any, reference: Any) -> float:
    found = scoring.scorer(expression).score(prediction, reference)
    assert found.status == "scored", found.reason
    return float(found.score)


def shared(one: list[Any], other: list[Any]) -> int:
    """How many items both hold, each used once: the rule said plainly."""
    left = list(other)
    count = 0
    for item in one:
        place = next((place for place, twin in enumerate(left) if same_value(item, twin)), None)
        if place is not None:
            del left[place]
            count += 1
    return count


def distance(one: list[Any], other: list[Any]) -> int:
    row = list(range(len(other) + 1))
    for number, item in enumerate(one, 1):
        before, row = row, [number]
        for place, twin in enumerate(other, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (not same_value(item, twin))))
    return row[-1]


@pytest.mark.property
@given(prediction=items, reference=items)
def test_bags_share_what_a_plain_count_says(prediction: list[Any], reference: list[Any]) -> None:
    common = shared(prediction, reference)
    both_empty = not prediction and not reference
    total = len(prediction) + len(reference)
    assert score("bag_f1", prediction, reference) == pytest.approx(
        1.0 if both_empty else float(Fraction(2 * common, total)), abs=1e-15
    )
    assert score("bag_precision", prediction, reference) == (
        common / len(prediction) if prediction else float(both_empty)
    )
    assert score("bag_recall", prediction, reference) == (common / len(reference) if reference else float(both_empty))


@pytest.mark.property
@given(prediction=items, reference=items)
def test_edits_of_items_are_those_of_the_textbook(prediction: list[Any], reference: list[Any]) -> None:
    assert score("item_edits", prediction, reference) == distance(prediction, reference)


def test_the_word_error_rate_of_three_edits_in_six_words_is_one_half() -> None:
    assert score("words | edit_rate", "the cat sat mat please", "the cat sat on the mat") == 0.5
    assert score("words | edit_rate", "", "two words") == 1.0
    assert score("words | edit_rate", "", "") == 0.0
    assert score("words | edit_rate", "a b c", "x") == 3.0
    assert scoring.scorer("words | edit_rate").score("a", "").status == "unscored"


def test_token_f1_of_short_answers() -> None:
    squad = "lower | remove_punctuation | drop_articles | words | bag_f1"
    assert score(squad, "The Eiffel Tower!", "eiffel tower") == 1.0
    assert score(squad, "in Paris, France", "Paris") == pytest.approx(0.5)
    assert score(squad, "the", "a") == 1.0
    assert score(squad, "", "Paris") == 0.0


def test_long_lists_are_not_aligned() -> None:
    long = ["a"] * 30_000
    found = scoring.scorer("item_edits").score(long, long)
    assert found.status == "unscored"
    assert "30,000 and 30,000 items" in str(found.reason)


@pytest.mark.property
@given(ITEMS, ITEMS)
def test_edits_of_characters_are_those_of_any_items(one: list[Any], other: list[Any]) -> None:
    edits = scoring.scorer("item_edits")
    apart = [[[item] for item in side] for side in (one, other)]  # which are compared by numbers
    assert edits.score(one, other) == edits.score(*apart)


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [([1, 2], [1, 2], 1), ([1, 2, 3], [1, 2], 1), ([2], [1, 2], 0), ([], [1], 0), ([], [], 1), ([1], [], 0)],
)
def test_common_prefix(prediction: list[int], reference: list[int], score: int) -> None:
    assert common_prefix(prediction, reference) == score


def test_same_length() -> None:
    assert (same_length([], []), same_length([1], [])) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("scorer", "prediction", "reference"),
    [("bag_f1", [True], [1]), ("item_edits | exp_decay(rate=1) | at_least(1)", ["1"], [1])],
)
def test_an_item_is_not_taken_for_what_it_only_looks_like(scorer: str, prediction: Any, reference: Any) -> None:
    assert score(scorer, prediction, reference) == 0
    assert score("common_prefix", ["a", True], ["a", 1]) == 0.5


MIXED = st.lists(st.one_of(st.text("aB \t", max_size=5), st.integers(0, 3), st.none(), st.floats(0, 1), st.booleans()))


@pytest.mark.property
@pytest.mark.parametrize("expression", ["words | item_edits", "to_text | words | edit_rate", "words | bag_f1"])
@given(predictions=MIXED, data=st.data())
def test_a_column_gives_what_pairs_give(expression: str, predictions: list[Any], data: st.DataObject) -> None:
    references = [data.draw(st.sampled_from([prediction, "a B", 3, None])) for prediction in predictions]
    compare = scoring.scorer(expression)
    alone = [compare.score(one, other) for one, other in zip(predictions, references, strict=True)]
    assert compare.score_many(predictions, references) == alone


def test_edits_say_that_fewer_are_better() -> None:
    distances = {one.name for one in registry if one.kind == "comparator" and one.better == "lower"}
    assert {"item_edits", "edit_rate"} <= distances
