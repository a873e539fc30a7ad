"""What scores may be is computed, and nothing takes it for [0, 1]: checks, bounds, intervals, pages, explanations."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.ranges import ScoreRange
from scoring.registry import primitive, registry
from scoring.values import Score

RIGHT = {"a": "x", "b": "x"}
RECORDS = [{"id": number, "response": RIGHT, "reference": RIGHT} for number in range(5)]
SILENT = {"id": "silent", "reference": RIGHT}
TWO = {"kind": "task", "name": "two", "parse": "json", "fields": {"a": "equal", "b": "equal"}, "aggregate": "2 * a + b"}
FAR = {"kind": "task", "name": "far", "score": "number | absolute_error"}


def figures(spec: dict[str, Any], records: list[dict[str, Any]]) -> dict[str, Any]:
    return {figure["metric"]: figure for figure in scoring.evaluate(spec, records).summary["metrics"]}


def test_a_condition_may_ask_for_all_that_a_formula_can_give() -> None:
    found = figures({**TWO, "pass": "score >= 2"}, RECORDS)
    assert (found["mean"]["value"], found["pass_rate"]["value"]) == (3.0, 1.0)


def test_a_condition_beyond_the_range_of_a_formula_is_refused() -> None:
    with pytest.raises(SpecError) as error:
        scoring.load({**TWO, "pass": "score > 3"})
    (found,) = error.value.diagnostics
    assert (found.id, found.primary.text) == ("constant-condition", "[0, 3] > 3 never holds")


def test_the_bounds_of_a_mean_are_those_of_its_scores() -> None:
    found = figures(TWO, [*RECORDS, SILENT])["mean"]
    assert (found["value"], found["bounds"], found["range"]) == (3.0, [2.5, 3.0], [0.0, 3.0])
    text = scoring.evaluate(TWO, [*RECORDS, SILENT]).text()
    assert "2.5000 … 3.0000 if records without a score counted 0 … 3" in text


def test_the_bounds_of_the_share_that_passes_are_shares() -> None:
    spec = {**TWO, "pass": "score <= 2.5", "metrics": ["pass_rate"]}
    assert figures(spec, [*RECORDS, SILENT])["pass_rate"]["bounds"] == [0.0, pytest.approx(1 / 6)]


def test_the_bounds_of_a_field_are_those_of_the_field() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "fields": {"near": "equal", "half": "equal | scale(by=0.5, plus=0.25)"},
        "metrics": ['mean(field="half")'],
        "on_missing": "unscored",
    }
    right = {"near": 1, "half": 1}
    found = figures(spec, [{"id": 1, "response": right, "reference": right}, {"id": 2, "reference": right}])
    assert found['mean(field="half")']["bounds"] == [0.5, 0.75]


def test_what_has_no_end_has_no_bounds_and_says_why() -> None:
    records = [{"id": 1, "response": "1", "reference": "5"}, {"id": 2, "reference": "1"}]
    run = scoring.evaluate(FAR, records)
    found = run.summary["metrics"][0]
    assert (found["bounds"], found["range"]) == (None, [0.0, None])
    assert "the figure may lie anywhere in [0, inf]" in run.text()


def check_bounds_of_a_share(metric: str) -> None:
    spec = {"kind": "task", "name": "t", "record": {"w": "w"}, "fields": {"a": "equal"}}
    spec |= {"aggregate": "record.w * a", "pass": "score >= 0.5", "metrics": [metric]}
    records = [{"id": n, "response": answer, "reference": "x", "w": 2} for n, answer in enumerate(["x", "y", None])]
    run = scoring.evaluate(spec, records)
    assert (run.summary["metrics"][0]["value"], run.summary["metrics"][0]["bounds"]) == (0.5, [1 / 3, 2 / 3])
    assert "0.3333 … 0.6667 if records without a score counted -inf … inf" in run.text()


@pytest.mark.parametrize("metric", ["pass_rate", "accuracy(threshold=0.5)"])
def test_a_share_has_bounds_where_the_scores_that_it_counts_have_no_end(metric: str) -> None:
    check_bounds_of_a_share(metric)


SHARES = {"kind": "task", "name": "shares", "parse": "json", "fields": dict.fromkeys("abcd", "equal")}
ALL = dict.fromkeys("abcd", 1)


def figures_of_weights(*metrics: str) -> dict[str, Any]:
    """Figures of five records, of which two have every part right, and weights that make one in decimals."""
    spec = {**SHARES, "aggregate": "0.4 * a + 0.3 * b + 0.2 * c + 0.1 * d", "pass": "score == 1"}
    spec |= {"record": {"p": "p"}, "metrics": ["pass_rate", "accuracy", *metrics]}
    answers = [ALL, {**ALL, "d": 2}, ALL, {**ALL, "a": 0}, {**ALL, "b": 0}]
    stated = [0.9, 0.8, 0.7, 0.75, 0.1]
    records = [
        {"id": n, "response": json.dumps(answer), "reference": ALL, "p": p}
        for n, (answer, p) in enumerate(zip(answers, stated, strict=True))
    ]
    assert scoring.load(spec).range == ScoreRange(0.0, 1.0)
    return figures(spec, records)


def test_weights_that_make_one_in_decimals_make_it_in_scores() -> None:
    """In floats 0.4 + 0.3 + 0.2 + 0.1 is 0.9999999999999999, and no score reached the threshold of 1."""
    found = figures_of_weights()
    assert found["pass_rate"]["value"] == found["accuracy"]["value"] == 0.4


@pytest.mark.parametrize("condition", ["{} >= 1", "1 <= {}", "{} == 1", "not ({} < 1)"])
def test_a_sum_of_shares_in_a_condition_reaches_one(condition: str) -> None:
    """In floats it is 0.9999999999999999, so that a condition on it was refused, or never held."""
    rule = condition.format("0.4*a + 0.3*b + 0.2*c + 0.1*d")
    task = scoring.load({"kind": "task", "name": "t", "fields": dict.fromkeys("abcd", "equal"), "pass": rule})
    right = dict.fromkeys("abcd", "x")
    passed = [task.score_parts(said, right).passed for said in (right, {**right, "d": "y"})]
    assert passed == [True, False]


@pytest.mark.property
@given(st.lists(st.integers(1, 999), min_size=2, max_size=6))
def test_a_sum_of_shares_reaches_the_threshold_of_one(cuts: list[int]) -> None:
    edges = [0, *sorted(set(cuts)), 1000]
    shares = [(high - low) / 1000 for low, high in pairwise(edges)]
    names = [f"f{place}" for place in range(len(shares))]
    formula = " + ".join(f"{share} * {name}" for share, name in zip(shares, names, strict=True))
    fields = dict.fromkeys(names, "equal")
    right = dict.fromkeys(names, "x")
    records = [{"id": 1, "response": right, "reference": right}, {"id": 2, "response": {}, "reference": right}]
    rest: dict[str, Any] = {"pass": "score >= 1", "metrics": ["accuracy", "pass_rate"]}
    for key in (
        {"fields": fields, "aggregate": formula},
        {"fields": {**fields, "whole": formula}, "aggregate": "1 * whole"},
    ):
        spec = {"kind": "task", "name": "t", **key, **rest}
        found = figures(spec, records)
        assert (found["accuracy"]["value"], found["pass_rate"]["value"]) == (0.5, 0.5)
        assert [scoring.load(spec).score(record).score for record in records] == [1.0, 0.0]


def test_the_interval_of_an_error_rate_ends_at_zero() -> None:
    """Sums that grow without end have a quotient above 0; with one long runaway in ten its interval began below."""
    rows = [{"id": n, "response": "a b" if n else "a b" + " c" * 30, "reference": "a b"} for n in range(10)]
    spec = {
        "kind": "task",
        "name": "t",
        "parse": "words | length",
        "values": {"gold": "reference | words", "size": "gold | length"},
        "fields": {"edits": {"reference": "size", "score": "absolute_error"}},
        "metrics": [{"wer": "sum(score) / sum(length(gold))"}],
    }
    run = scoring.load(spec).evaluate(rows)
    (figure,) = run.summary["metrics"]
    assert figure["value"] == 1.5
    assert figure["interval"][0] == 0.0 < figure["value"] < figure["interval"][1]


def test_an_interval_does_not_leave_the_range_of_its_figure() -> None:
    spec = {**TWO, "intervals": {"method": "normal"}}
    wrong = {"id": "w", "response": {"a": "x", "b": "y"}, "reference": RIGHT}
    low, high = figures(spec, [*RECORDS, wrong])["mean"]["interval"]
    assert 2.0 < low < high == 3.0


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("accuracy(threshold=5)", "at least 1 and at most 3, but this is 5"),
        ("accuracy", "`accuracy` needs `threshold`: every score in [1, 3] reaches 1"),
    ],
)
def test_a_threshold_that_tells_no_scores_apart_is_refused(metric: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        scoring.load({**TWO, "aggregate": "1 + a + b", "metrics": [metric]})
    assert told in str(error.value)


def test_a_threshold_may_lie_wherever_scores_do() -> None:
    assert figures({**TWO, "metrics": ["accuracy(threshold=3)"]}, RECORDS)["accuracy(threshold=3)"]["value"] == 1.0
    scorer = scoring.scorer("number | absolute_error | zero_below(threshold=3)")
    assert [one.value for one in scorer.score_many(["1", "1"], ["2", "9"])] == [0.0, 8.0]
    with pytest.raises(SpecError, match="at least 0 and at most 1, but this is 3"):
        scoring.scorer("levenshtein | zero_below(threshold=3)")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("equal", 0, 1),
        ("number | absolute_error", 0, math.inf),
        ("number | absolute_error | exp_decay(rate=2)", 0, 1),
        ("levenshtein | zero_below(0.8)", 0, 1),
        ("levenshtein | scale(by=0.5, plus=0.25)", 0.25, 0.75),
        ("any_of(levenshtein, number | absolute_error)", 0, math.inf),
        ("levenshtein | zero_below(0.5, strict=true)", 0, 1),
        ("levenshtein | at_least(1)", 0, 1),
        ("levenshtein | at_least(1, strict=true)", 0, 0),
        ("levenshtein | at_most(0, strict=true)", 0, 0),
        ("levenshtein | at_most(1)", 1, 1),
        ("levenshtein | at_most(1, strict=true)", 0, 1),
        ("all_of(levenshtein, number | absolute_error)", 0, 1),
        ("attempt(levenshtein, otherwise=-1)", -1, 1),
        ("switch(on=record.kind, near=levenshtein, far=number | absolute_error)", 0, math.inf),
        ("align(equal | scale(by=0.5, plus=0.5))", 0, 1),
    ],
)
def test_the_range_of_a_scorer_follows_from_its_steps(text: str, low: float, high: float) -> None:
    assert scoring.scorer(text).range == ScoreRange(low, high)


@pytest.mark.parametrize(("key", "low"), [({}, 0.5), ({"on_error": "zero"}, 0.0), ({"on_unparsed": "zero"}, 0.0)])
def test_a_failure_that_counts_nothing_lies_in_the_range(key: dict[str, str], low: float) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "levenshtein | scale(by=0.5, plus=0.5)", **key})
    assert task.range == ScoreRange(low, 1.0)


@pytest.mark.parametrize(
    ("aggregate", "low", "high"),
    [
        ("mean", 0.0, 1.0),
        ("min", 0.0, 1.0),
        ("max", 0.0, 1.0),
        ("product", 0.0, 1.0),
        ("geometric_mean", 0.0, 1.0),
        ("mean | at_least(threshold=0.75)", 0.0, 1.0),
        ("a - b", -0.75, 1.0),
        ("max(a, b)", 0.0, 1.0),
    ],
)
def test_the_range_of_an_aggregate_follows_from_its_fields(aggregate: str, low: float, high: float) -> None:
    fields = {"a": "equal", "b": {"score": "equal | scale(by=0.75)", "weight": 3}}
    task = scoring.load({"kind": "task", "name": "t", "fields": fields, "aggregate": aggregate})
    assert task.range == ScoreRange(low, high)


@pytest.fixture(scope="module")
def far_off() -> Iterator[str]:
    """The name of a comparator that gives no number for a text, and for a number one that its range does not have."""

    @primitive
    def far_off(prediction: Any, reference: Any, /) -> Score:
        """No number for a text, twice as much as there may be for a number.

        Examples:
            >>> far_off(1, 1)
            2.0
        """
        return math.nan if isinstance(prediction, str) else 2.0

    yield "far_off"
    del registry._steps["far_off"]


@pytest.mark.parametrize(
    "after",
    [
        "zero_below(0.5)",
        "zero_below(0.5, strict=true)",
        "at_least(0.5)",
        "at_least(0.5, strict=true)",
        "scale(by=0.25)",
        "invert",
    ],
)
def test_a_rescorer_makes_no_score_of_what_is_none(after: str, far_off: str) -> None:
    scorer = scoring.scorer(f"{far_off} | {after}")
    alone = [scorer.score(value, "") for value in ("x", 1)]
    assert alone == scorer.score_many(["x", 1], ["", ""])
    assert [one.status for one in alone] == ["unscored", "unscored"]
    assert [one.reason for one in alone] == [f"the score {value} lies outside [0, 1]" for value in ("nan", "2.0")]


def test_a_rescorer_within_a_combinator_makes_no_score_of_what_is_none(far_off: str) -> None:
    scorer = scoring.scorer(f"any_of({far_off} | zero_below(0.5), equal)")
    assert {one.status for one in [scorer.score("x", "y"), *scorer.score_many(["x"] * 3, ["y"] * 3)]} == {"unscored"}


def check_large_number(given: str, state: Any) -> None:
    records = [{"id": n, "response": given if n < 2 else str(n), "reference": "0"} for n in range(8)]
    run = scoring.evaluate({**FAR, "metrics": ["mean", "accuracy(threshold=4)"]}, records, state=state)
    mean, reached = run.summary["metrics"]
    assert (mean["value"], reached["value"]) == (4.5, pytest.approx(4 / 6))  # 2, 3, 4, 5, 6 and 7
    assert mean["interval"][0] < 4.5 < mean["interval"][1]
    assert run.summary["counts"]["unscored"] == 2
    assert run.records[0].status == "unscored"
    assert "too large to count" in str(run.records[0].reason)


@pytest.mark.parametrize("given", ["1e100", "-1e200", "1e308"])
@pytest.mark.parametrize("state", ["exact"])
def test_a_number_too_large_for_figures_is_unscored_and_ends_no_run(given: str, state: Any) -> None:
    check_large_number(given, state)


def test_a_formula_and_a_weight_may_be_too_large_to_count_too() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "fields": {"a": "number | absolute_error"},
        "aggregate": "a * a",
        "on_missing": "unscored",
    }
    records = [{"id": n, "response": {"a": 1e40 if n else 2}, "reference": {"a": 0}} for n in range(8)]
    assert scoring.evaluate(spec, records).summary["metrics"][0]["value"] == 4.0
    weighed = {"kind": "task", "name": "t", "score": "equal", "metrics": ["weighted_mean"], "record": {"weight": "w"}}
    heavy = [{"id": n, "response": "a", "reference": "b" if n else "a", "w": 1e200 if n else 1} for n in range(8)]
    assert scoring.evaluate(weighed, heavy).summary["metrics"][0]["value"] == 1.0


def test_scores_in_the_middle_of_a_narrow_range_are_no_shares() -> None:
    narrow = {"kind": "task", "name": "t", "score": "levenshtein | scale(by=0.0000001, plus=0.5)"}
    records = [{"id": n, "response": "ab", "reference": "ax"} for n in range(8)]  # each is half right
    wide, found = (figures({**narrow, "score": score}, records)["mean"] for score in ("levenshtein", narrow["score"]))
    assert (wide["method"], found["method"]) == ("bounded", "bounded")
    low, high = wide["interval"]
    assert found["interval"] == [pytest.approx(0.5 + end * 1e-7, abs=1e-9) for end in (low, high)]


@pytest.mark.parametrize("formula", ["0.5 + 0 * a", "a - a", "2 / (1 / max(a, 2))"])
def test_a_figure_that_can_come_to_one_number_alone_has_no_interval(formula: str) -> None:
    spec = {"kind": "task", "name": "t", "fields": {"a": "equal"}, "aggregate": formula}
    records = [{"id": n, "response": {"a": n % 2}, "reference": {"a": 1}} for n in range(6)]
    found = figures(spec, records)["mean"]
    assert found["value"] is not None
    assert (found["interval"], found["note"]) == (None, "no interval: it can have no other value")
