"""Calls for hosts that hold the parts of many records: trainers, evaluation harnesses."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import numpy as np
import pytest

import scoring
from scoring import MISSING
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import use_judge
from tests.unit.api.test_host_calls import KEYED, NUMBERS, TASK, foreign, missing


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


def test_columns_of_data_frames_have_no_answer_where_they_have_none() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for column in (
        pandas.Series(["a", None]),
        pandas.Series(["a", pandas.NA], dtype="string"),
        polars.Series(["a", None]),
    ):
        found = TASK.score_columns(column, ["a", "b"])
        assert found.reasons == {1: "the record has no response"}


def test_a_worker_takes_the_values_of_others() -> None:
    with NUMBERS.worker(seconds=20) as worker:
        assert worker.score({"id": np.int64(7), "response": np.float64(3), "reference": np.int64(3)}).id == 7
        assert worker.score_parts(np.nan, 3).reason == "the record has no response"
        assert worker.score_columns(np.array([3, 4]), np.array([3, 5])).scores.tolist() == [1, 0]


def test_columns_take_the_numbers_of_others() -> None:
    for number in foreign():
        assert NUMBERS.score_columns([number], [number], ids=[number]).scores.tolist() == [1.0]


def test_what_is_missing_for_others_is_missing_in_columns() -> None:
    for nothing in missing():
        found = NUMBERS.score_columns([nothing, 3], [3, nothing])
        assert found.statuses == ["unscored", "unscored"]
        assert found.reasons == {0: "the record has no response", 1: "the record has no reference"}
