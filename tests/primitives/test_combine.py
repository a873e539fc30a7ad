"""`combine`: a formula over the scores of pipelines that see one pair."""

from __future__ import annotations

import pytest

import scoring
from scoring.ranges import ScoreRange


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ('combine("2 * a - b", a=equal, b=equal)', -1, 2),
        ('combine("a >= 0.5", a=levenshtein)', 0, 1),
        ('combine("exp(a)", a=equal)', 1, 2.718281828459045),
        ('all_of(combine("a / 2", a=equal), equal)', 0, 0.5),
        ('combine("a - 1", a=equal) | invert', 1, 2),
    ],
)
def test_the_range_is_that_of_the_formula(text: str, low: float, high: float) -> None:
    assert scoring.scorer(text).range == ScoreRange(low, high)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ('combine("2 * a + q", a=equal)', "q", "there is no pipeline `q`"),
        ('combine("a", a=equal, b=equal)', '"a"', "the formula of `combine` does not read `b`"),
        ('combine("a > 1", a=equal)', "a > 1", "this condition can never hold"),
        ('combine("a +", a=equal)', "", "`+` has nothing to its right"),
        ('combine("a + record.w", a=equal)', "record.w", "there is no `record` in this formula"),
        (
            "combine(record.formula, a=equal)",
            "record.formula",
            "`formula` of `combine` can't be read from a record: it is part of the program",
        ),
        ('combine("1")', 'combine("1")', "`combine` needs the pipelines that its formula reads"),
        ('combine("[a]", a=equal)', "[a]", "this is a list, where a number is required"),
    ],
)
def test_a_formula_that_can_not_work_is_refused_at_its_part(text: str, at: str, message: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        scoring.scorer(text)
    found = refused.value.diagnostics[0]
    assert (found.message, found.span and found.span.text) == (message, at)


def test_two_spellings_have_one_meaning() -> None:
    texts = "a+1.0*a", "a + 1 * a", "a + a", "a + 2 * a"
    one, *same, another = (scoring.scorer(f'combine("{text}", a=equal)').signature.meaning for text in texts)
    assert {one} == {*same} != {another}


def test_a_formula_without_a_value_is_no_score() -> None:
    """Given a harmonic mean of two zeros, then the pair has no score, and the reason says where."""
    harmonic = scoring.scorer('combine("2 * p * r / (p + r)", p=equal, r=levenshtein)')
    scored = harmonic.score_many(["a", "ab"], ["z", "ab"])
    assert [one.value for one in scored] == [None, 1.0]
    assert scored[0].reason == "the formula has no value at its `/`: it would divide by 0"


def test_a_name_that_only_quotes_can_write_is_read() -> None:
    assert scoring.scorer('combine(\'2 * "my score"\', "my score"=equal)').score("a", "a").value == 2.0


@pytest.mark.parametrize("then", ["", " | at_least(1)", " | zero_below(1)"])
def test_parts_that_are_all_right_are_the_whole(then: str) -> None:
    """Floats add up to 0.9999999999999999, which would miss every bound of 1."""
    parts = ", ".join(f"{name}=equal" for name in "abcd")
    text = f'combine("0.4*a + 0.3*b + 0.2*c + 0.1*d", {parts}){then}'
    task = scoring.load({"kind": "task", "name": "t", "score": text, "pass": "score >= 1"})
    rows = [{"id": place, "response": one, "reference": "x"} for place, one in enumerate("xy")]
    assert [(one.score, one.passed) for one in task.score_batch(rows)] == [(1.0, True), (0.0, False)]
    assert [task.score(row).score for row in rows] == [1.0, 0.0]
