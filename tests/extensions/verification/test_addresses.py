"""Runs over data at addresses, and runs that lie there, scored again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import scoring
from tests.unit.api.test_addresses import ROWS, TASK


@pytest.fixture
def store() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for language, rows in (("de", ROWS[:2]), ("en", ROWS[2:])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        system.pipe(f"/verified/lang={language}/part-0.jsonl", text.encode())
    yield "memory://verified"
    system.rm("/verified", recursive=True)


def test_a_run_over_addresses_is_verified(store: str, tmp_path: Path) -> None:
    task = tmp_path / "t.yaml"
    task.write_text(TASK)
    scoring.evaluate(task, f"{store}/*/*.jsonl", output=tmp_path / "run")
    assert scoring.runs.verify(tmp_path / "run").same
    entry = json.loads((tmp_path / "run" / "manifest.json").read_text())["inputs"][1]
    assert (entry["name"], entry["kind"]) == (f"{store}/*/*.jsonl", "jsonl")
    fsspec.filesystem("memory").pipe("/verified/lang=de/part-1.jsonl", b'{"id": 9}\n')
    assert not scoring.runs.verify(tmp_path / "run").same


def test_no_run_at_an_address_is_one_clear_error() -> None:
    with pytest.raises(scoring.InputError, match="can't read memory://nothing"):
        scoring.runs.verify("memory://nothing")
