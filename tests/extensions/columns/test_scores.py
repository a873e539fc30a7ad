"""Scores as Parquet: what the columns hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.fake import FakeTask, run_records
from tests.unit.engine.road.test_run import RECORDS


def test_scores_as_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run_records(FakeTask(), RECORDS).write(tmp_path / "run", layout="parquet")
    rows = parquet.read_table(tmp_path / "run" / "scores.parquet").to_pylist()
    assert [row["status"] for row in rows] == ["scored", "scored", "unscored", "scored", "scored"]
    assert rows[1]["fields"] == [{"name": "answer", "score": 0.0, "status": "scored", "reason": None, "notes": None}]
    assert rows[3]["score"] != rows[3]["score"]
