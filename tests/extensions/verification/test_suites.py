"""Runs of suites, scored again."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.extensions.verification.read import read_run
from tests.extensions.suites.world import DATA, make, rows

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("what", ["data", "results", "folder"])
def test_a_run_can_be_repeated_from_its_manifest(tmp_path: Path, capsys: Capture, what: str) -> None:
    path, data = make(tmp_path, by=["eval_type"]), rows(tmp_path / "data.jsonl", DATA)
    first = tmp_path / "first"
    results = rows(tmp_path / "results.jsonl", [{"name": "sums", "score": 0.5, "num_query": 2}])
    given = {
        "data": [str(path), str(data), "--limit", "2", "--by", "kind"],
        "results": [str(path), "--results", str(results)],
        "folder": [str(tmp_path / "tasks"), str(data)],
    }[what]
    assert main(["score", *given, "-o", str(first)]) == 0
    assert (first / "scores.jsonl").exists() == (what != "results")
    found = scoring.runs.verify(first, processes=2)
    assert found.same, found


def test_a_run_that_does_not_say_how_it_was_made(tmp_path: Path) -> None:
    records = [{"task": "sums", **record} for record in DATA if record.get("task") == "sums"]
    scoring.evaluate(make(tmp_path), records or DATA).write(tmp_path / "run")
    found = scoring.runs.verify(tmp_path / "run")
    assert (found.same, found.changed) == (False, ["the records were in memory and were not kept"])


def test_the_scores_of_a_suite_are_parquet_when_asked(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path, data = make(tmp_path), rows(tmp_path / "data.jsonl", DATA)
    plain, columns = tmp_path / "plain", tmp_path / "columns"
    for folder, layout in ((plain, "jsonl"), (columns, "parquet")):
        assert main(["score", str(path), str(data), "-o", str(folder), "--scores", layout]) == 0
    assert read_run(str(columns)).scores() == read_run(str(plain)).scores()
    assert main(["verify", str(columns)]) == 0


@pytest.mark.parametrize("what", ["data", "results"])
def test_verify_runs_a_suite_again(tmp_path: Path, capsys: Capture, what: str) -> None:
    path, data, folder = make(tmp_path), rows(tmp_path / "data.jsonl", DATA), tmp_path / "run"
    results = rows(tmp_path / "results.jsonl", [{"name": "sums", "score": 0.5, "num_query": 2}])
    given = [str(data)] if what == "data" else ["--results", str(results)]
    assert main(["score", str(path), *given, "-o", str(folder)]) == 0
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 0
    expected = "6 records and every figure" if what == "data" else "every figure"
    assert capsys.readouterr().out == f"verified: {expected} came out again\nnot signed\n"


def test_a_task_that_is_another_one_by_now_leaves_a_run_as_it_was(tmp_path: Path, capsys: Capture) -> None:
    path, data, folder = make(tmp_path), rows(tmp_path / "data.jsonl", DATA), tmp_path / "run"
    assert main(["score", str(path), str(data), "-o", str(folder)]) == 0
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nparse: number\nscore: equal | invert\n")
    assert main(["verify", str(folder)]) == 0
    assert "verified: 6 records" in capsys.readouterr().out
