"""What says how files are read moves numbers: it is in the signature and in locks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring

SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
EMPTY = b"id,response,reference\n1,,\n2,a,a\n3,b,a\n"
FILES = {
    "empty=text": EMPTY,
    "delimiter=comma": b"response;reference;x,response,reference\na;a;x\na;a;x,b,a\n",
    "encoding=iso8859-1": b"response,reference\n\xe9,\xe9\na,a\n",
}
"""For each setting a file that gives other records by it."""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps(SPEC))
    return Path("t.json")


def by_path(data: str, **how: Any) -> Any:
    return scoring.evaluate("t.json", data, **how)


def by_data(data: str, **how: Any) -> Any:
    return scoring.evaluate(SPEC, data, **how)


def by_task(data: str, **how: Any) -> Any:
    return scoring.load("t.json").evaluate(data, **how)


@pytest.mark.parametrize("door", [by_path, by_data, by_task])
@pytest.mark.parametrize("setting", FILES)
def test_a_setting_is_in_the_signature(spec: Path, setting: str, door: Callable[..., Any]) -> None:
    run_with(setting, door)


def run_with(setting: str, door: Callable[..., Any]) -> None:
    """Write a run over a file that gives other records by a setting, and look for the setting in its signature."""
    Path("d.csv").write_bytes(FILES[setting])
    usual = scoring.evaluate("t.json", "d.csv")
    run = door("d.csv", input_format=f"csv,{setting}", output="run")
    assert [one.score for one in usual.records] != [
        one["score"] for one in map(json.loads, Path("run/scores.jsonl").read_text().splitlines())
    ]
    assert run.signature.parts["format"] == setting
    assert "format" not in usual.signature.parts
    assert run.signature.meaning != usual.signature.meaning


def test_a_setting_has_one_writing(spec: Path) -> None:
    Path("d.csv").write_bytes(b"id;response;reference\n1;a;a\n")
    lines = [
        scoring.evaluate(SPEC, "d.csv", input_format=f"csv,{how}").signature
        for how in ("delimiter=;,encoding=UTF8", "encoding=utf_8,delimiter=semicolon,empty=missing")
    ]
    assert lines[0] == lines[1]
    assert "|format:delimiter=semicolon, encoding=utf-8|" in lines[0]


# ---- locks
