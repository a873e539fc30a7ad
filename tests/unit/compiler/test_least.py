"""What a failure counts where a policy says `zero`: never more than an answer would, and the record says what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import Diagnostic, SpecError

BOTH = {"harm": "equal", "help": "equal"}
WORST = {"on_missing": "zero", "on_unparsed": "zero", "on_error": "zero"}
DISTANCE = {"error": "number | absolute_error"}


def outcome(response: Any, more: dict[str, Any] | None = None, /, **keys: Any) -> dict[str, Any]:
    """What a record scores, alone and in a batch."""
    keys = {"pass" if name == "passes" else name: value for name, value in keys.items()}
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", **keys})
    row = {"id": 1, "response": response, "reference": {"harm": 1, "help": 1, "error": 0}, **(more or {})}
    (one,) = task.score_batch([row])
    assert one.to_json() == task.score(row).to_json()
    found: dict[str, Any] = one.to_json()
    return found


def found_in(**keys: Any) -> list[Diagnostic]:
    with pytest.raises(SpecError) as error:
        scoring.load({"kind": "task", "name": "t", "parse": "json", **keys})
    return [*error.value.diagnostics]


def test_a_field_that_lowers_the_score_counts_its_greatest_where_it_is_missing() -> None:
    found = outcome({}, fields={"harm": "equal"}, aggregate="1 - harm", passes="score == 1")
    assert (found["score"], found["passed"], found["status"]) == (0.0, False, "scored")
    assert found["fields"]["harm"]["score"] == 1.0
    assert found["fields"]["harm"]["reason"] == "the response has no field `harm`; it counts 1"


def test_what_does_not_parse_scores_the_least_and_says_why() -> None:
    found = outcome("nothing", parse="json", fields={"harm": "equal"}, aggregate="1 - harm", on_unparsed="zero")
    assert (found["score"], found["status"]) == (0.0, "unparsed")
    assert found["reason"] == "no JSON object in the response (7 characters)"


def test_a_scorer_that_fails_counts_the_worst_for_the_record() -> None:
    fields = {"harm": "number | within(absolute=0)"}
    found = outcome({"harm": 2}, {"reference": {"harm": "x"}}, fields=fields, aggregate="1 - harm", on_error="zero")
    assert (found["score"], found["fields"]["harm"]["score"], found["fields"]["harm"]["status"]) == (
        0.0,
        1.0,
        "unscored",
    )


@pytest.mark.parametrize(
    ("aggregate", "score"),
    [
        (None, 0.5),
        ("mean", 0.5),
        ("0.25 * harm + 0.75 * help", 0.75),
        ("help - harm", 0.0),
        ("help - 2 * harm", -1.0),
        ("mean | invert", 0.0),
        ("sum | at_most(1)", 0.0),
        ("min(help, 1 - harm)", 0.0),
        ("if(harm == 1, 0, help)", 0.0),
        ("record.w * harm + help", 1.0),
        ("help - record.w * harm", -1.0),
        ("(help - harm) * (help - harm)", 0.0),
    ],
)
def test_a_missing_field_scores_the_least_that_any_answer_would(aggregate: str | None, score: float) -> None:
    keys = {} if aggregate is None else {"aggregate": aggregate}
    assert outcome({"help": 1}, {"w": 2}, fields=BOTH, **keys)["score"] == score


def test_a_formula_that_goes_either_way_counts_the_least_it_could_be_and_says_so() -> None:
    found = outcome({"help": 1}, {"w": -3}, fields=BOTH, aggregate="record.w * harm + help")
    assert found["score"] == -2.0
    told = "the least that any answer would come to (harm: the response has no field `harm`)"
    assert found["notes"] == {"counted": told}


def test_a_field_that_is_made_of_a_failed_one_takes_part() -> None:
    fields = {**BOTH, "safe": {"score": "1 - harm"}}
    assert outcome({"help": 1}, fields=fields, aggregate="min(safe, help)")["score"] == 0.0
    found = outcome({"help": 1}, fields=fields, aggregate="max(safe, harm) * help")
    assert found["score"] == 0.0


@pytest.mark.parametrize("aggregate", ["if(n > 1, 0, harm)", "harm / max(n, 1)", "clip(harm * n, 0, 3)"])
def test_the_policy_holds_where_the_score_reads_a_value_of_the_response(aggregate: str) -> None:
    """With a response that does not parse the formula has no value, and the policy did nothing."""
    values = {"n": "parsed.said | length"}
    keys = {"parse": "json", "values": values, "fields": {"harm": "equal"}, "aggregate": aggregate}
    found = outcome("none", **keys, on_unparsed="zero")
    assert (found["score"], found["status"]) == (0.0, "unparsed")
    assert outcome("none", **keys)["score"] is None


def test_a_formula_without_a_value_is_a_failure_too() -> None:
    keys = {"fields": BOTH, "aggregate": "clip(help / harm, 0, 2)"}
    answer = {"harm": 0, "help": 1}
    assert outcome(answer, **keys)["score"] is None
    found = outcome(answer, **keys, on_error="zero")
    assert (found["score"], found["status"]) == (0.0, "unscored")
    assert "divide by 0" in found["reason"]


def test_leaving_an_answer_out_is_no_better_than_one_for_which_there_is_no_value() -> None:
    keys = {"fields": BOTH, "aggregate": "clip(help - max(record.w, log(harm)), -5, 5)", "on_error": "zero"}
    wrong = outcome({"harm": 0, "help": 1}, {"w": -2}, **keys)  # of log(0), with any help and harm, 0 - 0 is the least
    lacking = outcome({"help": 1}, {"w": -2}, **keys)  # was 1: that of log(1), the worst for which there is a value
    assert (wrong["score"], wrong["status"]) == (0.0, "unscored")
    assert (lacking["score"], lacking["status"]) == (0.0, "scored")
    assert outcome({"harm": 1, "help": 1}, {"w": -2}, **keys)["score"] == 1.0


def test_a_range_below_zero_counts_its_least() -> None:
    keys = {"fields": BOTH, "aggregate": "help - harm", "record": {"weight": "w"}, "on_error": "zero"}
    found = outcome({"harm": 1, "help": 1}, {"w": "heavy"}, **keys)
    assert (found["score"], found["status"]) == (-1.0, "unscored")


def test_a_record_that_reaches_no_scorer_counts_the_least(tmp_path: Path) -> None:
    spec = {"kind": "task", "name": "t", "fields": BOTH, "aggregate": "help - harm", "on_error": "zero"}
    data = tmp_path / "data.jsonl"
    right = {"harm": 1, "help": 1}
    data.write_text(json.dumps({"id": 1, "response": right, "reference": right}) + "\nno JSON\n")
    assert scoring.evaluate(spec, data).summary["metrics"][0]["value"] == -0.5


@pytest.mark.parametrize(
    ("condition", "response", "passed"),
    [
        ("harm == 0", {"help": 1}, False),
        ("harm < 0.5 and score > 0.5", {"help": 1}, False),
        ("harm < 0.5 or score > 0.5", {"help": 1}, True),
        ("score <= 0.5", {"harm": 1}, False),
        ("score >= 0.5", {"help": 1}, True),
        ("score >= 0.5", {"harm": 1}, False),
    ],
)
def test_a_record_passes_only_if_any_answer_would_have(condition: str, response: Any, passed: bool) -> None:
    assert outcome(response, fields=BOTH, aggregate="1 * help", passes=condition)["passed"] is passed


def test_a_distance_passes_no_bound_by_failing() -> None:
    keys = {"fields": DISTANCE, "aggregate": "clip(error, 0, 5)", "on_error": "zero", "passes": "score <= 1"}
    better = {"metrics": ["mean"], "better": {"mean": "lower"}}
    found = outcome({"error": 5}, {"reference": {"error": "x"}}, **keys, **better)
    assert (found["score"], found["passed"]) == (5.0, False)
    found = outcome({"error": 5}, {"reference": {"error": 5}}, **keys, **better)
    assert (found["score"], found["passed"]) == (0.0, True)


@pytest.mark.parametrize(
    ("keys", "worst"),
    [
        ({"metrics": ["mean"]}, 0.0),
        ({"metrics": ["mean"], "better": {"mean": "lower"}}, 1.0),
        ({"metrics": [{"wrong": "1 - mean(score)"}], "better": {"wrong": "lower"}}, 0.0),
        ({"metrics": [{"harmed": "mean(score)"}], "better": {"harmed": "lower"}}, 1.0),
        ({"metrics": ["mean"], "better": {"mean": 0.25}}, 1.0),
        ({"metrics": ["mean"], "better": {"mean": 0.75}}, 0.0),
    ],
)
@pytest.mark.parametrize("policy", ["on_missing", "on_unparsed", "on_error"])
def test_a_failure_counts_the_end_that_the_headline_calls_worse(
    policy: str, keys: dict[str, Any], worst: float
) -> None:
    """What failed scores no better than any answer: nearer to what is better, or where it is."""
    fields: Any = {"harm": "number | within(absolute=0)"}
    policies = {**dict.fromkeys(WORST, "unscored"), policy: "zero"}
    response, more = {
        "on_missing": ({}, None),
        "on_unparsed": ("no object", None),
        "on_error": ({"harm": 1}, {"reference": {"harm": "x"}}),
    }[policy]
    found = outcome(response, more, parse="json", fields=fields, **policies, **keys)
    assert found["score"] == worst
    answers = [outcome({"harm": one}, parse="json", fields=fields, **policies, **keys)["score"] for one in (1, 2)]
    better = keys.get("better", {"": "higher"})
    assert {*answers} == {0.0, 1.0}
    if better in ({"mean": 0.25}, {"mean": 0.75}):
        target = better["mean"]
        assert max(abs(one - target) for one in answers) == abs(worst - target)


@pytest.mark.parametrize(
    ("keys", "low"),
    [
        ({"score": "number | absolute_error"}, "0"),
        ({"fields": DISTANCE, "aggregate": "error / 10"}, "0"),
        ({"fields": DISTANCE, "aggregate": "1 + 2 * error", "metrics": [{"wer": "mean(score)"}]}, "1"),
    ],
)
def test_a_distance_without_an_end_has_no_worst_answer(keys: dict[str, Any], low: str) -> None:
    """As 0 the error that failed would be the best there is."""
    found = found_in(**keys, on_error="zero", on_missing="unscored")[0]
    assert found.id == "no-least-score"
    assert "`on_error: zero` would make a failure better than an answer" in found.message
    assert found.message.endswith(f"as 0 the record could score {low}, where an answer may score inf")
    name = "score" if "score" in keys else "error"
    policies = {"on_error": "unscored", "on_missing": "unscored"}
    unscored = outcome(5 if name == "score" else {"error": 5}, {"reference": "x"}, **keys, **policies)
    assert unscored["score"] is None


def test_what_has_no_worst_answer_is_refused_with_both_values() -> None:
    (found,) = found_in(fields=DISTANCE, aggregate="1 - error")
    assert found.id == "no-least-score"
    assert found.message == (
        "`on_missing: zero` would make a failure better than an answer: of `error` as 0 the record could score 1, "
        "where an answer may score -inf"
    )
    assert outcome({}, fields=DISTANCE, aggregate="1 - error", on_missing="unscored")["score"] is None


@pytest.mark.parametrize(
    "keys",
    [
        {"fields": {"help": "equal"}, "aggregate": "record.w * help", "on_error": "zero"},
        {
            "parse": "json",
            "values": {"n": "parsed.said | length"},
            "fields": {"help": "equal"},
            "aggregate": "help * n",
            "on_unparsed": "zero",
        },
    ],
)
def test_a_policy_without_a_least_score_is_refused(keys: dict[str, Any]) -> None:
    (found,) = found_in(**keys)
    assert found.id == "no-least-score"
    assert found.message.endswith("a failed record would score 0, where an answer may score -inf")


def test_a_distance_that_lowers_the_score_needs_no_bound_where_the_score_has_one() -> None:
    found = outcome({}, fields=DISTANCE, aggregate="exp(-error)")
    assert (found["score"], found["fields"]["error"]["score"]) == (0.0, None)
    assert outcome({"error": 0}, fields=DISTANCE, aggregate="exp(-error)")["score"] == 1.0


def test_the_rules_of_released_code_stay_as_they_are_written() -> None:
    """`raw`, `pass` and `optional` say what a failure is, and no policy counts it."""
    raw = {"parse": "json", "fields": {"harm": "number | within(absolute=0)"}, "on_unparsed": "raw"}
    assert outcome("none", **raw, aggregate="1 - harm")["score"] == 1.0
    assert outcome({}, fields={"harm": "equal"}, aggregate="1 - harm", on_missing="pass")["score"] == 1.0
    free = {"harm": {"score": "equal", "optional": True}, "help": "equal"}
    assert outcome({"help": 1}, fields=free)["score"] == 1.0


def test_processes_and_one_process_count_the_same(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    answers = [{"harm": 1, "help": 1}, {"help": 1}, {"harm": 0}, "nothing", None]
    rows = [{"id": n, "response": answers[n % 5], "reference": {"harm": 1, "help": 1}, "w": n % 3} for n in range(3000)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    spec = {"kind": "task", "name": "t", "fields": BOTH, "aggregate": "clip(help - record.w * harm, -9, 9)", **WORST}
    one, two = (scoring.evaluate(spec, data, processes=count).summary["metrics"] for count in (1, 2))
    assert one == two
