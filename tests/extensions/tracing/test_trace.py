"""The story of a record is bounded, whatever the values are."""

from __future__ import annotations

import json
from typing import Any

import pytest

import scoring
from scoring.extensions.tracing.limits import USUAL
from scoring.extensions.tracing.trace import MAX_DEPTH, show


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


VALUES = [10**6000, "x" * 10**6, nested(900), {"k" * 10**5: nested(50)}, set(range(1000)), object()]


@pytest.mark.parametrize("value", VALUES, ids=["digits", "text", "nested", "key", "set", "object"])
def test_what_is_shown_is_bounded_json(value: Any) -> None:
    text = json.dumps(show(value))
    assert len(text) < 20 * (USUAL.text + MAX_DEPTH * 10)


def test_every_stage_is_told_with_the_values_after_it() -> None:
    fields = {"a": "lower | levenshtein | zero_below(0.5)", "b": "equal"}
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields})
    story = task.score({"id": 7, "response": '{"a": "ABC"}', "reference": {"a": "abd", "b": 1}}).explain()
    assert story["parse"] == [{"stage": "json", "value": {"a": "ABC"}}]
    a, b = story["fields"]
    assert [stage["stage"] for stage in a["stages"]] == ["input", "lower", "levenshtein", "zero_below"]
    assert a["stages"][1] == {"stage": "lower", "prediction": "abc", "reference": "abd"}
    assert a["score"] == pytest.approx(2 / 3)
    assert b["stages"] == []
    assert "no field `b`" in b["reason"]


def test_calls_of_nested_pipelines_are_told() -> None:
    stages = scoring.scorer("any_of(equal, lower | equal)").explain("A", "a")
    inside = stages[-1]["inside"]
    assert [(call["text"], call["result"]) for call in inside] == [("equal", 0.0), ("lower | equal", 1.0)]


def test_a_stage_that_fails_is_the_last_one() -> None:
    stages = scoring.scorer("number | within(relative=0.1)").explain("none", "1")
    assert "prediction_error" in stages[-1]


def test_a_batch_result_says_that_it_cannot_explain() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    with pytest.raises(ValueError, match="score the record alone"):
        task.score_batch([{"response": "a", "reference": "a"}])[0].explain()
