"""Runs on tables of each kind of task, and runs as tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.support.kinds_of_tasks import KINDS, copy_examples


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped examples of each kind of task."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
