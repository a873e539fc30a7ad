"""Of Parquet files only the columns are read that something reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring

TASK = "kind: task\nname: t\nversion: 1.0.0\nfields: {answer: equal}\nmetrics: [mean]\nby: [lang]\n"
ROWS = [{"id": str(n), "response": "a", "reference": "ab"[n % 2]} for n in range(6)]
# As in partitions, whose names say the language.
TAGGED = [{**row, "lang": "de"} for row in ROWS]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "t.yaml"
    path.write_text(TASK)
    return path


PATHS = "record: {response: out.text, weight: w, id: key}\n"


@pytest.mark.parametrize(
    ("more", "read"),
    [
        (PATHS, {"key", "out", "reference", "context", "w", "lang"}),
        ("record: {response: 'out[0]'}\n", None),
        ("record: {response: out.text}\nmetrics: [mean, {f1: {prediction: response, reference: reference}}]\n", None),
    ],
)
def test_of_parquet_only_the_columns_that_something_reads_are_read(
    more: str, read: set[str] | None, task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from scoring.data.file import InputFile

    asked = []
    watched = property(lambda self: None, lambda self, names: asked.append(names))
    monkeypatch.setattr(InputFile, "columns", watched, raising=False)
    row = {"key": 1, "out": {"text": "a"}, "reference": "a", "w": 2.0, "lang": "de", "more": "x" * 99}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "a.parquet")
    task.write_text(TASK.replace("metrics: [mean]\n", "" if "metrics" in more else "metrics: [mean]\n") + more)
    scoring.evaluate(task, tmp_path / "a.parquet")
    assert [names for names in asked if names is not None] == ([] if read is None else [read])


def test_columns_that_are_not_read_change_nothing(task: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{**row, "more": {"x": 1}} for row in TAGGED]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    some, whole = scoring.evaluate(task, tmp_path / "a.parquet"), scoring.evaluate(task, rows)
    assert (some.summary["metrics"], list(some.records)) == (whole.summary["metrics"], list(whole.records))
