"""Data in folders and behind patterns, and addresses whose credentials nobody sees."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.data.address import hidden, hide_credentials

TASK = "kind: task\nname: t\nversion: 1.0.0\nfields: {answer: equal}\nmetrics: [mean]\nby: [lang]\n"
ROWS = [{"id": str(n), "response": "a", "reference": "ab"[n % 2]} for n in range(6)]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "t.yaml"
    path.write_text(TASK)
    return path


def test_a_folder_of_partitions_is_scored_from_disk(task: Path, tmp_path: Path) -> None:
    part = tmp_path / "data" / "lang=de" / "a.jsonl"
    part.parent.mkdir(parents=True)
    part.write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    run = scoring.evaluate(task, tmp_path / "data")
    assert run.records[0].attributes == {"lang": "de"}


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
