"""Runs from Python: every kind of task on files and on tables in memory, as tables and pages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.support.golden import REPOSITORY

SPECS = REPOSITORY / "specs"
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
    shutil.copytree(SPECS / "quickstart", tmp_path / "rows")
    shutil.copytree(SPECS / "examples" / "suite", tmp_path / "suite")
    shutil.copytree(SPECS / "examples" / "detection", tmp_path / "images")
    monkeypatch.chdir(tmp_path)
    return tmp_path


KINDS = {
    "rows": ("rows/invoices.yaml", "rows/invoices.jsonl"),
    "suite": ("suite/suite.yaml", "suite/predictions.jsonl"),
    "table": ("images/task.yaml", "images/results.json"),
}


def in_memory(path: str) -> list[dict[str, Any]]:
    text = Path(path).read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text) if path.endswith(".json") else [*map(json.loads, text.splitlines())]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_gives_what_its_file_gives(desk: Path, kind: str) -> None:
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    spec, data = KINDS[kind]
    references = "images/instances.json" if kind == "table" else None
    run = scoring.evaluate(spec, data, references=references)
    records = in_memory(data)
    tables = [records, iter(records), pandas.DataFrame(records)]
    if kind == "table":
        tables.append(arrow.Table.from_pylist(records))
    for table in tables:
        again = scoring.evaluate(spec, table, references=references)
        assert again.metrics == run.metrics
        assert again.kind == kind


@pytest.mark.parametrize("kind", KINDS)
def test_python_writes_the_folder_that_the_command_writes(desk: Path, kind: str) -> None:
    spec, data = KINDS[kind]
    given = [spec, data, *(["--references", "images/instances.json"] if kind == "table" else [])]
    assert main(["score", *given, "--limit", "2", "-o", "command", "--html"]) == 0
    references = "images/instances.json" if kind == "table" else None
    run = scoring.evaluate(spec, data, references=references, limit=2, output="python", html=True)
    run.write("later", html=True)
    names = {path.name for path in Path("command").iterdir()}
    for folder in ("python", "later"):
        assert {path.name for path in Path(folder).iterdir()} == names
        for name in names - {"manifest.json"}:
            assert (Path(folder) / name).read_bytes() == (Path("command") / name).read_bytes()
        assert scoring.runs.verify(folder).same
    manifests = [json.loads((Path(folder) / "manifest.json").read_text()) for folder in ("command", "python", "later")]
    settings = [{**one["settings"], "dialect": None} for one in manifests]
    assert settings[0] == settings[1] == settings[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_a_table_of_its_records(desk: Path, kind: str) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    spec, data = KINDS[kind]
    run = scoring.evaluate(spec, data, references="images/instances.json" if kind == "table" else None)
    frame, table = run.to_pandas(), run.to_arrow()
    own = ["task"] if kind == "suite" else []
    assert list(frame.columns)[: len(own) + 5] == [*own, "id", "score", "status", "reason", "passed"]
    assert table.column_names == list(frame.columns)
    assert len(frame) == table.num_rows == run.summary["counts"]["records"] if kind != "suite" else len(frame) == 11
    assert json.loads(json.dumps(run.to_json())) == json.loads(json.dumps(run.summary))
    assert repr(run).startswith(f"<Run of {run.task.name}: {len(frame)} records, ")
    assert "<table" in (run._repr_html_() or "")
    assert "<!doctype html>" in run.page().lower()


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


def test_an_audit_is_a_table_of_laws(desk: Path) -> None:
    found = scoring.audit(*KINDS["rows"])
    assert {"scorer", "law", "tried", "holds", "excepted", "is_broken", "is_advice", "broken"} == set(found.table()[0])
    assert found.passed == found.to_json()["passed"]
    assert scoring.audit(scoring.load(KINDS["rows"][0]), KINDS["rows"][1]).data == found.data
    assert scoring.audit(KINDS["table"][0]).to_json()["scorers"]
    with pytest.raises(scoring.InputError, match="there is no change `colour`"):
        scoring.audit(*KINDS["rows"], invariant=["colour"])
    with pytest.raises(scoring.InputError, match="scoring audit: a suite joins"):
        scoring.audit(*KINDS["suite"])


def test_a_record_is_explained_wherever_it_stands(desk: Path) -> None:
    first = scoring.explain(*KINDS["suite"])
    task, _, name = first.about.removeprefix("record ").partition(" of ")[0].rpartition("/")
    assert scoring.explain(*KINDS["suite"], record=f"{task}/{name}").data == first.data
    assert scoring.explain(*KINDS["suite"], record=name).data == first.data
    with pytest.raises(scoring.InputError, match="no record has the id"):
        scoring.explain(*KINDS["suite"], record=f"{task}/nowhere")
    for spec in (SPEC, scoring.load(SPEC)):
        assert scoring.explain(spec, RECORDS, record="q2").about == "record q2 of t"
    assert scoring.explain(KINDS["table"][0]).about.startswith("image ")
    assert scoring.explain("unknown-name").data["id"] == "unknown-name"


def test_one_record_is_scored_without_a_run() -> None:
    assert scoring.score(SPEC, RECORDS[0]).score == 1.0


def test_a_task_says_what_it_is() -> None:
    assert repr(scoring.load(SPEC)) == "<Task t: mean>"
    assert "&lt;Task t" in scoring.load(SPEC)._repr_html_()
