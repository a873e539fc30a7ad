"""Metrics that are formulas over accumulators: what they come to, what they read, and what is said of mistakes."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import scoring

TASK = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "pass": "score >= 0.5"}


def task(*metrics: Any, **more: Any) -> scoring.Task:
    return scoring.load({**TASK, "metrics": list(metrics), **more})


def records(count: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    source = random.Random(seed)
    return [
        {
            "id": place,
            "response": source.choice("ab"),
            "reference": source.choice("ab"),
            "edits": source.randrange(5),
            "words": source.randrange(1, 9),
            "logprob": -source.random() * 10,
            "figure": f"f{source.randrange(9)}",
            "document": source.randrange(4),
            "vote": source.choice("xyz"),
            "flag": source.random() < 0.5,
        }
        for place in range(count)
    ]


def figure(formula: str, given: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = scoring.evaluate(task({"it": formula}, **more), given).summary["metrics"][0]
    return found


def value(formula: str, given: list[dict[str, Any]], **more: Any) -> Any:
    return figure(formula, given, **more)["value"]


def groups(given: list[dict[str, Any]], key: str) -> list[list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for record in given:
        found.setdefault(record[key], []).append(record)
    return list(found.values())


def right(record: dict[str, Any]) -> float:
    return float(record["response"] == record["reference"])


def test_a_ratio_of_sums_is_no_mean_of_ratios() -> None:
    given = records()
    wanted = sum(one["edits"] for one in given) / sum(one["words"] for one in given)
    assert value("sum(record.edits) / sum(record.words)", given) == wanted


def test_perplexity_and_root_mean_square_are_functions_of_sums() -> None:
    given = records()
    tokens = sum(one["words"] for one in given)
    wanted = math.exp(-math.fsum(one["logprob"] for one in given) / tokens)
    assert value("exp(-sum(record.logprob) / sum(record.words))", given) == wanted
    squares = sum((one["edits"] - one["words"]) ** 2 for one in given)
    difference = "(record.edits - record.words)"
    assert value(f"sqrt(mean({difference} * {difference}))", given) == math.sqrt(squares / len(given))


@pytest.mark.parametrize(("accumulator", "join"), [("min", min), ("max", max)])
def test_all_and_any_of_groups_of_any_size(accumulator: str, join: Any) -> None:
    given = records()
    each = [join(map(right, group)) for group in groups(given, "figure")]
    found = figure(f"mean(per(record.figure, {accumulator}(score)))", given)
    assert found["value"] == sum(each) / len(each)
    assert found["units"] == len(each)
    assert found["details"] == {"groups": len(each), "samples": len(given)}


def test_groups_may_hold_groups() -> None:
    given = records()
    wanted = [
        sum(min(map(right, figures)) for figures in groups(document, "figure")) / len(groups(document, "figure"))
        for document in groups(given, "document")
    ]
    found = value("mean(per(record.document, mean(per(record.figure, min(score)))))", given)
    assert found == pytest.approx(math.fsum(wanted) / len(wanted), abs=0)


def test_several_keys_are_a_list() -> None:
    given = records()
    both = {(one["document"], one["figure"]) for one in given}
    assert value("count(per([record.document, record.figure], count()))", given) == len(both)


def test_a_majority_shares_its_ties() -> None:
    given = [
        {"response": "a", "reference": "a", "vote": "x", "q": 1},
        {"response": "b", "reference": "a", "vote": "y", "q": 1},
        {"response": "b", "reference": "a", "vote": "y", "q": 2},
        {"response": "b", "reference": "a", "vote": "y", "q": 2},
        {"response": "a", "reference": "a", "vote": "x", "q": 2},
    ]
    assert value("mean(per(record.q, majority(record.vote, score)))", given) == 0.25


def test_a_missing_answer_is_an_answer_of_its_own() -> None:
    given = [{"response": "a", "reference": "a", "vote": "x", "q": 1}]
    given += [{"response": "b", "reference": "a", "q": 1}] * 2
    assert value("mean(per(record.q, majority(record.vote, score)))", given) == 0.0


def test_conditions_count_as_one_and_zero() -> None:
    given = records()
    rights = sum(map(right, given))
    for formula in ("count(passed)", "sum(passed)", "count(score == 1)", "sum(score)"):
        assert value(formula, given) == rights
    assert value("mean(passed)", given) == value("count(passed) / count()", given) == rights / len(given)
    assert value("count(record.flag)", given) == sum(one["flag"] for one in given)
    assert value("count(record.flag and passed)", given) == sum(one["flag"] and right(one) for one in given)


def test_a_count_of_what_is_no_condition_is_of_the_records_that_have_it() -> None:
    given: list[dict[str, Any]] = [{"response": "a", "reference": "a"} for _ in range(5)]
    given[0]["n"], given[1]["n"] = 0, "no number"
    assert value("count(record.n)", given) == 2
    assert value("count(record.n) / count()", given) == 0.4


def test_two_figures_are_compared_by_functions_of_several() -> None:
    given = records()
    assert value("min(mean(score), 0.1)", given) == 0.1
    assert value("if(mean(score) > 0.9, 1, 0)", given) == 0.0


def test_a_share_has_the_interval_of_the_metric_that_it_is() -> None:
    given = records()
    run = scoring.evaluate(task("pass_rate", {"a": "mean(passed)"}, {"b": "count(passed) / count()"}), given)
    keys = ("value", "interval", "method", "units")
    first, *others = ([one[key] for key in keys] for one in run.summary["metrics"])
    assert all(one == first for one in others)


# ---- what does not count


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (None, "no `record.edits`"),
        ("3", "`record.edits` is not a number"),
        ([1], "`record.edits` is not a number"),
        (float("inf"), "`record.edits` is too large to count"),
        (10**400, "`record.edits` is too large to count"),
    ],
)
def test_a_record_without_a_number_is_left_out_of_the_whole_formula_and_told(bad: Any, why: str) -> None:
    given = records()
    wanted = sum(one["edits"] for one in given[1:]) / sum(one["words"] for one in given[1:])
    given[0]["edits"] = bad
    found = figure("sum(record.edits) / sum(record.words)", given)
    assert found["value"] == wanted
    assert found["details"] == {"not_counted": 1, "why_not": {why: 1}}


def test_a_division_by_zero_within_a_record_leaves_the_record_out() -> None:
    given = records()
    given[0]["words"] = 0
    found = figure("mean(record.edits / record.words)", given)
    assert found["details"] == {"not_counted": 1, "why_not": {"`record.edits / record.words` has no value": 1}}


def test_a_record_without_a_key_is_in_no_group() -> None:
    given = records()
    del given[0]["figure"]
    found = figure("mean(per(record.figure, min(score)))", given)
    assert found["details"]["without_group"] == 1
    assert found["details"]["samples"] == len(given) - 1


def test_a_figure_without_a_value_says_so() -> None:
    given = [{**one, "words": 0} for one in records()]
    found = figure("sum(record.edits) / sum(record.words)", given)
    assert found["value"] is None
    assert found["reason"]


def test_a_group_without_a_value_is_left_out() -> None:
    given = [{**one, "words": 0 if one["figure"] == "f1" else 1} for one in records()]
    found = figure("mean(per(record.figure, sum(record.edits) / sum(record.words)))", given)
    assert found["details"]["without_value"] == 1
    assert found["units"] == found["details"]["groups"] - 1


def test_unscored_records_bound_a_figure_that_goes_one_way() -> None:
    given = [*records(10), {"reference": "a", "figure": "f1"}]
    rights = sum(map(right, given[:10]))
    found = figure("sum(score) / count()", given)
    assert found["value"] == rights / 10
    assert found["bounds"] == [rights / 11, (rights + 1) / 11]
    assert found["details"] == {"not_counted": 1, "why_not": {"no score": 1}}
    assert figure("1 - mean(score)", given)["bounds"] == [1 - (rights + 1) / 11, 1 - rights / 11]
    grouped = figure("mean(per(record.figure, min(score)))", given)
    assert grouped["bounds"] is not None
    assert grouped["bounds"][0] <= grouped["value"] <= grouped["bounds"][1]


def test_a_figure_that_may_go_either_way_has_no_bounds_and_says_why() -> None:
    given = [*records(10), {"reference": "a"}]
    found = figure("mean(score) * (1 - mean(score))", given)
    assert found["bounds"] is None
    assert found["bounds_reason"] == "a higher score may raise the figure or lower it"


def test_what_no_score_moves_needs_no_bounds() -> None:
    given = [*records(10), {"reference": "a", "edits": 1, "words": 2}]
    found = figure("sum(record.edits) / sum(record.words)", given)
    assert found["bounds"] is None
    assert "bounds_reason" not in found
    assert found["units"] == 11


# ---- the same numbers everywhere


FORMULAS = [
    {"wer": "sum(record.edits) / sum(record.words)"},
    {"perplexity": "exp(-sum(record.logprob) / sum(record.words))"},
    {"rmse": "sqrt(mean(record.logprob * record.logprob))"},
    {"figures": "mean(per(record.figure, min(score)))"},
    {"nested": "mean(per(record.document, mean(per(record.figure, max(record.logprob)))))"},
    {"mixed": "mean(per(record.figure, mean(record.logprob))) + mean(score)"},
    {"vote": "mean(per(record.figure, majority(record.vote, record.logprob)))"},
    {"least": "min(record.logprob) + sum(score)"},
    {"worst": "max(per(record.figure, mean(record.logprob)))"},
    {"test": "if(mean(score) > 0.3, exp(mean(record.logprob)), 0)"},
]


@pytest.mark.parametrize("more", [{}, {"intervals": {"cluster": "document"}}, {"by": ["flag"]}])
def test_any_order_and_number_of_processes_give_the_same_bits(more: dict[str, Any]) -> None:
    given = [*records(300), {"id": "no score", "reference": "a", "edits": "x"}]
    spec = task(*FORMULAS, **more)
    whole = scoring.evaluate(spec, given)
    shuffled = [*given]
    random.Random(5).shuffle(shuffled)
    for again in (
        scoring.evaluate(spec, shuffled),
        scoring.evaluate(spec, given, processes=2),
        scoring.evaluate(spec, given, batch_size=7),
    ):
        assert again.summary["metrics"] == whole.summary["metrics"]
        assert again.summary["by"] == whole.summary["by"]


# ---- mistakes


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("score", "`score` is of each record, and this figure is of many"),
        ("2 * score", "`score` is of each record, and this figure is of many"),
        ("1 + 1", "this adds nothing up"),
        ("mean(scor)", "there is no field `scor`"),
        ("avg(score)", "formulas over a data set have no function `avg`"),
        ("per(record.figure, min(score))", "`per` has a figure for each group, which something must add up"),
        ("mean(per(record.figure))", "`per` takes a key and a figure of each group"),
        ("mean(per(record.figure, score))", "`score` is of each record, and this figure is of many"),
        ("mean(per(1, min(score)))", "this is the same for all records"),
        ("mean(count(score))", "`count` adds up records, and here is one"),
        ("majority(score)", "`majority` takes an answer and a number"),
        ("count(score, score)", "`count` takes one condition, or nothing"),
        ("mean(score >= 2)", "this condition can never hold"),
        ("mean(item.x)", "there is no `item` in this formula"),
        ("sum(record.a", "is never closed"),
    ],
)
def test_a_mistake_is_told_where_it_stands(formula: str, told: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task({"it": formula})
    assert any(told in one.message for one in refused.value.diagnostics), refused.value


def test_passed_needs_the_key_pass() -> None:
    spec = {**TASK, "metrics": [{"it": "count(passed)"}]}
    del spec["pass"]
    with pytest.raises(scoring.SpecError, match="the key `pass` is missing"):
        scoring.load(spec)


def test_a_column_that_no_record_has_is_found_before_the_run() -> None:
    with pytest.raises(scoring.SpecError, match="no record has `edit`, which the metric `it` reads"):
        scoring.evaluate(task({"it": "sum(record.edit) / sum(record.words)"}), records())


@pytest.mark.parametrize("name", ["", " wer", "a\nb", "x" * 200])
def test_a_name_can_be_read(name: str) -> None:
    with pytest.raises(scoring.SpecError):
        task({name: "mean(score)"})


def test_one_name_has_one_figure() -> None:
    with pytest.raises(scoring.SpecError, match="twice"):
        task({"it": "mean(score)"}, {"it": "sum(score)"})
    with pytest.raises(scoring.SpecError, match="twice"):
        task("mean", {"mean": "sum(score)"})


# ---- names for metrics that there are


def test_a_metric_may_have_a_name_of_its_own() -> None:
    given = records()
    run = scoring.evaluate(task({"half": "accuracy(threshold=0.5)"}, "accuracy(threshold=0.5)"), given)
    named, plain = run.summary["metrics"]
    assert named["metric"] == "half"
    assert named["formula"] == plain["metric"] == "accuracy(threshold=0.5)"
    assert named["value"] == plain["value"]


def test_a_path_into_the_parsed_answer_is_a_column() -> None:
    given = [{"response": json.dumps({"n": place}), "reference": {"n": 0}} for place in range(4)]
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "parse": "json", "fields": {"n": "equal"}}
    assert scoring.evaluate({**spec, "metrics": [{"it": "sum(parsed.n)"}]}, given).metrics == {"it": 6.0}


def test_the_meaning_holds_the_formula_and_not_its_spelling() -> None:
    meanings = [
        scoring.load({**TASK, "metrics": [{name: formula}]}).signature.meaning
        for name, formula in (
            ("a", "sum(score)/count()"),
            ("b", "sum( score ) / count()"),
            ("a", "sum(score) * count()"),
        )
    ]
    assert meanings[0] == meanings[1] != meanings[2]


@pytest.mark.parametrize(
    "formula", ["sum(score) / sum(record.none)", "exp(mean(record.huge))", "log(sum(record.none))"]
)
def test_a_formula_without_a_value_says_so_where_records_count(formula: str) -> None:
    rows = [{"id": place, "response": "a", "reference": "a", "none": 0, "huge": 1e6} for place in range(5)]
    found = figure(formula, rows)
    assert (found["value"], found["units"]) == (None, 5)
    assert found["reason"] == "its formula has no value, as where it divides by 0 or exceeds the range of numbers"


def test_a_metric_that_shares_its_name_with_a_step_takes_its_own_keys_as_a_mapping() -> None:
    one = {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "metrics": [{"mean": {"field": "a"}}],
        "fields": {"a": "equal", "b": "equal"},
    }
    rows = [{"id": 1, "response": {"a": "x", "b": "x"}, "reference": {"a": "x", "b": "y"}}]
    assert scoring.evaluate(one, rows).summary["metrics"][0]["value"] == 1.0


@pytest.mark.parametrize(
    "metric", ["mean(sum(score))", "sum(mean(score))", "count(max(score))", "mean(1 + min(passed))"]
)
def test_one_score_of_a_record_is_not_added_up_within_the_record(metric: str) -> None:
    with pytest.raises(scoring.SpecError, match=r"`(sum|mean|max|min)` adds up records, and here is one"):
        task({"m": metric})


def test_a_list_of_a_record_may_be_added_up_within_it() -> None:
    found = scoring.evaluate(task({"m": "mean(sum(record.parts))"}), [{**records(1)[0], "parts": [1, 2, 3]}])
    assert found.metrics["m"] == 6.0
