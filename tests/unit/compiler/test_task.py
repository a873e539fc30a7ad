"""Records in, results out: values, statuses, policies; a column gives what single records give."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.result import Outcome

PARSED = {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "lower | equal", "b": "to_set | jaccard"}}


def task(**changes: Any) -> scoring.Task:
    return scoring.load({**PARSED, **changes})


def record(response: Any, reference: Any, **more: Any) -> dict[str, Any]:
    return {"id": "r", "response": response, "reference": reference, **more}


def test_fields_are_scored_and_joined() -> None:
    result = task().score(record('{"a": "YES", "b": "[1, 2]"}', {"a": "yes", "b": "[2, 3]"}))
    assert result.fields["a"].score == 1.0
    assert result.fields["b"].score == pytest.approx(1 / 3)
    assert result.score == pytest.approx(2 / 3)
    assert (result.status, result.parsed_ok, result.id) == ("scored", True, "r")


def test_weights_and_formulas() -> None:
    weighted = task(fields={"a": {"score": "equal", "weight": 3}, "b": "equal"})
    assert weighted.score(record('{"a": 1, "b": 2}', {"a": 1, "b": 3})).score == 0.75
    passes = {"pass": "score > 0.8"}
    formula = task(fields={"a": "equal", "b": "equal"}, aggregate="0.9 * a + 0.1 * min(a, b)", **passes)
    result = formula.score(record('{"a": 1, "b": 2}', {"a": 1, "b": 3}))
    assert (result.score, result.passed) == (0.9, True)


@pytest.mark.parametrize(
    ("policy", "score", "status"), [("unscored", None, "unparsed"), ("zero", 0.0, "unparsed"), ("raw", 0.5, "scored")]
)
def test_a_response_that_does_not_parse_follows_the_policy(policy: str, score: float | None, status: str) -> None:
    fields = {"a": "equal", "b": "lower | equal"}
    result = task(fields=fields, on_unparsed=policy).score(record("Plain", {"a": "x", "b": "plain"}))
    assert (result.score, result.status, result.parsed_ok) == (score, status, False)


@pytest.mark.parametrize(
    ("policy", "score", "status"), [("unscored", None, "unparsed"), ("zero", 1.0, "unparsed"), ("raw", 1.0, "scored")]
)
def test_a_response_that_does_not_parse_follows_the_policy_where_no_field_reads_the_answer(
    policy: str, score: float | None, status: str
) -> None:
    reading = task(fields={"a": 'if(prediction == "b", 1, 0.25)'}, on_unparsed=policy)
    rows = [record("1", "b"), record("b", "b"), record("1", "b")]
    result = reading.score(rows[1])
    assert (result.score, result.status, result.parsed_ok) == (score, status, False)
    assert reading.score_batch(rows) == [reading.score(row) for row in rows]


@pytest.mark.parametrize(("policy", "score", "status"), [("zero", 0.5, "scored"), ("unscored", None, "unscored")])
def test_a_missing_field_follows_the_policy(policy: str, score: float | None, status: str) -> None:
    fields = {"a": "equal", "b": "equal"}
    result = task(fields=fields, on_missing=policy).score(record('{"a": "x"}', {"a": "x", "b": "y"}))
    assert (result.score, result.status) == (score, status)
    assert "no field `b`" in (result.fields["b"].reason or "")


def test_a_field_that_the_reference_lacks_is_not_applicable_and_left_out() -> None:
    result = task(fields={"a": "equal", "b": "equal"}).score(record('{"a": "x", "b": 1}', {"a": "x"}))
    assert (result.score, result.fields["b"].status) == (1.0, "not_applicable")


def test_nothing_applicable_is_not_a_zero() -> None:
    assert task().score(record('{"a": "x"}', {})).status == "not_applicable"


def test_a_record_without_a_response_is_unscored_with_its_reason() -> None:
    result = task().score({"id": 1, "reference": {"a": "x"}})
    assert (result.status, result.score) == ("unscored", None)
    assert "no response" in (result.reason or "")


def test_a_wrong_value_is_the_fault_of_the_side_it_came_from() -> None:
    scorer = scoring.scorer("lower | equal")
    assert scorer.score(3, "x").status == "unparsed"
    outcome = scorer.score("x", 3)
    assert outcome.status == "unscored"
    assert "`lower` takes Text, but the reference is Number" in (outcome.reason or "")


def test_an_exception_becomes_a_reason_with_the_primitive_that_raised() -> None:
    outcome = scoring.scorer("equal").score(_Hostile(), 1)
    assert outcome.status == "unscored"
    assert "`equal` can't be computed: its own error: RuntimeError: no comparing" in (outcome.reason or "")


class _Hostile:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparing")


def test_values_of_the_row_reach_the_scorer() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "record": {"kind": "meta.kind"},
        "score": 'switch(record.kind, text=lower | equal, "a set"=to_set | jaccard)',
    }
    loaded = scoring.load(spec)
    rows = [
        {"response": "A", "reference": "a", "meta": {"kind": "text"}},
        {"response": "[1]", "reference": "[1, 2]", "meta": {"kind": "a set"}},
        {"response": "1", "reference": "1", "meta": {"kind": "other"}},
    ]
    results = loaded.score_batch(rows)
    assert [result.score for result in results] == [1.0, 0.5, None]
    assert "no case is called 'other'" in (results[2].reason or "")


def test_parameters_of_definitions() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "score": "close(threshold=0.9)",
        "scorers": {
            "close": {
                "params": {"threshold": 0.5, "measure": {"type": "pipeline", "default": "levenshtein"}},
                "score": "lower | measure | zero_below(threshold)",
            }
        },
    }
    assert scoring.load(spec).score(record("abcd", "abce")).score == 0.0
    spec["score"] = "close(measure=equal)"
    assert scoring.load(spec).score(record("ABC", "abc")).score == 1.0


def test_text_list_and_mapping_forms_are_one_program() -> None:
    text = scoring.load({"kind": "task", "name": "t", "score": 'to_dict | per_key(lower | equal, over="union")'})
    listed = scoring.load(
        {"kind": "task", "name": "t", "score": ["to_dict", {"per_key": {"scorer": "lower | equal", "over": "union"}}]}
    )
    first, second = text.signature.meaning, listed.signature.meaning
    assert first == second


TEXTS = st.one_of(st.none(), st.text(max_size=12), st.sampled_from(['{"a": "x"}', '{"a": 1, "b": "[1]"}', "[1]", "{"]))


@pytest.mark.property
@given(st.lists(st.tuples(TEXTS, st.sampled_from([{"a": "x"}, {"a": "x", "b": "[1]"}, {}, "text", None])), max_size=8))
def test_a_batch_gives_what_single_records_give(pairs: list[tuple[Any, Any]]) -> None:
    rows = [record(response, reference) for response, reference in pairs]
    assert BATCHED.score_batch(rows) == [BATCHED.score(row) for row in rows]


BATCHED = task(on_unparsed="raw")


@pytest.mark.property
@given(st.lists(st.tuples(st.one_of(st.text(max_size=5), st.integers(), st.none()), st.text(max_size=5)), max_size=10))
def test_a_column_gives_what_single_pairs_give(pairs: list[tuple[Any, str]]) -> None:
    predictions, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    singles = [LEVENSHTEIN.score(p, r) for p, r in pairs]
    assert LEVENSHTEIN.score_many(predictions, references) == singles


LEVENSHTEIN = scoring.scorer("lower | levenshtein | zero_below(0.5)")


def test_repeated_texts_are_prepared_once_and_score_the_same() -> None:
    outcomes = LEVENSHTEIN.score_many(["AB"] * 6, ["ab"] * 6)
    assert outcomes == [Outcome(1.0)] * 6


def test_an_attempt_around_a_scorer_changes_failures_only() -> None:
    plain = scoring.scorer("number | within(relative=0.1)")
    wrapped = scoring.scorer("attempt(number | within(relative=0.1), otherwise=0.25)")
    pairs = [("1", "1"), ("x", "1"), ("1", "x"), (None, "1"), ("2", "1")]
    predictions, references = [p for p, _ in pairs], [r for _, r in pairs]
    singles = [wrapped.score(p, r) for p, r in pairs]
    assert wrapped.score_many(predictions, references) == singles
    for inner, outer in zip(plain.score_many(predictions, references), singles, strict=True):
        assert outer == (inner if inner.status == "scored" else Outcome(0.25))
    nested = scoring.scorer("attempt(attempt(number | within(relative=0.1), otherwise=0.25), otherwise=0.75)")
    assert nested.score_many(predictions, references) == singles


@pytest.mark.parametrize("formula", ["a * 1e308 * 10", "a * 1e308 * 10 - b * 1e308 * 10", "mean(a * 1e308, b * 1e308)"])
def test_a_formula_that_leaves_the_numbers_scores_nothing(formula: str) -> None:
    result = task(fields={"a": "equal", "b": "equal"}, aggregate=formula).score(
        record('{"a": 1, "b": 1}', {"a": 1, "b": 1})
    )
    assert (result.score, result.status) == (None, "unscored")


@pytest.mark.parametrize("path", ["reference", "gold.answer"])
def test_a_record_without_a_reference_is_no_silent_zero(path: str) -> None:
    plain = scoring.load({"kind": "task", "name": "t", "record": {"reference": path}, "score": "equal"})
    missing = plain.score({"response": "a"})
    assert (missing.status, missing.reason) == ("unscored", "the record has no reference")
    written = {"reference": None} if path == "reference" else {"gold": {"answer": None}}
    assert plain.score({"response": "a", **written}) == missing, "columns write null where there is nothing"
    told = scoring.load(
        {"kind": "task", "name": "t", "record": {"reference": path}, "score": "equal", "on_null": "value"}
    )
    assert told.score({"response": "a"}).reason == "the record has no reference"
    assert told.score({"response": "a", **written}).score == 0.0, "a null that is written is a reference"


def test_a_scorer_that_reads_the_context_needs_no_reference() -> None:
    reads = scoring.load({"kind": "task", "name": "t", "score": "sides(reference=value_of(context.answer)) | equal"})
    assert reads.score({"response": "a", "context": {"answer": "a"}}).score == 1.0


def test_a_pass_that_cannot_be_decided_says_why_and_is_counted() -> None:
    ratio = task(fields={"a": "equal", "b": "equal"}, **{"pass": "a / b > 0.5"}, metrics=["pass_rate"])
    rows = [record('{"a": 1, "b": 1}', {"a": 1, "b": 2}), record('{"a": 1, "b": 1}', {"a": 1, "b": 1})]
    run = ratio.evaluate(rows)
    undecided, decided = run.records
    assert (undecided.passed, undecided.score) == (None, 0.5)
    why = (undecided.outcome.notes or {})["pass"]  # the words after the colon are Python's, and differ by version
    assert why.startswith("undecided: the formula has no value at its `/`")
    assert "it would divide by 0" in why
    assert (decided.passed, decided.outcome.notes) == (True, None)
    assert run.summary["counts"]["pass_undecided"] == 1
    assert "pass_undecided" not in ratio.evaluate(rows[1:]).summary["counts"]


def test_a_pass_over_a_field_that_is_not_applicable_is_undecided() -> None:
    needs_b = task(fields={"a": "equal", "b": "equal"}, **{"pass": "b > 0.5"})
    result = needs_b.score(record('{"a": 1}', {"a": 1}))
    assert result.passed is None
    assert "`b` has no score" in result.outcome.notes["pass"]  # type: ignore[index]


@pytest.mark.parametrize("first", ["strip | equal", "equal"])
def test_fields_that_prepare_alike_share_only_what_is_checked_alike(first: str) -> None:
    """What `parse` made is a text and is not checked again; what a field reads elsewhere may be anything."""
    whole = {"score": "strip | equal", "prediction": "prediction", "reference": "reference"}
    spec = {"kind": "task", "name": "t", "parse": "lower", "fields": {"a": {"score": first}, "b": whole}}
    task = scoring.load(spec)
    row = {"response": {"a": "", "b": ""}, "reference": ""}
    alone = task.score(row).fields["b"].outcome
    (together,) = task.score_rows([row])
    assert alone.status == "unparsed"
    assert together.fields["b"].outcome == alone
