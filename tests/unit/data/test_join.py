"""Joining predictions and references: every oddity is counted, none is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.data.rows.batch import Item, single
from scoring.data.rows.join import join_by_id
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row, blocks_of


def identify(record: dict[str, Any]) -> Any:
    return record.get("id")


def ids_of(records: Sequence[dict[str, Any]]) -> list[Any]:
    return list(map(identify, records))


def row(number: int, **record: Any) -> Row:
    return Row(f"line {number}", record)


def joined(predictions: list[Row], references: list[Row]) -> tuple[list[Item], dict[str, Any]]:
    report = InputReport()
    return list(join_by_id(predictions, references, identify, report)), report.to_json()


def test_a_pair_becomes_one_record_with_both_rows() -> None:
    items, report = joined([row(1, id=1, answer="x")], [row(1, id="1", gold="y")])
    assert report == {}
    assert items[0].id == "1"
    assert items[0].record == {
        "id": "1",
        "answer": "x",
        "gold": "y",
        "prediction": {"id": 1, "answer": "x"},
        "reference": {"id": "1", "gold": "y"},
    }


def test_missing_and_surplus_ids() -> None:
    items, report = joined([row(1, id="b"), row(2, id="z")], [row(1, id="a", kind="k"), row(2, id="b")])
    assert [(item.id, item.problem) for item in items] == [("a", "no prediction"), ("b", None)]
    assert items[0].record == {"id": "a", "kind": "k"}
    assert report == {
        "missing_predictions": {"count": 1, "examples": ["a"]},
        "surplus_predictions": {"count": 1, "examples": ["z"]},
    }


def test_repeated_predictions_count_once() -> None:
    items, report = joined([row(1, id="a", answer=1), row(2, id="a", answer=2)], [row(1, id="a")])
    assert items[0].record is not None
    assert items[0].record["answer"] == 1
    assert report["repeated_predictions"] == {"count": 1, "examples": ["a (line 2, first in line 1)"]}


def test_two_different_references_leave_the_record_unscored() -> None:
    items, report = joined([row(1, id="a")], [row(1, id="a", gold=1), row(2, id="a", gold=2), row(3, id="a", gold=1)])
    assert [item.problem for item in items] == ["two different references for this id: line 1 and line 2"]
    assert report["repeated_references"]["count"] == 1


def test_bad_rows_on_either_side() -> None:
    items, report = joined(
        [Row("line 1", None, "not JSON"), Row("line 2", {"x": 1}), row(3, id="a")],
        [row(1, id="a"), Row("line 2", None, "not JSON"), Row("line 3", {"gold": 1})],
    )
    assert [item.problem for item in items] == [
        None,
        "reference line 2: not JSON",
        "reference line 3: no id to join by",
    ]
    assert report["bad_predictions"] == {"count": 2, "examples": ["line 1: not JSON", "line 2: no id"]}
    assert report["bad_rows"]["count"] == 1
    assert report["no_id"]["count"] == 1


def test_a_key_of_both_files_is_the_references_and_is_reported() -> None:
    items, report = joined([row(1, id="a", gold="mine")], [row(1, id="a", gold="true")])
    assert items[0].record is not None
    assert items[0].record["gold"] == "true"
    assert report["shared_keys"]["examples"] == ["gold (id a)"]


def test_one_file_scores_repeated_ids_and_reports_them() -> None:
    report = InputReport()
    blocks = blocks_of([row(1, id="a"), row(2, id="a"), Row("line 3", None, "not JSON")])
    (batch,) = single(blocks, ids_of, report)
    assert batch.problems == {2: "line 3: not JSON"}
    assert report.to_json()["repeated_ids"] == {"count": 1, "examples": ["a (line 2)"]}


def test_examples_are_bounded() -> None:
    report = InputReport()
    for number in range(1000):
        report.add("bad_rows", f"line {number}" + "x" * 1000)
    found = report.to_json()["bad_rows"]
    assert found["count"] == 1000
    assert len(found["examples"]) == 10
    assert len(found["examples"][0]) == 200
