"""Data and runs at addresses: files of stores are one table, and a run there is a whole one or none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
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


@pytest.fixture
def store() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for language, rows in (("de", ROWS[:2]), ("en", ROWS[2:])):
        system.pipe(f"/bench/lang={language}/part-0.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    yield "memory://bench"
    system.rm("/bench", recursive=True)


@pytest.mark.parametrize("tail", ["", "/*/*.jsonl", "/**/part-*.jsonl"])
def test_partitions_at_an_address_are_scored_as_one_table(task: Path, store: str, tail: str) -> None:
    run = scoring.evaluate(task, store + tail)
    assert run.metrics["mean"] == 0.5
    assert [part["group"] for part in run.summary["by"]["lang"]] == ["de", "en"]
    assert [result.id for result in run.records] == [row["id"] for row in ROWS]


def test_a_run_over_addresses_is_verified(task: Path, store: str, tmp_path: Path) -> None:
    scoring.evaluate(task, f"{store}/*/*.jsonl", output=tmp_path / "run")
    assert scoring.runs.verify(tmp_path / "run").same
    entry = json.loads((tmp_path / "run" / "manifest.json").read_text())["inputs"][1]
    assert (entry["name"], entry["kind"]) == (f"{store}/*/*.jsonl", "jsonl")
    fsspec.filesystem("memory").pipe("/bench/lang=de/part-1.jsonl", b'{"id": 9}\n')
    assert not scoring.runs.verify(tmp_path / "run").same


@pytest.mark.parametrize("name", ["memory://none.jsonl", "memory://none/*.jsonl", "none-*.jsonl", "nosuch://a.jsonl"])
def test_an_address_of_nothing_is_one_clear_error(task: Path, name: str) -> None:
    with pytest.raises(scoring.InputError, match="can't read") as caught:
        scoring.evaluate(task, name)
    assert "\n" not in str(caught.value)


def test_without_fsspec_the_extra_is_named(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(scoring.InputError, match=r"pip install 'scoring-dsl\[remote\]'"):
        scoring.evaluate(task, "s3://bucket/a.jsonl")


@pytest.fixture
def runs() -> Iterator[str]:
    yield "memory://runs/a"
    system = fsspec.filesystem("memory")
    if system.exists("/runs"):
        system.rm("/runs", recursive=True)


def test_a_run_is_written_to_an_address_and_read_from_there(task: Path, tmp_path: Path, runs: str) -> None:
    scoring.evaluate(task, TAGGED, output=tmp_path / "near")
    scoring.evaluate(task, TAGGED, output=runs)
    assert {Path(one).name for one in fsspec.filesystem("memory").ls("/runs/a", detail=False)} == {
        path.name for path in (tmp_path / "near").iterdir()
    }
    assert "6 records in both · 0 better · 0 worse" in scoring.compare(tmp_path / "near", runs).text()


def test_a_run_at_an_address_is_replaced_only_when_told(task: Path, runs: str) -> None:
    scoring.evaluate(task, TAGGED, output=runs)
    with pytest.raises(scoring.InputError, match="is not empty; choose another folder or add --force"):
        scoring.evaluate(task, TAGGED, output=runs)
    scoring.evaluate(task, TAGGED[:2], output=runs, force=True)
    system = fsspec.filesystem("memory")
    assert len(system.cat("/runs/a/scores.jsonl").splitlines()) == 2
    system.rm("/runs/a/manifest.json")
    with pytest.raises(scoring.InputError, match="belongs to no run"):
        scoring.evaluate(task, TAGGED, output=runs, force=True)


def test_a_run_that_fails_leaves_nothing_at_its_address(task: Path, tmp_path: Path, runs: str) -> None:
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(scoring.InputError):
        scoring.evaluate(task, tmp_path / "a.jsonl", output=runs)
    assert not fsspec.filesystem("memory").exists("/runs/a")


def test_no_run_at_an_address_is_one_clear_error() -> None:
    with pytest.raises(scoring.InputError, match="can't read memory://nothing"):
        scoring.runs.verify("memory://nothing")
