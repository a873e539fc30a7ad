"""What a manifest says of inputs is what was scored: digested as it was read, whatever became of the file meanwhile."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data.file import InputFile
from scoring.data.rows.batch import LOOKED_AT
from tests.support.formats import WRITE

SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
RECORDS = [{"id": f"q{n}", "response": "a" * (n % 3), "reference": "a"} for n in range(3000)]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def inputs(run: scoring.Run) -> dict[str, Any]:
    return {entry["role"]: entry for entry in run.inputs}


HOW: list[dict[str, Any]] = [{}, {"limit": 5}, {"processes": 2, "keep_values": False, "keep_records": False}]


@pytest.mark.parametrize("form", ["jsonl", "json"])
@pytest.mark.parametrize("how", HOW)
def test_the_digest_is_that_of_the_stored_bytes(tmp_path: Path, form: str, how: dict[str, Any]) -> None:
    check_digest(tmp_path, form, how)


def check_digest(folder: Path, form: str, how: dict[str, Any]) -> None:
    """Check the digest of records in a format that are scored in some way."""
    path = folder / f"data.{form}"
    path.write_bytes(WRITE[form](RECORDS))
    (found,) = scoring.evaluate(SPEC, path, **how).inputs
    assert found["sha256"] == sha256(path.read_bytes())
    assert found["bytes"] == path.stat().st_size
    assert "changed" not in found


def lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def packed(records: list[dict[str, Any]]) -> bytes:
    return gzip.compress(lines(records))


@pytest.mark.parametrize(("name", "write"), [("a.jsonl", lines), ("a.jsonl.gz", packed), ("a.json", WRITE["json"])])
def test_what_is_read_in_order_is_read_once(
    tmp_path: Path, name: str, write: Callable[[Any], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_read_once(tmp_path / name, write, monkeypatch)


def check_read_once(path: Path, write: Callable[[Any], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a file is digested while it is read for the records."""
    path.write_bytes(write(RECORDS))
    monkeypatch.setattr(InputFile, "_digest", lambda *_: pytest.fail("it was read again"))
    (found,) = scoring.evaluate(SPEC, path, keep_values=False).inputs
    assert found["sha256"] == sha256(path.read_bytes())


def at_once(change: Callable[[], object]) -> Callable[[int, float | None], None]:
    waiting = [change]

    def told(records: int, share: float | None) -> None:
        if waiting:
            waiting.pop()()

    return told


def test_a_file_that_is_replaced_meanwhile_leaves_the_digest_of_what_was_scored(tmp_path: Path) -> None:
    check_replaced(tmp_path)


def check_replaced(folder: Path, **how: Any) -> None:
    """Check the digest of a file that is replaced while it is scored in some way."""
    path, said = folder / "data.jsonl", list[str]()
    path.write_bytes(lines(RECORDS))
    before = path.read_bytes()
    (folder / "other").write_bytes(lines(RECORDS[::-1]))
    change = at_once(lambda: os.replace(folder / "other", path))
    options: dict[str, Any] = {"output": folder / "run", "on_progress": change, "on_note": said.append, **how}
    found = inputs(scoring.evaluate(SPEC, path, **options))["records"]
    assert (found["sha256"], found["bytes"], found["changed"]) == (sha256(before), len(before), True)
    assert said[0].startswith("in the first 1,000 records: 334 × empty answer")
    assert said[1:] == [f"{path} changed while it was read; the manifest has the digest of what was scored"]


def test_a_file_that_is_removed_meanwhile_was_scored_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(RECORDS))
    before = path.read_bytes()
    found = inputs(scoring.evaluate(SPEC, path, output=tmp_path / "run", on_progress=at_once(path.unlink)))["records"]
    assert (found["sha256"], found["bytes"], found["changed"]) == (sha256(before), len(before), True)


def test_a_file_that_grows_meanwhile_is_digested_as_far_as_it_was_scored(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(RECORDS))

    def grow() -> None:
        with path.open("ab") as file:
            file.write(lines([{"id": "late", "response": "a", "reference": "a"}]))

    run = scoring.evaluate(SPEC, path, on_progress=at_once(grow))
    assert len(run.records) == len(RECORDS) + 1
    assert inputs(run)["records"]["sha256"] == sha256(path.read_bytes())


def test_a_file_that_is_only_touched_is_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(RECORDS))
    run = scoring.evaluate(SPEC, path, on_progress=at_once(lambda: os.utime(path, (1, 1))))
    assert "changed" not in inputs(run)["records"]


def test_references_that_stand_apart_are_digested_as_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("response", "reference"):
        (tmp_path / name).write_bytes(lines([{"id": one["id"], name: one[name]} for one in RECORDS]))
    monkeypatch.setattr(InputFile, "_digest", lambda *_: pytest.fail("it was read again"))
    run = scoring.evaluate(SPEC, tmp_path / "response", references=tmp_path / "reference")
    assert {role: entry["sha256"] for role, entry in inputs(run).items()} == {
        "predictions": sha256((tmp_path / "response").read_bytes()),
        "references": sha256((tmp_path / "reference").read_bytes()),
    }


def test_a_spec_may_be_edited_while_a_run_goes_on(tmp_path: Path) -> None:
    spec, data = tmp_path / "t.json", tmp_path / "data.jsonl"
    spec.write_text(json.dumps(SPEC))
    data.write_bytes(lines(RECORDS))
    before = sha256(spec.read_bytes())
    run = scoring.evaluate(spec, data, on_progress=at_once(lambda: spec.write_text("{}")))
    assert inputs(run)["spec"]["sha256"] == before


def test_references_that_have_no_prediction_say_nothing_of_where_answers_are() -> None:
    """Ids that don't fit, or answers to the last questions alone, were refused as a wrong path of the spec."""
    spec = {**SPEC, "record": {"response": "answer"}, "by": ["lang"]}
    references = [{"id": number, "reference": "a"} for number in range(LOOKED_AT + 50)]
    answers = [{"id": number, "answer": "a", "lang": "de"} for number in range(LOOKED_AT, LOOKED_AT + 50)]
    run = scoring.evaluate(spec, answers, references=references)
    assert (run.summary["counts"]["scored"], run.summary["inputs"]["missing_predictions"]["count"]) == (50, LOOKED_AT)
    none = scoring.evaluate(spec, [{**answers[0], "id": "other"}], references=references[:2])
    assert [row["reason"] for row in none.table()] == ["no prediction", "no prediction"]
    with pytest.raises(scoring.SpecError, match="no record has `answers`"):
        scoring.evaluate({**spec, "record": {"response": "answers"}}, answers, references=references[LOOKED_AT:])
