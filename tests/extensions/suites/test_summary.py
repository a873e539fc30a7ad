"""The summary follows from task results alone."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from scoring.data.rows.report import InputReport
from scoring.errors import InputError
from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.results import TaskResult, read_results, result_of
from scoring.extensions.suites.run import recompute
from scoring.packs.megabench.leaderboard import leaderboard_statistics
from tests.extensions.suites.world import compiled, metrics, rows

RESULTS = [
    TaskResult("a", 1.0, 1, 1, attributes={"eval_type": "rule", "skills": ["x", "y"], "kind": "text"}),
    TaskResult("b", 0.5, 3, 1, attributes={"eval_type": "rule", "skills": ["x"], "kind": "image"}),
    TaskResult("c", 0.25, 4, 0, attributes={"eval_type": "llm", "skills": [], "kind": "text"}),
    TaskResult("d", None, 2, 1, "no judge configured", attributes={"eval_type": "llm", "skills": ["y"]}),
]


def suite(tmp_path: Path, **more: Any) -> Suite:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps({"kind": "suite", "name": "s", **more}))
    return compiled(path, results=tmp_path / "unused.json")


def values(figures: Any) -> list[float | None]:
    return [metric["value"] for metric in figures["metrics"]]


def test_means_and_coverage(tmp_path: Path) -> None:
    found = recompute(suite(tmp_path), RESULTS).summary
    assert values(found) == [pytest.approx(1.75 / 3), pytest.approx((1 + 1.5 + 1) / 8)]
    assert found["coverage"] == 0.75
    assert found["counts"] == {
        "tasks": 4,
        "scored": 3,
        "unscored": 1,
        "records": 10,
        "records_without_score": 2,
        "records_of_scored": 8,
        "demos_of_scored": 2,
    }
    assert found["reasons"] == [{"status": "unscored", "reason": "no judge configured", "count": 1}]
    assert found["metrics"][0]["bounds"] == [1.75 / 4, 2.75 / 4]


def test_core_and_open_are_the_usual_groups(tmp_path: Path) -> None:
    groups = {group["group"]: values(group)[0] for group in recompute(suite(tmp_path), RESULTS).summary["groups"]}
    assert groups == {"core": 0.75, "open": 0.25}


def test_groups_of_the_spec(tmp_path: Path) -> None:
    wanted = {"texts": {"kind": "text"}, "x or y": {"skills": ["x", "y"]}, "nothing": {"kind": "sound"}}
    found = recompute(suite(tmp_path, groups=wanted), RESULTS).summary["groups"]
    assert [(group["group"], group["counts"]["tasks"], values(group)[0]) for group in found] == [
        ("texts", 2, 0.625),
        ("x or y", 3, 0.75),
        ("nothing", 0, None),
    ]


def test_breakdowns(tmp_path: Path) -> None:
    found = recompute(suite(tmp_path, by=["skills[]", "kind", "kind x skills[]"]), RESULTS).summary["by"]
    assert [(g["group"], g["counts"]["tasks"], values(g)[0]) for g in found["skills[]"]] == [
        ("x", 2, 0.75),
        ("y", 2, 1.0),
    ]
    assert [(g["group"], values(g)[0]) for g in found["kind"]] == [("image", 0.5), ("text", 0.625), (None, None)]
    assert [g["group"] for g in found["kind x skills[]"]] == ["image x x", "text x x", "text x y", "(none) x y"]


def test_an_attribute_that_no_task_has_is_told(tmp_path: Path) -> None:
    found = recompute(suite(tmp_path, by=["kind", "levle"]), RESULTS).summary
    assert found["inputs"] == {"empty_attributes": {"count": 1, "examples": ["levle"]}}


def test_other_metrics_over_the_tasks(tmp_path: Path) -> None:
    found = recompute(suite(tmp_path, metrics=["accuracy(threshold=0.5)", "macro"]), RESULTS)
    assert metrics(found)["accuracy(threshold=0.5)"] == pytest.approx(2 / 3)


def test_the_order_of_the_results_changes_nothing(tmp_path: Path) -> None:
    numbers = random.Random(4)
    results = [
        TaskResult(f"t{n}", numbers.random(), numbers.randrange(1, 30), attributes={"k": n % 3}) for n in range(60)
    ]
    made = suite(tmp_path, by=["k"])
    first = recompute(made, results).summary
    numbers.shuffle(results)
    assert recompute(made, results).summary == first


def test_attributes_of_a_file_win_and_gaps_are_told(tmp_path: Path) -> None:
    table = {"a": {"kind": "film", "deep": {"area": 7}}, "b": {}, "c": {}, "z": {}}
    (tmp_path / "attributes.json").write_text(json.dumps(table))
    made = suite(tmp_path, by=["kind", "area"], attributes={"path": "attributes.json", "read": {"area": "deep.area"}})
    found = recompute(made, RESULTS).summary
    assert [g["group"] for g in found["by"]["kind"]] == ["film", "image", "text", None]
    assert [g["group"] for g in found["by"]["area"]] == [7, None]
    assert found["inputs"] == {
        "tasks_without_attributes": {"count": 1, "examples": ["d"]},
        "attributes_without_task": {"count": 1, "examples": ["z"]},
    }


def test_attributes_as_rows(tmp_path: Path) -> None:
    rows(tmp_path / "attributes.jsonl", [{"task_name": "a", "kind": "film"}])
    made = suite(tmp_path, by=["kind"], attributes="attributes.jsonl")
    assert [g["group"] for g in recompute(made, RESULTS[:1]).summary["by"]["kind"]] == ["film"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('{"a": 1}', "the attributes of `a` are not an object"),
        ('[{"x": 1}]', "record 1 names no task"),
    ],
)
def test_attributes_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "attributes.json").write_text(text)
    with pytest.raises(InputError, match=message):
        suite(tmp_path, attributes="attributes.json")


def test_results_are_read_in_both_vocabularies(tmp_path: Path) -> None:
    rows(
        tmp_path / "results.jsonl",
        [
            {"task_name": "a", "mean_task_score": 0.5, "task_score": 2.0, "num_query": 4, "eval_type": "rule"},
            {"task": "b", "score": 1, "records": 2, "demos": 1, "kind": "text", "queries": [{"response": "x"}]},
            {"task": "b", "score": 0},
        ],
    )
    report = InputReport()
    first, second = read_results(tmp_path / "results.jsonl", report)
    assert (first.score, first.records, first.attributes) == (0.5, 4, {"eval_type": "rule"})
    assert (second.score, second.records, second.demos, second.attributes) == (1.0, 2, 1, {"kind": "text"})
    assert report.to_json()["repeated_tasks"] == {"count": 1, "examples": ["b (line 3)"]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"score": 1}, "names no task"),
        ({"name": "a", "score": "high"}, "score of `a`"),
        ({"name": "a", "score": float("nan")}, "not a finite number"),
        ({"name": "a", "score": True}, "score of `a`"),
        ({"name": "a", "score": 1, "num_query": -1}, "a count of `a`"),
    ],
)
def test_results_that_make_no_sense_stop_the_run(row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        result_of(row, "line 1")


def test_a_result_survives_the_way_through_json() -> None:
    for result in RESULTS:
        again = result_of(json.loads(json.dumps(result.to_json())), "")
        assert again == result


def test_the_leaderboard_counts_tasks_with_a_score(tmp_path: Path) -> None:
    found = leaderboard_statistics(recompute(suite(tmp_path, by=["skills[]"]), RESULTS).summary)
    assert found["model_summary"] == {
        "core": {"num_eval_tasks": 2, "num_eval_samples": 4, "macro_mean_score": 0.75},
        "open": {"num_eval_tasks": 1, "num_eval_samples": 4, "macro_mean_score": 0.25},
        "overall_score": pytest.approx(1.75 / 3),
    }
    assert found["keyword_stats"]["skills"]["y"] == {"count": 1, "num_samples": 2, "tasks": [], "average_score": 1.0}


def test_the_leaderboard_needs_macro(tmp_path: Path) -> None:
    found = recompute(suite(tmp_path, metrics=["micro"]), RESULTS).summary
    with pytest.raises(ValueError, match="macro"):
        leaderboard_statistics(found)


def test_intervals_of_a_suite_draw_tasks_together(tmp_path: Path) -> None:
    results = [TaskResult(f"t{n}", (n // 5) / 4, 1, 0, attributes={"meta": {"area": n // 5}}) for n in range(20)]
    alone, together = (
        recompute(suite(tmp_path, intervals={"method": "percentile", "confidence": 0.8, **cluster}), results).summary
        for cluster in ({}, {"cluster": "meta.area"})
    )
    (low, high), (lowest, highest) = (found["metrics"][0]["interval"] for found in (alone, together))
    assert (together["metrics"][0]["level"], together["intervals"]["cluster"]) == (0.8, "meta.area")
    assert highest - lowest > 1.5 * (high - low)


def test_results_of_others_are_bounded_only_where_they_lie_in_the_unit_interval(tmp_path: Path) -> None:
    far = [TaskResult("far", 25.0, 1), TaskResult("none", None, 1)]
    (figure,) = recompute(suite(tmp_path, metrics=["macro"]), far).summary["metrics"]
    assert (figure["bounds"], figure["bounds_reason"]) == (None, "the figure may lie anywhere in [-inf, inf]")
    stated = TaskResult("none", None, 1, metrics=[{"metric": "mean", "value": None, "range": [0.0, 50.0]}])
    near = [TaskResult("near", 0.5, 1), stated]
    assert recompute(suite(tmp_path, metrics=["macro"]), near).summary["metrics"][0]["bounds"] == [0.25, 25.25]
