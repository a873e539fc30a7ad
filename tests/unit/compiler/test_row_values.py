"""Arguments that a record gives are held to what their parameter admits, as those in a spec are."""

from __future__ import annotations

from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (2, "`threshold` of `zero_below` must be at least 0 and at most 1, but `context.given` is 2"),
        (-1, "`threshold` of `zero_below` must be at least 0 and at most 1, but `context.given` is -1"),
        (float("nan"), "`threshold` of `zero_below` takes Number, but `context.given` is nothing"),
        ("x", "`threshold` of `zero_below` takes Number, but `context.given` is Text"),
        (True, "`threshold` of `zero_below` takes Number, but `context.given` is Bool"),
        (None, "`threshold` of `zero_below` takes Number, but `context.given` is nothing"),
    ],
)
def test_a_number_from_the_record_keeps_to_its_bounds(given: Any, reason: str) -> None:
    scorer = scoring.scorer("levenshtein | zero_below(context.given)")
    outcome = scorer.score("abc", "abd", context={"given": given})
    assert (outcome.status, outcome.value, outcome.reason) == ("unscored", None, reason)
    assert scorer.score_many(["abc"], ["abd"], contexts=[{"given": given}]) == [outcome]


def test_a_word_from_the_record_is_one_of_those_that_the_parameter_knows() -> None:
    scorer = scoring.scorer("align(equal, by=context.given)")
    assert scorer.score(["a"], ["a"], context={"given": "optimal"}).value == 1.0
    outcome = scorer.score(["a"], ["a"], context={"given": "nope"})
    assert outcome.status == "unscored"
    assert outcome.reason is not None
    assert outcome.reason.startswith("`align` does not know `context.given` for `by`; it is one of ")


def test_a_value_that_fits_passes() -> None:
    scorer = scoring.scorer("levenshtein | zero_below(context.given)")
    assert scorer.score("abc", "abd", context={"given": 0.5}).value == pytest.approx(2 / 3)
