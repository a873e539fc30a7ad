"""Details of lighteval: the response as it was post-processed, the reference in `specific` or among the choices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SAME = {"kind": "task", "name": "same", "score": "equal"}


def row(said: list[str], processed: list[str] | None, specific: Any, choices: list[str], gold: Any) -> dict[str, Any]:
    doc = {"query": "two?", "choices": choices, "gold_index": gold, "specific": specific, "id": "7"}
    return {"doc": doc, "metric": {"em": 0.0}, "model_response": {"text": said, "text_post_processed": processed}}


def details(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "details_two|0_2026.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def test_rows_are_scored_and_written_back(tmp_path: Path) -> None:
    path = details(
        tmp_path,
        row(["<think>5</think>4"], ["4"], {"id": "a", "reference": "4"}, [], []),
        row(["4"], None, {"id": "b", "reference": None}, ["5", "4"], [1]),
        row([], [], None, ["5", "4"], [0]),
    )
    out = tmp_path / "scored.parquet"
    run = scoring.evaluate(SAME, path, input_format="lighteval", write_back=out)
    assert [(one.id, one.score, one.status) for one in run.records] == [
        ("a", 1.0, "scored"), ("b", 1.0, "scored"), ("7", None, "unscored"),
    ]  # fmt: skip
    table = pq.read_table(out)
    assert table.drop_columns("scoring").equals(pq.read_table(path))
    kept = table.column("scoring").to_pylist()
    assert [one["score"] for one in kept] == [1.0, 1.0, None]
    assert kept[0]["fields"] == '{"answer":1.0}'
    assert {one["meaning"] for one in kept} == {run.signature.meaning}


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"doc": ["a"], "response": ["b"]}), path)
    with pytest.raises(InputError, match="is no details of lighteval: row 1 has no `doc` and `model_response`"):
        scoring.evaluate(SAME, path, input_format="lighteval")
