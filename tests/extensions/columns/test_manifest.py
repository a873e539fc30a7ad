"""A manifest seals scores in columns, and knows their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.unit.engine.runs.test_folder import INVOICES, check_digests, digests, manifest_of


@pytest.mark.parametrize("how", [{"scores": "parquet"}])
def test_a_manifest_of_columns_has_the_digest_of_every_other_file(tmp_path: Path, how: dict[str, Any]) -> None:
    check_digests(tmp_path, how)


def test_the_digest_of_records_is_of_their_lines_in_order_in_any_layout(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = [json.loads(line) for line in INVOICES[1].read_text("utf-8").splitlines()]
    task = scoring.load(INVOICES[0])
    for name, records, layout in (("a", rows, "jsonl"), ("b", rows, "parquet"), ("c", rows[::-1], "jsonl")):
        task.evaluate(records).write(tmp_path / name, layout=layout)
    found = {name: manifest_of(tmp_path / name)["records"] for name in "abc"}
    assert found["a"] == {"count": len(rows), "sha256": digests(tmp_path / "a")["scores.jsonl"]}
    assert found["a"] == found["b"] != found["c"]
