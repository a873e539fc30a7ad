"""Reading sets, lists and mappings out of answers, and comparing them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import scoring
from scoring.primitives.mappings.build import to_dict, under_key
from scoring.primitives.sequences.items import to_list
from scoring.primitives.sets.items import jaccard, set_f1, set_precision, set_recall, to_set
from scoring.result import Unparsed


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("[1, 2]", {1, 2}),
        ("a, b", {"a", "b"}),
        ("[a, b]", {"a", "b"}),
        ('["a", null]', {"a", None}),
        ("'ab'", {"ab"}),
        ("{'a': 1}", {"a"}),
        ("[[1, 2], [1, 2]]", {(1, 2)}),
        ("7", {"7"}),
        ("None", {"None"}),
        ("", set()),
        ([1, [2, {"x": [3]}]], {1, (2, frozenset({("x", (3,))}))}),
        (7, {7}),
        ({"a": 1}, {"a"}),
        ("\t[a]\n", {"a"}),
    ],
)
def test_to_set_reads_every_notation(value: Any, items: set[Any]) -> None:
    assert to_set(value) == items


@pytest.mark.parametrize("value", ["[1, 2", "(a", None, "{{1}}", "1," * 60_000])
def test_what_is_no_set_is_refused_or_empty(value: Any) -> None:
    with pytest.raises(Unparsed, match="not a set"):
        to_set(value)
    with pytest.raises(Unparsed, match="not a list"):
        to_list(value)
    assert to_set(value, failed="empty") == frozenset()
    assert to_list(value, failed="empty") == []


def test_to_list_keeps_order_and_repetition() -> None:
    assert to_list("b, a, b") == ["b", "a", "b"]
    assert to_list("(2, 1)") == [2, 1]
    assert to_list("2") == ["2"]
    assert to_list("2", bare="literal") == [2]
    assert to_list("1, b") == to_list("1, b", bare="literal") == ["1", "b"]
    assert to_list("1, 'b'") == ["1", "'b'"]
    assert to_list("True") == ["True"]
    assert to_set("1, 1, x") == {"1", "x"}
    assert to_set("1, 1", bare="literal") == {1}
    assert to_list({"z", "a"}) == ["a", "z"]
    assert to_list(True) == [True]


def test_items_of_sets() -> None:
    assert to_set(["a", "a"]) == {"a"}
    assert to_set([["a"]]) == {("a",)}


@pytest.mark.parametrize(
    ("prediction", "reference", "scores"),
    [
        ("ab", "bc", (1 / 3, 0.5, 0.5, 0.5)),
        ("", "", (1.0, 1.0, 1.0, 1.0)),
        ("a", "", (0.0, 0.0, 0.0, 0.0)),
        ("", "a", (0.0, 0.0, 0.0, 0.0)),
        ("abc", "a", (1 / 3, 1 / 3, 1.0, 0.5)),
    ],
)
def test_overlap_of_sets(prediction: str, reference: str, scores: tuple[float, ...]) -> None:
    pair = frozenset(prediction), frozenset(reference)
    assert (jaccard(*pair), set_precision(*pair), set_recall(*pair), set_f1(*pair)) == pytest.approx(scores)


def test_the_empty_side_can_be_given_a_score() -> None:
    assert set_precision(frozenset(), frozenset("a"), empty=1) == 1
    assert set_recall(frozenset("a"), frozenset(), empty=0.5) == 0.5


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{1: 'x'}", {"1": "x"}),
        ("Here: {'a': {'b': 2}}. Done [1].", {"a": {"b": 2}}),
        ({"a": 1, 2: 3}, {"a": 1, "2": 3}),
        ('{"a": "}"}', {"a": "}"}),
    ],
)
def test_to_dict_reads_every_notation(value: Any, found: dict[str, Any]) -> None:
    assert to_dict(value) == found


@pytest.mark.parametrize("value", ["[1]", "no", None, 5, "{'a': ", ["a"]])
def test_what_is_no_mapping_is_refused_or_empty(value: Any) -> None:
    with pytest.raises(Unparsed, match="not a mapping"):
        to_dict(value)
    assert to_dict(value, failed="empty") == {}


def test_shapes() -> None:
    assert under_key(1, key="k") == {"k": 1}


@pytest.mark.parametrize(
    ("expression", "pairs"),
    [
        (
            'per_key(equal, over="prediction", empty=0)',
            [({"a": 1, "b": 2}, {"a": 1}), ({}, {"a": 1}), ({"c": 1}, {"c": 1})],
        ),
        ("align(scorer=to_text | levenshtein, empty=0)", [(["ab", "c"], ["ab"]), ([], []), (["ab"], ["ax"])]),
    ],
)
def test_shares_stay_shares_in_a_batch_where_the_score_of_nothing_is_a_whole_number(
    expression: str, pairs: list[tuple[Any, Any]]
) -> None:
    scorer = scoring.scorer(expression)
    alone = [scorer.score(*pair).value for pair in pairs]
    assert alone[0] not in (0.0, 1.0)
    predictions, references = (list(column) for column in zip(*pairs, strict=True))
    assert [outcome.value for outcome in scorer.score_many(predictions, references)] == alone
    assert scorer.score_many(predictions[:1], references[:1])[0].value == alone[0]


def test_the_product_of_nothing_and_everything_is_unscored() -> None:
    fields = {"a": {"score": "absolute_error"}, "b": {"score": "equal"}}
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": "product"})
    record = {"id": 1, "response": {"a": math.inf, "b": 0}, "reference": {"a": 0, "b": 1}}
    for found in (task.score(record), task.score_batch([record, record])[0]):
        assert (found.status, found.reason) == ("unscored", "the product of 0 and an infinite score is not a number")


def test_a_field_without_weight_takes_no_part_however_far_its_score() -> None:
    fields = {"a": {"score": "absolute_error", "weight": 0}, "b": {"score": "equal"}}
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": "mean"})
    record = {"id": 1, "response": {"a": math.inf, "b": 1}, "reference": {"a": 0, "b": 1}}
    assert [one.score for one in (task.score(record), *task.score_batch([record, record]))] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("setting", [0.5, "x", None])
@pytest.mark.parametrize(
    "step", ["zero_below(threshold=context.x)", "scale(by=context.x)", "at_least(context.x, strict=true)"]
)
def test_a_great_distance_is_rescored_in_a_batch_as_it_is_alone(step: str, setting: Any) -> None:
    scorer, rows = scoring.scorer(f"absolute_error | {step}"), [{"x": setting}] * 3
    references = [0, 1.1e70, 1e300]
    alone = [scorer.score(0, reference, context=rows[0]) for reference in references]
    assert scorer.score_many([0, 0, 0], references, contexts=rows) == alone


@pytest.mark.parametrize(
    ("expression", "value", "status"), [("number", "-e2", "unparsed"), ("number", ".e5", "unparsed")]
)
def test_what_is_no_number_is_told_so(expression: str, value: Any, status: str) -> None:
    found = scoring.scorer(f"{expression} | equal").score(value, 1)
    assert found.status == status
    assert found.reason is not None
    assert "can't be computed" not in found.reason


def test_a_parameter_that_no_spec_can_hold_is_refused() -> None:
    with pytest.raises(scoring.SpecError, match="`config` of `gpt_4o_as_judge` is a `bytes` that no spec can hold"):
        scoring.scorer("megabench@1:gpt_4o_as_judge", config=b"x")


@pytest.mark.parametrize("expression", ["equal", "attempt(equal, otherwise=0.25)"])
def test_what_is_nested_too_deeply_is_unscored_in_a_batch_as_it_is_alone(expression: str) -> None:
    deep: Any = 1
    for _ in range(205):
        deep = [deep]
    scorer = scoring.scorer(expression)
    alone = [scorer.score(*pair) for pair in ((deep, 1), (1, deep), (1, 1))]
    assert [one.status for one in alone] == ["unscored", "unscored", "scored"]
    assert scorer.score_many([deep, 1, 1], [1, deep, 1]) == alone
