"""Calls for hosts that hold the parts of records: trainers, evaluation harnesses."""

from __future__ import annotations

import asyncio
import decimal
import json
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import scoring
from scoring import MISSING
from scoring.api import GivenData
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import use_judge
from scoring.result import Outcome

TASK = scoring.load({"kind": "task", "name": "t", "score": "lower | equal", "pass": "score > 0.5"})
SWITCH = "switch(on=record.kind, a=lower | equal, b=equal)"
NO_CASE = "nothing says which case it is (cases: a, b); write `default=` for such records"
KEYED = scoring.load(
    {
        "kind": "task",
        "name": "keyed",
        "record": {"kind": "meta.kind", "weight": "w"},
        "fields": {
            "exact": {"score": "equal", "prediction": "@", "reference": "@"},
            "loose": {"score": SWITCH, "prediction": "@", "reference": "@"},
        },
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


def test_a_result_of_parts_explains_itself() -> None:
    story = TASK.score_parts("A", "a", id=3).explain()
    assert (story["id"], story["response"], story["score"]) == (3, "A", 1.0)


@pytest.mark.parametrize("made", [list, tuple, lambda values: np.array(values, dtype=object)])
def test_columns_are_of_any_kind(made: Any) -> None:
    found = TASK.score_columns(made(["a", "B", None]), made(["a", "a", "a"]), ids=made([1, 2, 3]))
    assert found.ids == [1, 2, 3]
    assert found.scores.dtype == np.float64
    np.testing.assert_array_equal(found.scores, [1, 0, np.nan])
    assert found.statuses == ["scored", "scored", "unscored"]
    assert found.passed == [True, False, None]
    assert found.reasons == {2: "the record has no response"}
    assert found.fields["answer"].tolist()[:2] == [1, 0]
    assert repr(found) == "<Columns: 3 answers, 2 scored>"


def test_columns_of_arrow_and_pandas_are_taken_and_given() -> None:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    found = TASK.score_columns(pandas.Series(["a", "B"]), arrow.array(["a", "a"]))
    table = found.to_arrow()
    assert table.schema.names == ["id", "score", "status", "reason", "passed", "answer"]
    assert table.column("score").to_pylist() == [1.0, 0.0]
    assert found.to_pandas()["passed"].tolist() == [True, False]


def test_a_score_that_is_none_is_null_in_arrow() -> None:
    pytest.importorskip("pyarrow")
    assert TASK.score_columns(["a"], [MISSING]).to_arrow().to_pylist() == [
        {"id": 0, "score": None, "status": "unscored", "reason": "the record has no reference", "passed": None}
        | {"answer": None}
    ]


@pytest.mark.parametrize("name", ["references", "contexts", "ids", "records"])
def test_columns_of_two_lengths_are_refused_with_both(name: str) -> None:
    given: dict[str, Any] = {"references": ["a", "b"], name: [{}]}
    with pytest.raises(ValueError, match=f"2 responses do not go with 1 {name}: give one for each"):
        TASK.score_columns(["a", "b"], given.pop("references"), **given)


def test_no_answers_are_no_columns() -> None:
    found = TASK.score_columns([], [])
    assert len(found) == 0
    assert found.scores.shape == (0,)


def test_records_of_columns_give_ids_weights_and_groups() -> None:
    records = [{"id": "x", "meta": {"kind": "b"}, "w": 3}, None]
    found = KEYED.score_columns(["A", "A"], ["a", "a"], records=records)
    assert found.ids == ["x", None]
    assert list(found.results.weights) == [3, 1]
    assert found.results.attributes == {"kind": ["b", None]}
    assert found.results[0].fields["loose"].score == 0


def test_as_many_judged_records_are_under_way_as_are_awaited() -> None:
    together = threading.Barrier(12)

    def answer(question: Any) -> str:
        together.wait(60)  # breaks unless all twelve are asked at once
        return "**Score**: 8"

    async def both() -> list[scoring.RecordResult]:
        records = [{"id": n, "response": "a barn", "reference": "a barn"} for n in range(6)]
        parts = [task.ascore_parts("a barn", "a barn", id=n) for n in range(6, 12)]
        return await asyncio.gather(*map(task.ascore, records), *parts)

    task = scoring.load({"kind": "task", "name": "t", "score": "judge_rating"})
    with use_judge(ScriptedJudge(answer)):
        found = asyncio.run(both())
    assert [(one.id, one.score) for one in found] == [(n, 0.8) for n in range(12)]


def test_a_task_that_asks_nobody_is_awaited_as_well() -> None:
    assert asyncio.run(TASK.ascore_parts("A", "a")).score == 1
    assert asyncio.run(TASK.ascore_parts("A")).reason == "the record has no reference"


@pytest.mark.parametrize("column", ["ab", b"ab", {"a": 1, "b": 2}, {"a", "b"}, 5, None, np.array("ab")])
def test_what_holds_no_values_in_order_is_no_column(column: object) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    with pytest.raises(ValueError, match="is no column; give a list"):
        task.score_columns(column, ["a", "b"])


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
        assert NUMBERS.score_columns([number], [number], ids=[number]).scores.tolist() == [1.0]
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
            results += NUMBERS.score_columns([record["response"]], [record["reference"]]).results
            results += NUMBERS.evaluate([{**record, "w": 1}]).records
            assert {(result.status, result.score, result.reason) for result in results} == {("unscored", None, reason)}
        assert NUMBERS.score({"response": 3, "reference": 3, "w": nothing}).weight == 1


def test_a_row_of_a_data_frame_is_a_record() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"id": [1, 2], "response": ["A", None], "reference": ["a", "b"]})
    assert [TASK.score(row).reason for _, row in frame.iterrows()] == [None, "the record has no response"]


def test_columns_of_data_frames_have_no_answer_where_they_have_none() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for column in (
        pandas.Series(["a", None]),
        pandas.Series(["a", pandas.NA], dtype="string"),
        polars.Series(["a", None]),
    ):
        found = TASK.score_columns(column, ["a", "b"])
        assert found.reasons == {1: "the record has no response"}


def test_scorers_and_parsers_take_values_of_libraries_and_leave_those_of_python() -> None:
    for number in foreign():
        if not isinstance(number, decimal.Decimal):
            assert scoring.scorer("absolute_error").score(number, np.array(1)).value == 2
    assert scoring.scorer("equal").score(np.array([1, 2]), [1, 2]).value == 1
    assert scoring.scorer("equal").score_many([np.str_("a"), np.nan], ["a", None]) == [Outcome(1.0), Outcome(1.0)]
    assert scoring.parser("lower").parse(np.str_("A")) == "a"
    assert scoring.scorer("absolute_error").score(decimal.Decimal(3), 1).status != "scored"


def test_a_worker_takes_the_values_of_others() -> None:
    with NUMBERS.worker(seconds=20) as worker:
        assert worker.score({"id": np.int64(7), "response": np.float64(3), "reference": np.int64(3)}).id == 7
        assert worker.score_parts(np.nan, 3).reason == "the record has no response"
        assert worker.score_columns(np.array([3, 4]), np.array([3, 5])).scores.tolist() == [1, 0]


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
