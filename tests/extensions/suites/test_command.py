"""`scoring score` with a suite: one command, one run folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.extensions.suites.world import DATA, make, rows
from tests.support.golden import REPOSITORY

EXAMPLE = REPOSITORY / "specs" / "examples" / "suite"

Capture = pytest.CaptureFixture[str]


def test_the_shipped_example(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    assert main(["score", str(EXAMPLE / "suite.yaml"), str(EXAMPLE / "predictions.jsonl"), "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "desk 1.0.0  4 tasks · 11 records" in shown
    assert "coverage  100%    4 scored · 1 record without a score" in shown
    assert "rooms x form          1        3      100%  0.7500  0.7500" in shown
    assert "desk/booking          3     66.7%  0.7500" in shown
    summary = json.loads((folder / "summary.json").read_text())
    scores = {task["task"]: task["score"] for task in summary["tasks"]}
    assert scores == {
        "desk/booking": 0.75,
        "desk/extension": 0.75,
        "desk/floor": pytest.approx(0.9166666666),
        "weekday": 0.5,
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [found["role"] for found in manifest["inputs"]] == ["spec", "attributes", "records"]
    assert len((folder / "scores.jsonl").read_text().splitlines()) == 11


def test_task_results_of_a_run_give_the_same_summary(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path, by=["eval_type"]), rows(tmp_path / "data.jsonl", DATA)
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["score", str(path), str(data), "-o", str(first)]) == 0
    assert main(["score", str(path), "--results", str(first / "task_results.json"), "-o", str(second)]) == 0
    one, other = (json.loads((folder / "summary.json").read_text()) for folder in (first, second))
    for figures in ("counts", "coverage", "metrics", "groups", "by", "tasks"):
        assert one[figures] == other[figures]


def test_results_that_the_spec_names_and_a_layout_of_another_tool(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    assert main(["score", str(EXAMPLE / "leaderboard.yaml"), "-o", str(folder)]) == 0
    assert "sketch           3         –       –  no judge configured" in capsys.readouterr().out
    board = json.loads((folder / "summary_and_keyword_stats.json").read_text())
    assert board["model_summary"]["core"]["macro_mean_score"] == 0.625


def test_a_large_suite_shows_the_tasks_without_a_score_only(tmp_path: Path, capsys: Capture) -> None:
    results = rows(
        tmp_path / "results.jsonl",
        [{"name": f"task{number}", "score": 0.5 if number < 25 else None, "num_query": 1} for number in range(50)],
    )
    assert main(["score", "megabench-suite", "--results", str(results)]) == 0
    shown = capsys.readouterr().out
    assert "task without a score  records" in shown
    assert "task24 " not in shown
    assert "task25 " in shown
    assert "… and 5 more in summary.json" in shown


def test_a_shipped_suite_by_its_name(tmp_path: Path, capsys: Capture) -> None:
    results = str(EXAMPLE / "task_results.json")
    assert main(["score", "megabench-suite", "--results", results, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["suite"] == {"name": "megabench", "version": "1.0.0"}


def test_a_folder_of_tasks_needs_no_suite_file(tmp_path: Path, capsys: Capture) -> None:
    make(tmp_path)
    data = rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(tmp_path / "tasks"), str(data), "--json", "--by", "eval_type"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["counts"]["scored"] == 3
    assert [group["group"] for group in summary["by"]["eval_type"]] == ["rule"]


def test_a_limit_holds_for_each_task(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path), rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(path), str(data), "--limit", "1", "--json", "--processes", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["records"] == 3


def test_a_broken_task_is_a_finding(tmp_path: Path, capsys: Capture) -> None:
    path = make(tmp_path)
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nscore: equl\n")
    assert main(["score", str(path), "data.jsonl", "--format", "concise"]) == 1
    assert "tasks/sums.yaml:3:8: error[unknown-name]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a suite needs DATA to score, or --results to be computed from"),
        (["none.jsonl"], "can't read none.jsonl: there is no such file"),
        (["data.jsonl", "--results", "r.json"], "give DATA to score or --results to compute from, not both"),
        (["--results", "none.json"], "can't read none.json: there is no such file"),
        (["data.jsonl", "--attributes", "none.json"], "can't read none.json: there is no such file"),
    ],
)
def test_refusals(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", "suite.json", *arguments]) == 2
    assert f"scoring: {message}" in capsys.readouterr().err


def test_suite_options_are_for_suites(tmp_path: Path, capsys: Capture) -> None:
    make(tmp_path)
    assert main(["score", str(tmp_path / "tasks" / "sums.yaml"), "--results", "r.json"]) == 2
    assert "is no suite" in capsys.readouterr().err


def test_data_of_other_tasks_only(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path), rows(tmp_path / "data.jsonl", [{"task": "history", "id": 1}])
    folder = tmp_path / "run"
    assert main(["score", str(path), str(data), "-o", str(folder)]) == 2
    assert "the data holds no record of any task of the suite" in capsys.readouterr().err
    assert not folder.exists()


def test_the_dialect_of_a_suite_of_native_tasks_is_refused_at_its_place(tmp_path: Path, capsys: Capture) -> None:
    path = make(tmp_path, dialect="megabench")
    data = rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(path), str(data)]) == 0, "one task is a file of another tool"
    (tmp_path / "tasks" / "chess" / "metrics.json").unlink()
    capsys.readouterr()
    assert main(["score", str(path), str(data), "--format", "concise"]) == 1
    shown = capsys.readouterr().err
    assert "suite.json:1:87: error[wrong-kind-key] the tasks of this suite are native" in shown
    assert main(["check", str(path), "--format", "concise"]) == 1
    path = make(tmp_path / "second")
    (tmp_path / "second" / "tasks" / "chess" / "metrics.json").unlink()
    assert main(["score", str(path), str(data), "--dialect", "megabench"]) == 2
    assert "so --dialect has no effect: leave it out" in capsys.readouterr().err
    tasks = str(tmp_path / "second" / "tasks")
    assert main(["score", tasks, str(data), "--min-coverage", "0"]) == 0, "a folder of native tasks names no dialect"
    assert main(["score", tasks, str(data), "--dialect", "megabench"]) == 2


def test_a_list_of_records_that_no_row_has_is_refused_at_its_place(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path, data={"records": "respons"}), rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(path), str(data)]) == 1
    shown = capsys.readouterr().err
    assert "error[no-such-path]: no row has a list in `respons`" in shown
    assert "did you mean `response`?" in shown
    assert "the rows have `task`, `id`, `response` and `reference`" in shown
