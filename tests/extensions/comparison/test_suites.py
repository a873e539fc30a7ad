"""Runs of suites, compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.extensions.verification.read import read_run
from tests.extensions.suites.world import DATA, make, rows

Capture = pytest.CaptureFixture[str]


def test_records_of_two_tasks_are_told_apart_by_their_task(tmp_path: Path, capsys: Capture) -> None:
    """Ids repeat between tasks; a run whose tasks come in another order is still compared pair by pair."""
    path, first, second = make(tmp_path), tmp_path / "first", tmp_path / "second"
    assert main(["score", str(path), str(rows(tmp_path / "a.jsonl", DATA)), "-o", str(first)]) == 0
    assert main(["score", str(path), str(rows(tmp_path / "b.jsonl", DATA[::-1])), "-o", str(second)]) == 0
    expected = {"capitals/1", "capitals/2", "capitals/3", "chess/1", "sums/1", "sums/2"}
    assert set(read_run(str(first)).records) == expected
    assert read_run(str(first)).scores() == read_run(str(second)).scores()
    capsys.readouterr()
    assert main(["compare", str(first), str(second), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flip_count"] == 0


def test_a_run_without_records_is_not_compared(tmp_path: Path, capsys: Capture) -> None:
    path, folder = make(tmp_path), str(tmp_path / "run")
    results = rows(tmp_path / "results.jsonl", [{"name": "sums", "score": 0.5, "num_query": 2}])
    assert main(["score", str(path), "--results", str(results), "-o", folder]) == 0
    assert main(["compare", folder, folder]) == 2
    assert "holds no scores of records" in capsys.readouterr().err


def test_a_suite_is_compared_by_the_clusters_of_its_tasks(tmp_path: Path, capsys: Capture) -> None:
    areas = {"capitals": {"about": {"area": ["x"]}}, "sums": {"about": {"area": ["y"]}}, "chess": {}}
    (tmp_path / "areas.json").write_text(json.dumps(areas))
    path = make(tmp_path, attributes={"path": "./areas.json"}, intervals={"cluster": "about.area"})
    folder, data = str(tmp_path / "run"), str(rows(tmp_path / "data.jsonl", DATA))
    assert main(["score", str(path), data, "-o", folder]) == 0
    capsys.readouterr()
    assert main(["compare", folder, folder, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cluster"], found["interval"]["units"]) == ("about.area", 3)
    assert main(["compare", folder, folder, "--cluster", "nothing"]) == 2
    assert "no record has the attribute nothing; the runs have about, eval_type" in capsys.readouterr().err
