"""A run: the same bytes whatever the batches, the processes and the order; bad records marked, never dropped."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.data.rows.batch import Batch, Item
from scoring.engine.road.evaluate import DIED, Options
from scoring.engine.road.run import run_batches
from scoring.errors import InputError
from tests.unit.engine.fake import FakeTask, run_records

RECORDS: list[dict[str, Any]] = [
    {"id": "a", "response": "x", "reference": "x", "kind": "k"},
    {"id": "b", "response": "y", "reference": "x", "kind": ["k", "l"]},
    {"id": "c", "response": "boom", "reference": "x", "kind": "l"},
    {"id": "d", "response": "nan", "reference": "x", "kind": None},
    {"id": "e", "response": "\ud800", "reference": "\ud800", "kind": "k"},
]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("scores.jsonl", "summary.json")}


def test_a_run_counts_everything() -> None:
    run = run_records(FakeTask(), RECORDS)
    assert run.summary["counts"] == {
        "records": 5,
        "scored": 3,
        "not_applicable": 0,
        "unparsed": 0,
        "unscored": 2,
        "with_score": 3,
        "not_parsed": 0,
    }
    assert run.metrics["mean_score"] == 2 / 3
    assert run.summary["metrics"][0]["bounds"] == [2 / 5, 4 / 5]
    assert run.summary["coverage"] == 0.6
    assert [reason["reason"] for reason in run.summary["reasons"]] == [
        "the score is nan, not a finite number",
        "this can't be computed: it would divide by 0",
    ]
    assert {group["group"]: group["counts"]["records"] for group in run.summary["by"]["kind"]} == {
        "k": 3,
        "l": 2,
        None: 1,
    }


def test_one_record_that_fails_does_not_spoil_its_batch() -> None:
    run = run_records(FakeTask(), RECORDS, options=Options(batch_size=5))
    assert [record.status for record in run.records] == ["scored", "scored", "unscored", "scored", "scored"]


def test_items_with_a_problem_are_unscored_and_keep_their_group() -> None:
    batch = Batch.of([Item("a", "line 1", RECORDS[0], "no prediction"), Item(None, "line 2", None, "line 2: not JSON")])
    run = run_batches(FakeTask(), [batch])
    assert [record.reason for record in run.records] == ["no prediction", "line 2: not JSON"]
    assert run.records[0].attributes == {"kind": "k"}
    assert run.summary["metrics"][0]["value"] is None


def test_a_record_that_kills_its_process_is_reported() -> None:
    records = [*RECORDS, {"id": "z", "response": "die", "reference": "x"}, *RECORDS]
    run = run_records(FakeTask(), records, options=Options(processes=2, batch_size=4))
    assert [record.reason for record in run.records if record.id == "z"] == [DIED]
    assert len(run.records) == 11


@pytest.mark.property
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(RECORDS), min_size=1, max_size=40), st.integers(1, 50), st.integers(1, 3))
def test_batches_and_processes_change_no_byte(
    tmp_path: Path, records: list[Mapping[str, Any]], batch_size: int, processes: int
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    run_records(FakeTask(), records).write(one, force=True)
    run_records(FakeTask(), records, options=Options(processes, batch_size)).write(other, force=True)
    assert folder_bytes(one) == folder_bytes(other)


@pytest.mark.property
@settings(max_examples=25)
@given(st.lists(st.sampled_from(RECORDS), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_no_figure(records: list[Mapping[str, Any]], chance: random.Random) -> None:
    shuffled = chance.sample(records, len(records))
    one, other = (dict(run_records(FakeTask(), given).summary) for given in (records, shuffled))
    odd, odd_other = one.pop("inputs"), other.pop("inputs")  # whose examples name places
    assert json.dumps(one) == json.dumps(other)
    assert {kind: found["count"] for kind, found in odd.items()} == {
        kind: found["count"] for kind, found in odd_other.items()
    }


def test_the_run_folder_holds_strict_json(tmp_path: Path) -> None:
    run_records(FakeTask(), RECORDS).write(tmp_path / "run")
    lines = (tmp_path / "run" / "scores.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "b", "c", "d", "e"]
    assert json.loads(lines[3])["score"] == {"$float": "nan"}
    assert json.loads(lines[4])["parsed"] == "\ud800"
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert manifest["signature"] == FakeTask.signature
    assert set(manifest["digests"]) == {"spec", "program", "packs"}
    assert str(tmp_path) not in json.dumps(manifest)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    run = run_records(FakeTask(), RECORDS)
    with pytest.raises(InputError, match=r"is not empty; choose another folder or add --force"):
        run.write(tmp_path)
    run.write(tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text() == "keep"
    assert (tmp_path / "manifest.json").exists()


def test_a_file_of_no_run_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text("mine")
    run = run_records(FakeTask(), RECORDS)
    with pytest.raises(InputError, match=r"scores\.jsonl belongs to no run: there is no manifest\.json next to it"):
        run.write(tmp_path, force=True)
    assert (tmp_path / "scores.jsonl").read_text() == "mine"


def test_a_run_that_fails_leaves_nothing(tmp_path: Path) -> None:
    from scoring.engine.runs.folder import RunFolder

    def crash() -> None:
        with RunFolder(tmp_path / "run") as folder, folder.scores() as writer:
            writer.write(["{}"])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_cut_off_while_it_replaces_another_leaves_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def cut_off(one: str, other: str, **folders: int) -> None:
        if not one.startswith(".scoring-"):  # what stays in `.unfinished`
            raise OSError(28, "no space left on device")
        replace(one, other, **folders)

    run = run_records(FakeTask(), RECORDS)
    run.write(tmp_path / "run")
    kept: list[bool] = []
    unlink = os.unlink

    def watched(path: str, **folders: int) -> None:
        unlink(path, **folders)
        kept.append((tmp_path / "run" / "manifest.json").exists())

    monkeypatch.setattr(os, "unlink", watched)
    monkeypatch.setattr(os, "replace", cut_off)
    with pytest.raises(InputError, match="no space left on device; free some space"):
        run.write(tmp_path / "run", force=True)
    assert kept
    assert not any(kept)
    monkeypatch.undo()
    run.write(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "manifest.json",
        "scores.jsonl",
        "summary.json",
        "texts.json",
    }


def test_a_huge_parsed_value_is_cut(tmp_path: Path) -> None:
    huge = {"id": "h", "response": "x" * 1_000_000, "reference": [["y"] * 10] * 100_000}
    run_records(FakeTask(), [huge]).write(tmp_path / "run")
    assert (tmp_path / "run" / "scores.jsonl").stat().st_size < 10_000


def test_attributes_can_be_crossed() -> None:
    class Crossed(FakeTask):
        by = ("kind x lang",)

        def attributes(self, record: Mapping[str, Any]) -> dict[str, Any]:
            return {"kind": record.get("kind"), "lang": record.get("lang")}

    records = [{**RECORDS[0], "lang": "de"}, {**RECORDS[1], "lang": ["de", "en"]}]
    groups = run_records(Crossed(), records).summary["by"]["kind x lang"]
    assert {group["group"]: group["counts"]["records"] for group in groups} == {
        "k x de": 2,
        "k x en": 1,
        "l x de": 1,
        "l x en": 1,
    }
