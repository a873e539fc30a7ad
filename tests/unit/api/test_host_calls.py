"""Parts of records that a host holds, such as a trainer, and values as libraries hold them."""

from __future__ import annotations

import decimal
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import scoring
from scoring import MISSING
from scoring.api import GivenData
from scoring.result import Outcome

TASK = scoring.load({"kind": "task", "name": "t", "score": "lower | equal", "pass": "score > 0.5"})
SWITCH = "switch(on=record.kind, a=lower | equal, b=equal)"
NO_CASE = "nothing says which case it is (cases: a, b); write `default=` for such records"
KEYED = scoring.load(
    {
        "kind": "task",
        "name": "keyed",
        "record": {"kind": "meta.kind", "weight": "w"},
        "fields": {"exact": "equal", "loose": SWITCH},
        "by": ["kind"],
    }
)


def test_missing_is_no_reference_and_none_is_one_where_the_spec_says_so() -> None:
    assert TASK.score_parts("a", MISSING).reason == "the record has no reference"
    assert TASK.score_parts("a").reason == "the record has no reference"
    assert TASK.score_parts("a", None).reason == "the record has no reference"
    told = scoring.load({"kind": "task", "name": "t", "score": "lower | equal", "on_null": "value"})
    assert told.score_parts("a").reason == "the record has no reference"
    assert "the reference is nothing" in (told.score_parts("a", None).reason or "")


def test_missing_stays_itself_between_processes() -> None:
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert repr(MISSING) == "MISSING"


def test_parts_are_scored_as_their_record_is() -> None:
    record = {"id": 7, "response": "A", "reference": "a", "meta": {"kind": "a"}, "w": 2}
    assert KEYED.score_parts("A", "a", record=record) == KEYED.score(record)
    assert KEYED.score_parts("A", "a", record=record, id="own").id == "own"
    assert KEYED.score_parts("A", "a").fields["loose"].reason == NO_CASE


def test_a_context_is_given_or_that_of_the_record() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "switch(on=context.how, a=equal, b=lower | equal)"})
    record = {"context": {"how": "a"}}
    assert task.score_parts("A", "a", record=record).score == 0
    assert task.score_parts("A", "a", record=record, context={"how": "b"}).score == 1


NUMBERS = scoring.load(
    {"kind": "task", "name": "n", "record": {"weight": "w"}, "score": "number | within(relative=0.1)"}
)


def foreign() -> list[Any]:
    """One number as others hold it."""
    pandas, arrow, polars = map(pytest.importorskip, ("pandas", "pyarrow", "polars"))
    return [
        *(np.int64(3), np.float32(3), np.float64(3), np.array(3), decimal.Decimal("3.0")),
        *(pandas.Series([3]).iloc[0], pandas.array([3], dtype="Int64")[0], arrow.scalar(3), polars.Series([3])[0]),
    ]


def missing() -> list[Any]:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    return [math.nan, np.nan, np.float32("nan"), np.datetime64("NaT", "s"), pandas.NA, pandas.NaT, arrow.scalar(None)]


def test_numbers_of_others_are_numbers() -> None:
    for number in foreign():
        record = {"id": number, "response": number, "reference": 3, "w": number}
        for result in (NUMBERS.score(record), NUMBERS.score_batch([record])[0]):
            assert (result.score, result.weight, result.id, type(result.fields["answer"].prediction)) == (
                1,
                3,
                3,
                type(result.id),
            )
            assert json.loads(json.dumps(result.to_json()))["id"] == 3
        assert NUMBERS.score_parts(number, number, id=number, record=record).to_json()["parsed"] == 3
        run = NUMBERS.evaluate([record])
        assert json.loads(json.dumps(run.records[0].to_json()))["id"] == 3


def test_what_is_missing_for_others_is_missing() -> None:
    for nothing in missing():
        no_response, no_reference = {"response": nothing, "reference": 3}, {"response": 3, "reference": nothing}
        for record, reason in (
            (no_response, "the record has no response"),
            (no_reference, "the record has no reference"),
        ):
            results = [NUMBERS.score(record), NUMBERS.score_parts(**record), NUMBERS.score_batch([record])[0]]
            results += NUMBERS.evaluate([{**record, "w": 1}]).records
            assert {(result.status, result.score, result.reason) for result in results} == {("unscored", None, reason)}
        assert NUMBERS.score({"response": 3, "reference": 3, "w": nothing}).weight == 1


def test_a_row_of_a_data_frame_is_a_record() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"id": [1, 2], "response": ["A", None], "reference": ["a", "b"]})
    assert [TASK.score(row).reason for _, row in frame.iterrows()] == [None, "the record has no response"]


def test_scorers_and_parsers_take_values_of_libraries_and_leave_those_of_python() -> None:
    for number in foreign():
        if not isinstance(number, decimal.Decimal):
            assert scoring.scorer("absolute_error").score(number, np.array(1)).value == 2
    assert scoring.scorer("equal").score(np.array([1, 2]), [1, 2]).value == 1
    assert scoring.scorer("equal").score_many([np.str_("a"), np.nan], ["a", None]) == [Outcome(1.0), Outcome(1.0)]
    assert scoring.parser("lower").parse(np.str_("A")) == "a"
    assert scoring.scorer("absolute_error").score(decimal.Decimal(3), 1).status != "scored"


def test_contexts_of_another_length_are_told_as_such() -> None:
    # The message named references, of which there were as many as predictions.
    with pytest.raises(ValueError, match="2 predictions cannot be paired with 1 contexts"):
        scoring.scorer("equal").score_many(["a", "b"], ["a", "b"], contexts=[{}])
    with pytest.raises(ValueError, match="1 predictions cannot be paired with 2 references"):
        scoring.scorer("equal").score_many(["a"], ["a", "b"])


def test_opened_data_keep_what_was_asked_of_them() -> None:
    # A copy with opened files had forgotten who is told of remarks.
    notes: list[str] = []
    opened = GivenData([{"response": "a", "reference": "a"}], on_note=notes.append).opened()
    assert opened.on_note == notes.append
