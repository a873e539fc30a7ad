"""One writer at a time at an address, and what follows when one failed."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

import scoring
from scoring.engine.runs.lock import LOCK
from tests.unit.engine.runs.test_lock import FILES, GONE, SPEC


@pytest.fixture
def store() -> Any:
    return pytest.importorskip("fsspec").filesystem("memory")


@pytest.mark.parametrize("host", ["another", os.uname().nodename])
def test_a_run_at_an_address_has_one_writer(store: Any, host: str) -> None:
    there = f"/locked/{host}"
    store.pipe(f"{there}/{LOCK}", json.dumps({"pid": GONE, "host": host, "since": "2026"}).encode())
    run, records = f"memory:/{there}", [{"id": 1, "response": "a", "reference": "a"}]
    if host == "another":
        with pytest.raises(
            scoring.InputError, match=r"is being written by process \d+ on another, since 2026; .*\.lock"
        ):
            scoring.evaluate(SPEC, records, output=run)
        store.rm_file(f"{there}/{LOCK}")
    scoring.evaluate(SPEC, records, output=run)
    names = {path.rpartition("/")[2] for path in store.ls(there, detail=False)}
    assert names == FILES


def test_two_runs_at_one_address_never_mix(store: Any) -> None:
    records = [{"id": 1, "response": "a", "reference": "a"}]
    run = "memory://locked/two"

    def other(count: int, share: float | None) -> None:
        with pytest.raises(scoring.InputError, match="is being written by process"):
            scoring.evaluate(SPEC, records, output=run)

    scoring.evaluate(SPEC, records, output=run, on_progress=other)
    assert not store.exists(f"/locked/two/{LOCK}")


def test_a_run_that_failed_while_it_moved_is_followed_by_the_next(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    records, run = [{"id": 1, "response": "a", "reference": "a"}], "memory://locked/half"
    put = type(store).put_file

    def fails(self: Any, path: str, target: str, **options: Any) -> None:
        if target.endswith("summary.json"):
            raise OSError(28, "no space left")
        put(self, path, target, **options)

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "put_file", fails)
        with pytest.raises(scoring.InputError, match=r"can't write memory://locked/half: .*no space left"):
            scoring.evaluate(SPEC, records, output=run)
    assert store.exists("/locked/half/scores.jsonl")
    scoring.evaluate(SPEC, records, output=run)
    assert store.exists("/locked/half/manifest.json")
    assert not store.exists(f"/locked/half/{LOCK}")


def test_a_run_that_replaces_another_at_an_address_leaves_none_of_its_files(store: Any) -> None:
    records, run = [{"id": 1, "response": "a", "reference": "a"}], "memory://locked/replaced"
    scoring.evaluate(SPEC, records, output=run, scores="parquet", html=True)
    first = scoring.evaluate(SPEC, [*records, {**records[0], "id": 2}], output=run, force=True)
    there = {path.rpartition("/")[2] for path in store.ls("/locked/replaced", detail=False)}
    assert "scores.jsonl" in there
    assert not there & {"scores.parquet", "report.html"}
    assert not scoring.compare(run, first).to_json()["flips"]
