"""A suite scores every record by its own task, whatever the layout of the data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data.rows.report import InputReport
from scoring.errors import InputError
from scoring.extensions.suites.results import read_results
from scoring.extensions.suites.run import recompute
from tests.extensions.suites.world import CHESS, DATA, SCORES, compiled, make, metrics, rows, run, scores


def test_one_file_with_a_task_column(tmp_path: Path) -> None:
    done = run(compiled(make(tmp_path)), rows(tmp_path / "data.jsonl", DATA))
    assert scores(done) == SCORES
    assert metrics(done)["macro"] == pytest.approx((2 / 3 + 0.5 + 1) / 3)
    assert metrics(done)["micro"] == pytest.approx(4 / 6)


@pytest.mark.parametrize("column", ["name", "task_name", "meta.which"])
def test_the_column_that_names_the_task(tmp_path: Path, column: str) -> None:
    outer, _, inner = column.partition(".")
    data = [
        {**{k: v for k, v in row.items() if k != "task"}, outer: {inner: row["task"]} if inner else row["task"]}
        for row in DATA
    ]
    more = {"data": {"task": column}} if inner else {}
    assert scores(run(compiled(make(tmp_path, **more)), rows(tmp_path / "data.jsonl", data))) == SCORES


def test_rows_that_hold_the_records_of_a_task(tmp_path: Path) -> None:
    nested = [{"task": name, "answers": [row for row in DATA if row["task"] == name]} for name in SCORES]
    done = run(compiled(make(tmp_path, data={"records": "answers"})), rows(tmp_path / "data.jsonl", nested))
    assert scores(done) == SCORES
    assert done.places["sums"] == ["line 2 record 1", "line 2 record 2"]


def test_a_folder_with_a_file_for_each_task(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "chess").mkdir(parents=True)
    parts = {name: [row for row in DATA if row["task"] == name] for name in SCORES}
    rows(data / "capitals.jsonl", parts["capitals"])
    rows(data / "chess" / "answers.jsonl", parts["chess"])
    with gzip.open(data / "sums.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in parts["sums"])
    rows(data / "history.jsonl", parts["sums"])
    report = InputReport()
    done = run(compiled(make(tmp_path)), data, report=report)
    assert scores(done) == SCORES
    assert report.to_json() == {"unknown_tasks": {"count": 1, "examples": ["history.jsonl"]}}


def test_two_files_for_one_task_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows(data / "sums.jsonl", DATA)
    (data / "sums.csv").write_text("id\n1\n")
    with pytest.raises(InputError, match=r"it is unclear which is the data of sums: sums.jsonl, sums.csv"):
        run(compiled(make(tmp_path)), data)


def test_a_folder_without_any_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with pytest.raises(InputError, match="no file in it has the name of a task"):
        run(compiled(make(tmp_path)), tmp_path / "data")


def test_references_apart_are_joined_within_each_task(tmp_path: Path) -> None:
    answers = rows(tmp_path / "answers.jsonl", [{k: v for k, v in row.items() if k != "reference"} for row in DATA[1:]])
    gold = rows(tmp_path / "gold.jsonl", [{k: v for k, v in row.items() if k != "response"} for row in DATA])
    report = InputReport()
    done = run(compiled(make(tmp_path)), answers, gold, report)
    # Ids repeat between tasks; only the first record of `capitals` has no answer.
    assert scores(done) == {**SCORES, "capitals": 0.5}
    assert report.to_json()["missing_predictions"] == {"count": 1, "examples": ["1"]}
    assert done.tasks[0].coverage == pytest.approx(2 / 3)


def test_what_belongs_to_no_task_is_told(tmp_path: Path) -> None:
    extra: list[dict[str, Any]] = [{"task": "history", "id": 1}, {"id": 5}]
    data = rows(tmp_path / "data.jsonl", [*DATA[:3], *extra])
    with data.open("a") as file:
        file.write("{broken\n")
    report = InputReport()
    done = run(compiled(make(tmp_path)), data, report=report)
    assert scores(done) == {"capitals": 0.5, "sums": 1.0, "chess": None}
    found = report.to_json()
    assert found["unknown_tasks"]["examples"] == ["history (line 4)"]
    assert found["no_task"]["count"] == 2
    assert found["tasks_without_data"]["examples"] == ["chess"]
    assert done.tasks[1].reason == "no data"
    assert done.summary["coverage"] == pytest.approx(2 / 3)


def test_repeated_ids_count_within_a_task_only(tmp_path: Path) -> None:
    report = InputReport()
    run(compiled(make(tmp_path)), rows(tmp_path / "data.jsonl", [*DATA, DATA[1]]), report=report)
    assert report.to_json() == {"repeated_ids": {"count": 1, "examples": ["1 (line 7)"]}}


def test_processes_batches_and_order_change_nothing(tmp_path: Path) -> None:
    suite = compiled(make(tmp_path, by=["eval_type"]))
    first = run(suite, rows(tmp_path / "data.jsonl", DATA))
    other = run(suite, rows(tmp_path / "reversed.jsonl", DATA[::-1]), processes=2, batch_size=2)
    assert other.summary == first.summary
    assert [one.score for one in first.records["capitals"]] == [1.0, 0.0, 1.0]
    assert [one.score for one in other.records["capitals"]] == [1.0, 0.0, 1.0]


def test_the_context_of_a_task_reaches_its_records(tmp_path: Path) -> None:
    score = "within(absolute=context.margin)"
    spec = {"kind": "task", "name": "near", "record": {"context": "eval_context"}, "score": score}
    tasks = rows(tmp_path / "tasks.jsonl", [{"task_name": "near", "spec": spec, "eval_context": {"margin": 2}}])
    data = [
        {"task": "near", "id": 1, "response": 5, "reference": 7},
        {"task": "near", "id": 2, "response": 5, "reference": 7, "eval_context": {"margin": 1}},
        {"task": "near", "id": 3, "response": 5, "reference": 7, "eval_context": None},
    ]
    done = run(compiled(make(tmp_path), tasks=tasks), rows(tmp_path / "data.jsonl", data))
    assert [one.score for one in done.records["near"]] == [1.0, 0.0, 1.0]


def test_a_record_that_never_reached_its_task_follows_its_policy(tmp_path: Path) -> None:
    path = make(tmp_path, data={"records": "answers"})
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nscore: equal\non_error: zero\n")
    data = rows(
        tmp_path / "data.jsonl",
        [
            {"task": "sums", "answers": [{"id": 1, "response": 4, "reference": 4}, "no record"]},
            {"task": "capitals", "answers": [{"id": 1, "response": "Paris", "reference": "Paris"}, "no record"]},
        ],
    )
    done = run(compiled(path), data)
    assert [(one.score, one.status) for one in done.records["sums"]] == [(1.0, "scored"), (0.0, "unscored")]
    assert [(one.score, one.status) for one in done.records["capitals"]] == [(1.0, "scored"), (None, "unscored")]


def test_the_run_folder_and_the_way_back(tmp_path: Path) -> None:
    suite = compiled(make(tmp_path, by=["eval_type"]))
    done = run(suite, rows(tmp_path / "data.jsonl", DATA))
    folder = scoring.evaluate(tmp_path / "suite.json", tmp_path / "data.jsonl").write(tmp_path / "run")
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json",
        "scores.jsonl",
        "summary.json",
        "task_results.json",
        "texts.json",
    ]
    lines = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    assert [(line["task"], line["id"], line["score"]) for line in lines if line["task"] == "sums"] == [
        ("sums", 1, 1.0),
        ("sums", 2, 0.0),
    ]
    again = recompute(suite, read_results(folder / "task_results.json", InputReport()))
    assert again.summary == done.summary
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["spec"]["tasks"]) == set(SCORES)
    assert manifest["signature"] == suite.signature


def test_a_seed_moves_intervals_and_is_signed(tmp_path: Path) -> None:
    data = [{"task": "sums", "id": n, "response": str(n % 5 % 2), "reference": 1} for n in range(40)]
    path = make(tmp_path)
    task = tmp_path / "tasks" / "sums.yaml"
    task.write_text(task.read_text() + "intervals: {method: percentile, resamples: 101, confidence: 0.9}\n")
    suite = compiled(path)
    first = run(suite, rows(tmp_path / "data.jsonl", [*DATA, *data]))
    other = run(suite.seeded(5), tmp_path / "data.jsonl")
    assert other.suite.signature == suite.signature.replace("|seed:0", "|seed:5")
    assert metrics(first) == metrics(other)
    assert first.tasks[2].metrics != other.tasks[2].metrics


def test_a_task_score_of_the_suite_goes_before_the_tasks_own(tmp_path: Path) -> None:
    tasks = rows(tmp_path / "tasks.jsonl", [{"task_name": "chess", "metrics": json.dumps(CHESS)}])
    suite = compiled(make(tmp_path, score="accuracy(threshold=0.5)"), tasks=tasks)
    done = run(suite, rows(tmp_path / "data.jsonl", [row for row in DATA if row["task"] == "chess"]))
    assert done.tasks[0].metrics[0]["metric"] == "accuracy(threshold=0.5)"
