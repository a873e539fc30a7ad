"""Runs from Python: every kind of task on files and on tables in memory, as tables and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.support.kinds_of_tasks import KINDS, copy_examples

SPEC = {
    "kind": "task",
    "name": "t",
    "fields": {"answer": "lower | equal", "score": "equal"},
    "parse": "json",
    "by": ["kind"],
}
RECORDS: list[dict[str, Any]] = [
    {"id": 1, "response": '{"answer": "A", "score": 1}', "reference": {"answer": "a", "score": 1}, "kind": "x"},
    {"id": "q2", "response": "none", "reference": {"answer": "a", "score": 2}, "kind": "y"},
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped examples of each kind of task."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_fields_and_attributes_are_columns_and_no_name_hides_another() -> None:
    run = scoring.evaluate(SPEC, RECORDS)
    assert run.table()[0] == {
        "id": 1,
        "score": 1.0,
        "status": "scored",
        "reason": None,
        "passed": None,
        "answer": 1.0,
        "field.score": 1.0,
        "kind": "x",
    }


def test_options_make_the_same_run(desk: Path) -> None:
    spec, data = KINDS["rows"]
    told: list[tuple[int, float | None]] = []
    run = scoring.evaluate(
        spec, data, by=["doc_type"], seed=7, processes=2, batch_size=1, on_progress=lambda *done: told.append(done)
    )
    assert run.summary["seed"] == 7
    assert "doc_type" in run.summary["by"]
    assert told[-1][0] == len(run.records)
    assert scoring.load(spec, seed=7, by=["doc_type"]).evaluate(data).summary == run.summary


def test_with_a_limit_the_finished_share_is_of_the_limit(desk: Path) -> None:
    spec, data = KINDS["rows"]
    told: list[tuple[int, float | None]] = []
    scoring.evaluate(spec, data, limit=4, batch_size=1, processes=1, on_progress=lambda *done: told.append(done))
    shares = [share for _, share in told if share is not None]
    assert shares == sorted(shares)
    assert (told[-1]) == (4, 1.0)


def test_what_can_not_be_honoured_is_refused(desk: Path) -> None:
    task = scoring.load(KINDS["rows"][0])
    for given, message in (
        ({"by": ["doc_type"]}, "`by` is said when a spec is loaded"),
        ({"tasks": "suite/tasks"}, "`tasks` is said when a spec is loaded"),
        ({"html": True}, "--html needs a run folder"),
        ({"force": True}, "--force needs a run folder"),
        ({"scores": "parquet"}, "--scores parquet needs a run folder"),
        ({"input_format": "csv"}, "is of a file that is given, not of a table"),
        ({"processes": 0}, "must be at least 1"),
        ({"limit": -1}, "a limit is a number of records from 1 on, not -1"),
        ({"limit": 0}, "a limit is a number of records from 1 on, not 0"),
        ({"scores": "csv"}, "there is no layout `csv`"),
    ):
        with pytest.raises(scoring.InputError, match=message):
            task.evaluate(RECORDS, **given)
    with pytest.raises(scoring.InputError, match="is no suite"):
        scoring.evaluate(KINDS["rows"][0], KINDS["rows"][1], results="r.json")
    with pytest.raises(scoring.InputError, match="which records"):
        task.evaluate()
    with pytest.raises(TypeError, match="proceses"):
        task.evaluate(RECORDS, proceses=2)


def test_a_folder_that_is_not_free_stays_as_it_is(desk: Path) -> None:
    scoring.evaluate(SPEC, RECORDS, output="run")
    with pytest.raises(scoring.InputError, match="is not empty"):
        scoring.evaluate(SPEC, RECORDS[:1], output="run")
    assert len(Path("run/scores.jsonl").read_text().splitlines()) == 2
    scoring.evaluate(SPEC, RECORDS[:1], output="run", force=True)
    assert len(Path("run/scores.jsonl").read_text().splitlines()) == 1


def test_one_record_is_scored_without_a_run() -> None:
    assert scoring.score(SPEC, RECORDS[0]).score == 1.0


def test_a_task_says_what_it_is() -> None:
    assert repr(scoring.load(SPEC)) == "<Task t: mean>"
    assert "&lt;Task t" in scoring.load(SPEC)._repr_html_()
