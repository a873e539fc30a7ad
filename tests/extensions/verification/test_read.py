"""Run folders read back: whole ones come out as they were, damaged ones are one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import scoring
from scoring.data.file import InputFile
from scoring.errors import InputError
from scoring.extensions.verification.read import read_run
from scoring.extensions.verification.verification import verify_rescored

SPEC = {"kind": "task", "name": "t", "fields": {"a": "equal"}}
MANIFEST: dict[str, Any] = {"signature": "t|seed:0", "seed": 0, "inputs": [], "settings": {}, "versions": {}}


def written(folder: Path, ids: list[str]) -> Path:
    records = [{"id": key, "response": "x", "reference": "x"} for key in ids]
    scoring.load(SPEC).evaluate(records).write(folder)
    return folder


def test_no_record_is_lost_to_an_id_that_looks_like_a_repeated_one(tmp_path: Path) -> None:
    run = read_run(str(written(tmp_path / "run", ["a", "a", "a #2", "a"])))
    assert len(run.records) == 4


def test_ids_of_any_kind_are_the_same_in_both_layouts(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    ids = [1, 1.5, True, {"a": [1]}, float("nan"), "text"]
    lines = "".join(json.dumps({"id": key, "response": "x", "reference": "x"}) + "\n" for key in ids)
    run = scoring.load(SPEC).evaluate(InputFile("a.jsonl", lines.encode()))
    run.write(tmp_path / "a")
    run.write(tmp_path / "b", layout="parquet")
    first, second = read_run(str(tmp_path / "a")), read_run(str(tmp_path / "b"))
    assert list(first.records) == ["1", "1.5", "true", '{"a":[1]}', "(line 5)", "text"]
    assert list(second.records) == list(first.records)


@pytest.mark.parametrize(
    "manifest",
    [
        [],
        None,
        {},
        {**MANIFEST, "signature": 3},
        {**MANIFEST, "inputs": {}},
        {**MANIFEST, "inputs": [{"name": "x"}]},
        {**MANIFEST, "settings": []},
        {**MANIFEST, "versions": None},
        {**MANIFEST, "inputs": ["x"]},
    ],
)
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, manifest: Any) -> None:
    folder = written(tmp_path / "run", ["a"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"can't read the run in .*: manifest\.json is not one of a run"):
        read_run(str(folder))


def test_a_summary_of_something_else_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", ["a"])
    (folder / "summary.json").write_text("[]")
    with pytest.raises(InputError, match=r"summary\.json holds no object"):
        read_run(str(folder))


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "3",
        '{"id": 1}',
        '{"id":1,"where":"","score":1,"status":"scored","fields":[],"parsed":null}',
        '{"id":1,"where":"","score":1,"status":"scored","fields":{"a":1},"parsed":null}',
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path: Path, line: str) -> None:
    folder = written(tmp_path / "run", ["a"])
    with (folder / "scores.jsonl").open("a") as lines:
        lines.write(line + "\n")
    with pytest.raises(InputError, match=r"record 2 of its scores is not one of a run"):
        read_run(str(folder))


def test_a_part_that_the_stored_summary_lacks_is_a_difference(tmp_path: Path) -> None:
    whole = read_run(str(written(tmp_path / "run", ["a"])))
    shorter = replace(whole, summary={name: part for name, part in whole.summary.items() if name != "metrics"})
    assert verify_rescored(shorter, whole).summary == ("metrics",)
    assert verify_rescored(whole, whole).same
