"""Lists as values: words, places, bags and edits, against naive rules and numbers worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.result import Unparsed
from scoring.values import same_value

items = st.lists(st.sampled_from(["a", "b", "c", "", 1, 1.0, True, False, 0, None, (1,), (True,)]), max_size=8)


def made(expression: str, value: Any) -> Any:
    return scoring.parser(expression).parse(value)


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


@pytest.mark.property
@given(values=items)
def test_unique_items_are_the_first_of_their_kind(values: list[Any]) -> None:
    kept = made("unique", values)
    assert all(any(same_value(item, one) for one in kept) for item in values)
    assert not any(same_value(one, other) for place, one in enumerate(kept) for other in kept[:place])


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


@pytest.mark.parametrize(
    ("expression", "value", "wanted"),
    [
        ("words", "a\tb\u00a0 c\n", ["a", "b", "c"]),
        ("words | length", "", 0),
        ("words | item(-1)", "x y z", "z"),
        ("words | slice(start=1)", "x y z", ["y", "z"]),
        ("words | slice(stop=-1) | join", "x y z", "x y"),
        ("words | sort(descending=true) | join(by=',')", "b a c", "c,b,a"),
        ("words | ngrams(2) | length", "a b c d", 3),
        ('map_words(table={"two"="2", dont="don\'t"})', "i dont see two", "i don't see 2"),
        ("words | keep(number) | join", "3 apples and 4", "3 4"),
        ("words | keep(find(r'^[A-D]$')) | unique", "A x B A", ["A", "B"]),
        ("words | map_items(length)", "a bb ccc", [1, 2, 3]),
        ("split", "", []),
        ("split(separator='')", "", []),
        ("split(of_empty='one_part')", "", [""]),
        ("split", ",", ["", ""]),
        ("to_list", "2", ["2"]),
    ],
)
def test_lists_are_values_of_pipelines(expression: str, value: Any, wanted: Any) -> None:
    assert made(expression, value) == wanted


@pytest.mark.parametrize(
    ("expression", "value", "reason"),
    [
        ("words | item(2)", "a b", "a list of 2 items has none at 2"),
        ("sort", [1, "a"], "all its items are numbers, or all are texts"),
        ("sort", [True, 2], "all its items are numbers"),
        ("join", ["a", None], "only texts can be joined"),
        ("length", 3, "has no length"),
    ],
)
def test_what_a_list_does_not_have_is_unparsed_with_the_reason(expression: str, value: Any, reason: str) -> None:
    with pytest.raises(Unparsed, match=reason):
        made(expression, value)


def test_runs_that_hold_too_much_are_refused_by_their_number() -> None:
    found = scoring.scorer("sides(prediction=words | ngrams(context.n) | length) | equal")
    text = "a " * 100_000
    for n, reason in (
        (100, None),
        (99_900, None),
        (50_000, "runs of 50,000 out of 100,000 items hold 2,500,050,000 in all"),
    ):
        assert (reason or "None") in str(found.score(text, 1, context={"n": n}).reason)


def test_words_of_a_table_are_bounded_by_what_they_write() -> None:
    found = scoring.scorer("sides(prediction=map_words(table=context.t)) | equal")
    said = found.score("a " * 1_000, "x", context={"t": {"a": "y" * 100_000}}).reason
    assert said == "the words of the table make a text of 100,001,000 characters, and 20,000,000 are the most"
    assert found.score("a " * 100, "x", context={"t": {"a": "y" * 100_000}}).value == 0.0


@pytest.mark.parametrize("expression", ["item(0.5)", "slice(start=1.5)", "ngrams(1.5)", "ngrams(0)"])
def test_places_are_whole_numbers(expression: str) -> None:
    with pytest.raises(SpecError, match=r"whole number|at least 1"):
        scoring.parser(expression)


def test_long_lists_are_not_aligned() -> None:
    long = ["a"] * 30_000
    found = scoring.scorer("item_edits").score(long, long)
    assert found.status == "unscored"
    assert "30,000 and 30,000 items" in str(found.reason)


@pytest.mark.parametrize("step", ['split(";") | join(context.by)', 'replace(";", context.by)'])
def test_what_a_record_puts_between_parts_writes_a_counted_number_of_characters(step: str) -> None:
    found = scoring.scorer(f"sides(prediction={step}) | equal")
    outcome = found.score(";" * 30_000, "x", context={"by": "y" * 1_000})
    assert (outcome.status, "20,000,000" in str(outcome.reason)) == ("unparsed", True)
