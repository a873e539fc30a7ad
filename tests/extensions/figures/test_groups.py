"""Figures of groups, such as pass@k: what each rests on stands beside it wherever the figure stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring

METRICS = ["pass_at_k(k=2)", "best_of_k(k=2)", "mean_of_k"]
SPEC = {
    "kind": "task",
    "name": "samples",
    "score": "equal",
    "metrics": ["pass_at_k(k=2)", "best_of_k(k=2)", "mean_of_k"],
}


def record(key: Any, response: str | None, **more: Any) -> dict[str, Any]:
    return {**({"id": key} if key is not None else {}), "response": response, "reference": "a", **more}


# Two samples of one question, one of another, and a third whose samples have no score.
RECORDS = [record(1, "a"), record(1, "b"), record(2, "a"), record(3, None), record(3, None)]
RESTING = {"groups": 3, "left_out": 2, "samples": 2, "not_counted": 2, "why_not": {"no score": 2}}
RESTS_ON = "from 1 of 3 groups, 2 records; the others have too few records"


def details(records: list[dict[str, Any]], spec: dict[str, Any] = SPEC) -> dict[str, Any]:
    return scoring.evaluate(spec, records).summary["metrics"][0]


def test_the_details_count_groups_and_records() -> None:
    found = details(RECORDS)
    assert (found["value"], found["units"]) == (1.0, 1)
    assert found["details"] == RESTING


def test_the_terminal_and_the_page_say_it() -> None:
    run = scoring.evaluate(SPEC, RECORDS)
    assert RESTS_ON in run.text()
    assert RESTS_ON in run.page()
    assert "from 2 of 3 groups, 3 records" in run.text()  # the mean of one sample is a mean


def test_a_figure_of_all_groups_says_so_too() -> None:
    text = scoring.evaluate(SPEC, RECORDS[:2]).text()
    assert "from 1 group, 2 records" in text
    assert "too few" not in text


@pytest.mark.parametrize("layout", ["jsonl", "parquet"])
def test_the_run_folder_has_it(layout: str, tmp_path: Path) -> None:
    scoring.evaluate(SPEC, RECORDS).write(tmp_path / "run", layout=layout)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["metrics"][0]["details"] == RESTING


def test_the_groups_of_a_breakdown_say_it() -> None:
    records = [{**one, "kind": "x" if place < 2 else "y"} for place, one in enumerate(RECORDS)]
    run = scoring.evaluate({**SPEC, "by": ["kind"], "metrics": ["pass_at_k(k=2)"]}, records)
    assert "0 of 2 groups, 0 records" in run.text()
    assert "0 of 2 groups, 0 records" in run.page()


def test_records_without_an_id_are_not_one_question() -> None:
    found = details([record(None, "a"), record(None, "b"), record(1, "b"), record(1, "b")])
    assert found["value"] == 0.0
    assert found["details"] == {"groups": 1, "left_out": 0, "samples": 2, "without_group": 2}
    run = scoring.evaluate(SPEC, [record(None, "a"), record(1, "b"), record(1, "b")])
    assert "from 1 group, 2 records; 1 record in no group" in run.text()


def test_where_no_record_has_an_id_there_is_no_figure_but_a_reason() -> None:
    found = details([record(None, "a"), record(None, "a")])
    assert (found["value"], found["reason"]) == (None, "no record says which group it is in")


def test_records_without_the_named_question_are_in_none() -> None:
    spec = {**SPEC, "metrics": ['pass_at_k(k=1, question="q")']}
    found = details([record(1, "a", q="x"), record(2, "b")], spec)
    assert found["details"] == {"groups": 1, "left_out": 0, "samples": 1, "without_group": 1}


def test_records_without_an_id_are_in_no_cluster_of_a_question_either() -> None:
    spec = {**SPEC, "intervals": {"cluster": "kind"}}
    records = [
        record(None, "a", kind="x"),
        record(None, "b", kind="x"),
        *(record(n, "a", kind="y") for n in (1, 1, 2, 2)),
    ]
    found = details(records, spec)
    assert (found["value"], found["details"]["without_group"]) == (1.0, 2)


def test_what_is_not_applicable_is_no_sample() -> None:
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"x": "equal"}, "metrics": ["mean_of_k"]}
    records = [{"id": 1, "response": {"x": 1}, "reference": {"x": 1}}, {"id": 2, "response": {"x": 1}, "reference": {}}]
    assert details(records, spec)["details"] == {"groups": 1, "left_out": 0, "samples": 1}


def test_parts_of_the_data_give_the_same_groups(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    rows = [record(n // 3 if n % 7 else None, "ab"[n % 2]) for n in range(200)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = scoring.evaluate(SPEC, data).summary["metrics"]
    wide = scoring.evaluate(SPEC, data, processes=2, batch_size=7).summary["metrics"]
    assert whole == wide
    assert whole[0]["details"]["without_group"] == 29


def test_an_interval_by_clusters_is_of_the_figure_that_it_stands_beside() -> None:
    # Every question has eight right samples of one worker and a wrong one of another: 8/9, and not 1/2.
    records = [
        {
            "id": question,
            "response": "b" if sample == 8 else "a",
            "reference": "a",
            "worker": f"{question}/{sample // 8}",
        }
        for question in range(12)
        for sample in range(9)
    ]
    spec = {**SPEC, "metrics": ["mean_of_k", "pass_at_k(k=9)"]}
    by_worker, alone = (
        scoring.evaluate({**spec, **more}, records).summary["metrics"]
        for more in ({"intervals": {"cluster": "worker"}}, {})
    )
    assert by_worker[0]["value"] == pytest.approx(8 / 9)
    assert [one["interval"] for one in by_worker] == [pytest.approx(one["interval"], abs=0.02) for one in alone]


def test_questions_that_share_a_cluster_through_others_are_drawn_as_one() -> None:
    records = [
        {"id": question, "response": "ab"[question % 2], "reference": "a", "worker": (question + sample) // 2}
        for question in range(12)
        for sample in range(2)
    ]
    (found,) = scoring.evaluate(
        {**SPEC, "metrics": ["mean_of_k"], "intervals": {"cluster": "worker"}}, records
    ).summary["metrics"]
    # A chain: every question shares a worker with the next, so nothing is independent of anything.
    assert found["interval"][1] - found["interval"][0] > 0.9
