"""Runs compared from Python: folders, addresses, and runs in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.unit.api.test_runs import RECORDS, SPEC


def test_runs_are_compared_wherever_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    worse = [{**record, "response": "{}"} if record["id"] == 1 else record for record in RECORDS]
    first, second = scoring.evaluate(SPEC, RECORDS, output="first"), scoring.evaluate(SPEC, worse)
    found = scoring.compare(first, second)
    assert (found.difference, found.significant) == (-1.0, False)
    assert found.to_json()["runs"][0]["name"] == "the first run"
    assert [row["id"] for row in found.table()] == ["1"]
    assert scoring.compare("first", second).difference == found.difference
    assert "difference" in found.text("markdown")


def test_runs_that_measure_different_things_are_not_compared() -> None:
    other = {**SPEC, "fields": {"answer": "equal", "score": "equal"}}
    first, second = scoring.evaluate(SPEC, RECORDS), scoring.evaluate(other, RECORDS)
    with pytest.raises(scoring.runs.NotComparable) as caught:
        scoring.compare(first, second)
    assert caught.value.reasons
    assert scoring.compare(first, second, force=True).difference is not None


def test_a_run_at_an_address_is_read_from_there(tmp_path: Path) -> None:
    system = pytest.importorskip("fsspec").filesystem("memory")
    try:
        for folder in (tmp_path / "near", "memory://compared/a"):
            scoring.evaluate(SPEC, RECORDS, output=folder)
        told = scoring.compare(tmp_path / "near", "memory://compared/a").text()
    finally:
        system.rm("/compared", recursive=True)
    assert "0 better · 0 worse" in told
