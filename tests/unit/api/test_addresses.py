"""Data at addresses, in folders and behind patterns: one table, whose credentials nobody sees."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import scoring
from scoring.data.address import hidden, hide_credentials

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


def test_a_folder_of_partitions_is_scored_from_disk(task: Path, tmp_path: Path) -> None:
    part = tmp_path / "data" / "lang=de" / "a.jsonl"
    part.parent.mkdir(parents=True)
    part.write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    run = scoring.evaluate(task, tmp_path / "data")
    assert run.records[0].attributes == {"lang": "de"}


@pytest.mark.parametrize("name", ["memory://none.jsonl", "memory://none/*.jsonl", "none-*.jsonl", "nosuch://a.jsonl"])
def test_an_address_of_nothing_is_one_clear_error(task: Path, name: str) -> None:
    with pytest.raises(scoring.InputError, match="can't read") as caught:
        scoring.evaluate(task, name)
    assert "\n" not in str(caught.value)


def test_without_fsspec_the_extra_is_named(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(scoring.InputError, match=r"pip install 'scoring-dsl\[remote\]'"):
        scoring.evaluate(task, "s3://bucket/a.jsonl")


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("ftp://me:hunter2@host/a.jsonl", ["hunter2", "me"]),
        ("https://token9@host/a.jsonl", ["token9"]),
        ("https://host/a.jsonl?X-Sig=abcdef&k=1", ["abcdef"]),
    ],
)
def test_credentials_are_not_shown(address: str, secrets: list[str]) -> None:
    told = [hide_credentials(address), hidden(f"GET {address} failed for {secrets[0]}", address)]
    assert not [one for one in told for secret in secrets if secret in one]


def test_a_container_is_no_user() -> None:
    assert (
        hide_credentials("abfs://box@account.dfs.core.windows.net/a.csv")
        == "abfs://box@account.dfs.core.windows.net/a.csv"
    )


def test_a_key_that_stands_twice_makes_its_row_a_bad_one(task: Path, tmp_path: Path) -> None:
    twice, once = '"id": 1, "response": "a", "response": "b"', '"id": 2, "response": "a", "reference": "a"'
    (tmp_path / "a.jsonl").write_text(f'{{{twice}}}\n{{{once}, "lang": "de"}}\n')
    run = scoring.evaluate(task, tmp_path / "a.jsonl")
    assert [result.reason for result in run.records] == ["line 1: the key `response` appears twice", None]


def test_a_binary_file_is_told_from_bad_rows(task: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(scoring.InputError, match="it is not text, so it is not JSON Lines"):
        scoring.evaluate(task, tmp_path / "a.jsonl")


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


@pytest.fixture
def runs() -> Iterator[str]:
    yield "memory://runs/a"
    system = fsspec.filesystem("memory")
    if system.exists("/runs"):
        system.rm("/runs", recursive=True)


def test_a_run_is_written_to_an_address(task: Path, tmp_path: Path, runs: str) -> None:
    scoring.evaluate(task, TAGGED, output=tmp_path / "near")
    scoring.evaluate(task, TAGGED, output=runs)
    assert {Path(one).name for one in fsspec.filesystem("memory").ls("/runs/a", detail=False)} == {
        path.name for path in (tmp_path / "near").iterdir()
    }


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


def test_sums_hold_no_ids_in_one_process_either(task: Path, tmp_path: Path) -> None:
    rows = [*TAGGED, TAGGED[0], {**TAGGED[1], "id": 7}, {**TAGGED[1], "id": 7}]
    assert scoring.evaluate(task, rows).summary["inputs"]["repeated_ids"]["count"] == 2
    assert "repeated_ids" not in scoring.evaluate(task, rows, state="sums").summary["inputs"]


def test_the_same_fault_in_several_files_is_one_reason(task: Path, tmp_path: Path) -> None:
    for name in ("lang=de/part 1.jsonl", "lang=en/part 1.jsonl"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True)
        path.write_text('{"id": \n{"id": 1, "response": "a", "reference": "a"}\n')
    (reason,) = scoring.evaluate(task, tmp_path / "data").summary["reasons"]
    assert (reason["count"], reason["reason"][:9]) == (2, "not JSON:")


@pytest.mark.parametrize("address", ["ftp://a:b@host/a.csv", "https://host/a.csv?e=a&t=b"])
def test_a_password_of_one_letter_leaves_the_message_to_be_read(address: str) -> None:
    told = hidden(f"GET {address} failed: a bad table, b.csv is better (Authorization=b)", address)
    assert told == f"GET {hide_credentials(address)} failed: a bad table, b.csv is better (Authorization=…)"
