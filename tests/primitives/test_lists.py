"""Lists as values: words, places, bags and edits, against naive rules and numbers worked out by hand."""

from __future__ import annotations

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


@pytest.mark.property
@given(values=items)
def test_unique_items_are_the_first_of_their_kind(values: list[Any]) -> None:
    kept = made("unique", values)
    assert all(any(same_value(item, one) for one in kept) for item in values)
    assert not any(same_value(one, other) for place, one in enumerate(kept) for other in kept[:place])


@pytest.mark.parametrize(
    ("expression", "value", "wanted"),
    [
        ("words", "a\tb\u00a0 c\n", ["a", "b", "c"]),
        ("words | length", "", 0),
        ("words | item_at(-1)", "x y z", "z"),
        ("words | slice(start=1)", "x y z", ["y", "z"]),
        ("words | slice(stop=-1) | join", "x y z", "x y"),
        ("words | sort(descending=true) | join(by=',')", "b a c", "c,b,a"),
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
        ("words | item_at(2)", "a b", "a list of 2 items has none at 2"),
        ("sort", [1, "a"], "all its items are numbers, or all are texts"),
        ("sort", [True, 2], "all its items are numbers"),
        ("join", ["a", None], "only texts can be joined"),
        ("length", 3, "has no length"),
    ],
)
def test_what_a_list_does_not_have_is_unparsed_with_the_reason(expression: str, value: Any, reason: str) -> None:
    with pytest.raises(Unparsed, match=reason):
        made(expression, value)


@pytest.mark.parametrize("expression", ["item_at(0.5)", "slice(start=1.5)"])
def test_places_are_whole_numbers(expression: str) -> None:
    with pytest.raises(SpecError, match="whole number"):
        scoring.parser(expression)


@pytest.mark.parametrize("step", ['split(";") | join(context.by)', 'replace(";", context.by)'])
def test_what_a_record_puts_between_parts_writes_a_counted_number_of_characters(step: str) -> None:
    found = scoring.scorer(f"sides(prediction={step}) | equal")
    outcome = found.score(";" * 30_000, "x", context={"by": "y" * 1_000})
    assert (outcome.status, "20,000,000" in str(outcome.reason)) == ("unparsed", True)
