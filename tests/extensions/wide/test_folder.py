"""Runs in parts: kept, stopped, gone on with, merged; the same files as one process, and no part counted twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import scoring
from scoring.cli.main import main
from scoring.data.json_write import digest
from scoring.engine.road.evaluate import DIED, Lane
from scoring.engine.road.run import Scored, score_lanes
from scoring.extensions.wide import folder as wide
from scoring.extensions.wide import part
from scoring.extensions.wide import verbs as api
from tests.extensions.wide.test_part import RECORDS
from tests.unit.engine.road.test_state import SPEC

SHARED = ("scores.jsonl", "summary.json")


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "SIZE", 700)
        patch.setattr(api, "_LEAST", 1)
        yield


def written_data(folder: Path) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS) + "no json\n")
    return path


def written_spec(folder: Path) -> Path:
    path = folder / "task.json"
    path.write_text(json.dumps(SPEC))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written_data(tmp_path)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written_spec(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the data, scored by the spec."""
    folder = tmp_path_factory.mktemp("made")
    scoring.evaluate(written_spec(folder), written_data(folder), parts=folder / "parts")
    return folder / "parts"


@pytest.fixture
def parts(made: Path, tmp_path: Path) -> Path:
    """Parts that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "parts"))


def held(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in SHARED}


@pytest.mark.parametrize("how", [{"processes": 2}, {"parts": "parts"}, {"parts": "parts", "processes": 2}])
def test_a_run_in_parts_is_the_run_of_one_process(spec: Path, data: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    if "parts" in how:
        how = {**how, "parts": tmp_path / "parts"}
    scoring.evaluate(spec, data, output=tmp_path / "one")
    scoring.evaluate(spec, data, output=tmp_path / "other", keep_values=False, keep_records=False, **how)
    assert held(tmp_path / "other") == held(tmp_path / "one")
    assert scoring.runs.verify(tmp_path / "other").same


@pytest.mark.parametrize("state", ["exact", "sums"])
def test_parts_of_machines_that_know_no_other_are_merged(spec: Path, tmp_path: Path, state: Any) -> None:
    """Given a file for each part, and the task nowhere when they are joined."""
    metrics = ["mean", "pass_rate"]
    spec.write_text(json.dumps({**SPEC, "metrics": metrics}))
    lines = [json.dumps(record) + "\n" for record in RECORDS]
    (tmp_path / "whole.jsonl").write_text("".join(lines))
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("".join(lines[number * 10 : number * 10 + 10]))
        where = tmp_path / f"parts{number % 2}"
        scoring.evaluate(spec, tmp_path / f"{number}.jsonl", parts=where, part=f"{number + 1}/4", state=state)
    whole = scoring.evaluate(spec, tmp_path / "whole.jsonl", state=state).to_json()
    spec.unlink()
    merged = scoring.runs.merge([tmp_path / "parts0", tmp_path / "parts1"], tmp_path / "run").to_json()
    odd, odd_of_whole = merged.pop("inputs"), whole.pop("inputs")
    assert json.dumps(merged) == json.dumps(whole)
    if state == "exact":
        assert odd["repeated_ids"]["count"] == odd_of_whole["repeated_ids"]["count"] == 10
    assert len((tmp_path / "run" / "scores.jsonl").read_text().splitlines()) == 40


def test_a_run_that_is_killed_goes_on_where_it_stood(spec: Path, data: Path, tmp_path: Path) -> None:
    scoring.evaluate(spec, data, output=tmp_path / "one")
    parts = tmp_path / "parts"
    code = (
        "import os, signal, sys, scoring\n"
        "from scoring.extensions.wide import verbs as wide\n"
        "wide.SIZE = 700\n"
        "def kill(records, share):\n"
        "    if share > 0.4: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"how = {{'parts': {str(parts)!r}, 'output': {str(tmp_path / 'other')!r}, 'on_progress': kill}}\n"
        f"scoring.evaluate({str(spec)!r}, {str(data)!r}, **how)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.getcwd()}, check=False)
    assert ended.returncode == -signal.SIGKILL
    stood = {path: path.stat().st_mtime_ns for path in parts.glob("part-*.json")}
    assert stood
    damaged = min(stood)
    damaged.with_suffix(".jsonl").write_text("cut off")
    scoring.evaluate(spec, data, parts=parts, output=tmp_path / "other")
    assert held(tmp_path / "other") == held(tmp_path / "one")
    again = {path for path, when in stood.items() if path.stat().st_mtime_ns != when}
    assert again == {damaged}, "what stands is not scored again, what was damaged is"


@pytest.mark.parametrize("parts", [None, "parts"])
def test_a_record_that_kills_whoever_scores_it_is_one_unscored_record(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: str | None
) -> None:
    records = [{**record, "response": "die" if n == 17 else record["response"]} for n, record in enumerate(RECORDS)]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records))

    def deadly(lanes: Sequence[Lane], **how: Any) -> list[Scored]:
        batches = list(lanes[0].batches)
        if any(record.get("response") == "die" for batch in batches for record in batch.whole()):
            os._exit(9)
        return score_lanes([replace(lanes[0], batches=batches)], **how)

    monkeypatch.setattr(part, "score_lanes", deadly)
    monkeypatch.setattr(threading, "active_count", lambda: 1)  # forked, so that the workers have what stands above
    kept = {"parts": tmp_path / parts} if parts else {}
    how: dict[str, Any] = {"processes": 2, "keep_values": False, "keep_records": False, **kept}
    run = scoring.evaluate(spec, data, output=tmp_path / "run", **how)
    lines = [json.loads(line) for line in (tmp_path / "run" / "scores.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [record["id"] for record in records], "in their order"
    assert [n for n, line in enumerate(lines) if line.get("reason") == DIED] == [17]
    assert run.summary["counts"]["records"] == 40


def test_what_must_not_be_joined_is_refused_with_the_reason(spec: Path, data: Path, tmp_path: Path) -> None:
    parts, other = tmp_path / "parts", tmp_path / "other"
    scoring.evaluate(spec, data, parts=parts)
    scoring.evaluate(spec, data, parts=other, seed=5)
    copy = tmp_path / "copy"
    shutil.copytree(parts, copy)
    last = max(parts.glob("part-*.json"))
    refused: dict[str, Any] = {
        "can't be joined, they have another meaning": [parts, other],
        "part 1 is there twice": [parts, copy],
        "is not a folder of parts": [tmp_path],
    }
    for reason, given in refused.items():
        with pytest.raises(scoring.InputError, match=reason):
            scoring.runs.merge(given)
    renamed = copy / "part-00099.json"
    shutil.move(copy / last.name, renamed)
    shutil.move((copy / last.name).with_suffix(".jsonl"), renamed.with_suffix(".jsonl"))
    assert scoring.runs.merge(copy).metrics == scoring.runs.merge(parts).metrics, (
        "a part's place is in it, not in its name"
    )
    renamed.unlink()
    with pytest.raises(scoring.InputError, match=r"1 of \d+ parts are missing: \d+; score them first"):
        scoring.runs.merge(copy)
    last.write_text(last.read_text().replace('"records":', '"records": '))
    scoring.runs.merge(parts)
    last.write_text(last.read_text().replace('"exact":', '"inexact":').replace('"scored":', '"scores":'))
    with pytest.raises(scoring.InputError, match="its content does not match its digest; score it again"):
        scoring.runs.merge(parts)


def test_overlapping_inputs_are_refused(spec: Path, data: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        scoring.evaluate(spec, data, parts=tmp_path / "parts", part=f"{number}/2")
    with pytest.raises(scoring.InputError, match=r"have rows of .* in common; leave one out"):
        scoring.runs.merge(tmp_path / "parts")
    shutil.copy(data, tmp_path / "again.jsonl")
    for number, name in enumerate(["data.jsonl", "again.jsonl"], start=1):
        scoring.evaluate(spec, tmp_path / name, parts=tmp_path / "more", part=f"{number}/2")
    with pytest.raises(scoring.InputError, match="have the same content; leave one out"):
        scoring.runs.merge(tmp_path / "more")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"limit": 3}, "a limit counts records from the first"),
        ({"references": "data.jsonl"}, "predictions and references are joined as a whole"),
        ({"part": "0/3"}, "--part 0/3 is not a part"),
        ({"part": "4/3"}, "--part 4/3 is not a part"),
    ],
)
def test_what_has_no_parts_is_refused(
    spec: Path, data: Path, tmp_path: Path, more: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(scoring.InputError, match=reason):
        scoring.evaluate(spec, data, parts=tmp_path / "parts", **more)


def test_a_folder_of_something_else_is_left_alone(spec: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(scoring.InputError, match="is not empty, and is not a folder of parts"):
        scoring.evaluate(spec, data, parts=tmp_path / "mine")
    scoring.evaluate(spec, data, parts=tmp_path / "parts")
    with pytest.raises(scoring.InputError, match="holds parts of another meaning"):
        scoring.evaluate(spec, data, parts=tmp_path / "parts", seed=1)
    changed = data.read_text().replace("Paris", "PARIS")
    data.write_text(changed)
    with pytest.raises(scoring.InputError, match="the input was changed; use a new folder"):
        scoring.evaluate(spec, data, parts=tmp_path / "parts")


def test_the_head_of_parts_is_read_with_care(tmp_path: Path) -> None:
    for content in ("[]", "{}", '{"scoring_parts": 2}', '{"scoring_parts": 1, "x": 1}', "[" * 9000):
        (tmp_path / wide.HEAD).write_text(content)
        with pytest.raises(scoring.InputError, match="is not the head of parts"):
            wide.read_head(tmp_path)


def test_a_head_of_parts_with_half_a_character_is_refused(parts: Path) -> None:
    head = parts / wide.HEAD
    held = json.loads(head.read_text())
    head.write_text(json.dumps({**held, "bundle": held["bundle"] + "\ud800"}))
    with pytest.raises(scoring.InputError, match="is not the head of parts"):
        scoring.runs.merge(parts)


def test_a_part_whose_records_are_gone_is_told_without_a_path_of_this_machine(parts: Path) -> None:
    lines = max(parts.glob("part-*.jsonl"))
    lines.unlink()
    with pytest.raises(scoring.InputError, match=f"is not a complete part: {lines.name} is not there; score it again"):
        scoring.runs.merge(parts)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    return list(parquet.read_table(folder).to_pylist())


@pytest.fixture(scope="module")
def of_columns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder whose scores are a file of Parquet for each part, beside one whose scores are a single file."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("columns")
    spec, data = written_spec(folder), written_data(folder)
    scoring.evaluate(spec, data, output=folder / "one", scores="parquet")
    scoring.evaluate(spec, data, output=folder / "run", parts=folder / "parts", scores="parquet")
    return folder


@pytest.fixture
def run(of_columns: Path, tmp_path: Path) -> Path:
    """The run folder of parts of columns, which a test may change, beside the other one."""
    return Path(shutil.copytree(of_columns, tmp_path, dirs_exist_ok=True)) / "run"


def test_parts_as_parquet_are_one_data_set_and_one_run(run: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in (run / "scores").iterdir())
    assert len(names) > 3
    assert names == sorted(path.name for path in (tmp_path / "parts").glob("part-*.parquet"))
    assert not list((tmp_path / "parts").glob("*.jsonl"))
    assert rows_of(run / "scores") == rows_of(tmp_path / "one" / "scores.parquet")
    assert (run / "summary.json").read_bytes() == (tmp_path / "one" / "summary.json").read_bytes()
    assert scoring.runs.verify(run).same
    assert not scoring.compare(tmp_path / "one", run).to_json()["flip_count"]


def test_parts_as_parquet_are_merged_as_they_are(run: Path, spec: Path, data: Path, tmp_path: Path) -> None:
    merged = scoring.runs.merge(tmp_path / "parts", tmp_path / "merged")
    for name in [path.name for path in (tmp_path / "parts").glob("part-*.parquet")]:
        assert (tmp_path / "merged" / "scores" / name).read_bytes() == (run / "scores" / name).read_bytes()
    assert merged.summary == scoring.evaluate(spec, data).summary, "repeated ids are told by name there, too"
    with pytest.raises(scoring.InputError, match="hold their scores as Parquet, and stay so: leave out"):
        scoring.runs.merge(tmp_path / "parts", tmp_path / "lines", scores="jsonl")
    with pytest.raises(scoring.InputError, match="another layout of scores: parquet and jsonl"):
        scoring.evaluate(spec, data, parts=tmp_path / "parts")
    max((tmp_path / "parts").glob("*.parquet")).write_bytes(b"PAR1")
    with pytest.raises(scoring.InputError, match=r"part-\d+.parquet is not what was written; score it again"):
        scoring.runs.merge(tmp_path / "parts")


@pytest.mark.usefixtures("parts")
def test_lines_of_parts_are_merged_to_a_single_parquet_file(spec: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(scoring.InputError, match="--scores parquet needs a run folder"):
        scoring.runs.merge(tmp_path / "parts", scores="parquet")
    scoring.runs.merge(tmp_path / "parts", tmp_path / "run", scores="parquet")
    scoring.evaluate(spec, data, output=tmp_path / "one", scores="parquet")
    assert rows_of(tmp_path / "run" / "scores.parquet") == rows_of(tmp_path / "one" / "scores.parquet")


@pytest.mark.parametrize("option", ["html", "force"])
def test_what_is_of_a_run_folder_is_refused_without_one(parts: Path, option: str) -> None:
    # Neither had an effect, and nothing was said.
    with pytest.raises(scoring.InputError, match=f"--{option} needs a run folder: add --output FOLDER"):
        scoring.runs.merge(parts, **{option: True})


def test_scores_in_parts_are_sealed(run: Path, tmp_path: Path) -> None:
    first, last = min((run / "scores").iterdir()), max((run / "scores").iterdir())
    held = last.read_bytes()
    shutil.copy(first, run / "scores" / "part-00999.parquet")
    with pytest.raises(scoring.InputError, match=r"scores/part-00999\.parquet is not one of its parts"):
        scoring.runs.verify(run)
    (run / "scores" / "part-00999.parquet").unlink()
    shutil.copy(first, last)
    with pytest.raises(scoring.InputError, match=f"scores/{last.name} is not what was written"):
        scoring.compare(run, tmp_path / "one")
    last.unlink()
    with pytest.raises(scoring.InputError, match=f"scores/{last.name} is not there"):
        scoring.compare(run, tmp_path / "one")
    last.write_bytes(held)
    manifest = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(manifest.replace(last.name, "../../one/scores.parquet"))
    with pytest.raises(scoring.InputError, match=r"manifest\.json is not one of a run"):
        scoring.compare(run, tmp_path / "one")


def test_a_run_of_parts_is_replaced_whole_and_nothing_else(run: Path, spec: Path, data: Path, tmp_path: Path) -> None:
    (run / "scores" / "mine.txt").write_text("keep")
    with pytest.raises(scoring.InputError, match=r"mine\.txt belongs to no run; move it elsewhere"):
        scoring.evaluate(spec, data, output=run, force=True)
    (run / "scores" / "mine.txt").unlink()
    shorter = tmp_path / "short.jsonl"
    shorter.write_text("".join(data.read_text().splitlines(keepends=True)[:8]))
    how: dict[str, Any] = {"parts": tmp_path / "few", "scores": "parquet"}
    scoring.evaluate(spec, shorter, output=run, force=True, **how)
    assert len(rows_of(run / "scores")) == 8
    scoring.evaluate(spec, shorter, output=run, force=True)
    assert not (run / "scores").exists()
    assert scoring.runs.verify(run).same


def test_a_run_folder_in_parts_that_was_cut_off_is_taken_up(run: Path, of_columns: Path, tmp_path: Path) -> None:
    spec, data = of_columns / "task.json", of_columns / "data.jsonl"
    (run / "manifest.json").unlink()
    with pytest.raises(scoring.InputError, match=r"scores belongs to no run: there is no manifest\.json next to it"):
        scoring.evaluate(spec, data, output=run, force=True)
    for path in [*run.glob("*.json"), *(run / "scores").glob("part-0000[2-9]*")]:
        path.unlink()
    (run / ".unfinished").mkdir()
    (run / ".unfinished" / "published.json").write_text('{"names": ["scores", "summary.json", "manifest.json"]}')
    scoring.evaluate(spec, data, output=run, parts=tmp_path / "parts", scores="parquet")
    assert rows_of(run / "scores") == rows_of(tmp_path / "one" / "scores.parquet")
    assert not (run / ".unfinished").exists()


@pytest.mark.usefixtures("run")
def test_scores_in_parts_go_to_an_address_and_come_from_there(spec: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    there = "memory://parted/scores"  # a run folder of that name, too
    scoring.runs.merge(tmp_path / "parts", there)
    assert scoring.runs.verify(there).same
    assert not scoring.compare(there, tmp_path / "one").to_json()["flip_count"]
    shorter = tmp_path / "short.jsonl"
    shorter.write_text("".join(data.read_text().splitlines(keepends=True)[:8]))
    scoring.evaluate(spec, shorter, output=there, force=True, parts=tmp_path / "few", scores="parquet")
    assert scoring.runs.verify(there).same


def test_a_folder_of_parquet_goes_in_and_one_comes_out(spec: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    records = [{**record, "kind": str(record["kind"]), "weight": 1.5} for record in RECORDS]
    for number in range(3):
        path = tmp_path / "data" / f"part-{number}.parquet"
        path.parent.mkdir(exist_ok=True)
        parquet.write_table(pyarrow.Table.from_pylist(records[number * 10 : number * 10 + 10]), path)
    given = [str(spec), str(tmp_path / "data"), "--parts", str(tmp_path / "parts"), "--scores", "parquet"]
    assert main(["score", *given, "-o", str(tmp_path / "run")]) == 0
    assert [row["id"] for row in rows_of(tmp_path / "run" / "scores")] == [str(one["id"]) for one in records[:30]]
    assert main(["verify", str(tmp_path / "run")]) == 0
    assert main(["merge", str(tmp_path / "parts"), "-o", str(tmp_path / "merged")]) == 0
    assert main(["compare", str(tmp_path / "run"), str(tmp_path / "merged")]) == 0


def test_data_that_changed_while_a_process_goes_on_is_not_taken_for_the_data_of_before(
    spec: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import Table, parquet

    data, parts = tmp_path / "data.parquet", tmp_path / "parts"
    for response in "xy":
        row = {"id": 1, "response": response, "reference": "x", "kind": "a", "tags": ["x"]}
        parquet.write_table(Table.from_pylist([row]), data)
        if response == "x":
            scoring.evaluate(spec, data, parts=parts)
    with pytest.raises(scoring.InputError, match="the input was changed"):
        scoring.evaluate(spec, data, parts=parts)


def test_a_head_that_was_half_written_hinders_nobody(spec: Path, data: Path, tmp_path: Path) -> None:
    """Its writer was killed, or is another machine that makes the same folder right now."""
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / f".{wide.HEAD}.77.partial").write_bytes(b"{")
    assert scoring.evaluate(spec, data, parts=parts).to_json()["counts"]["records"] == len(RECORDS) + 1


@pytest.mark.parametrize(
    ("name", "value"), [("of", "3"), ("of", [1]), ("bundle", None), ("bundle", {}), ("inputs", [1]), ("settings", 1)]
)
def test_a_head_with_other_values_is_refused(parts: Path, name: str, value: Any) -> None:
    head = json.loads((parts / wide.HEAD).read_text())
    (parts / wide.HEAD).write_text(json.dumps({**head, name: value}))
    with pytest.raises(scoring.InputError, match="is not the head of parts"):
        scoring.runs.merge(parts)


def test_missing_parts_of_any_number_are_told(spec: Path, data: Path, tmp_path: Path) -> None:
    scoring.evaluate(spec, data, parts=tmp_path / "parts", part=f"2/{10**12}")
    with pytest.raises(scoring.InputError, match=r"parts are missing: 1, 3, 4, 5, 6, 7, 8, 9, 10, 11 …"):
        scoring.runs.merge(tmp_path / "parts")


@pytest.mark.parametrize(
    ("name", "value"), [("state", {}), ("state", None), ("inputs", [1]), ("ids", "AAAA"), ("rows", {}), ("place", -1)]
)
def test_a_part_with_other_values_is_refused_though_its_digest_is_right(parts: Path, name: str, value: Any) -> None:
    path = parts / "part-00001.json"
    held = json.loads(path.read_text()) | {name: value}
    del held["sha256"]
    path.write_text(json.dumps({**held, "sha256": digest(held)}))
    with pytest.raises(scoring.InputError, match="score it again"):
        scoring.runs.merge(parts)


@pytest.mark.parametrize("by", [[], [*SPEC["by"], "reference"]])
def test_parts_of_other_breakdowns_are_not_gone_on_with(spec: Path, data: Path, tmp_path: Path, by: list[str]) -> None:
    """The meaning of the scores is the same, but their states are of other groups."""
    scoring.evaluate(spec, data, parts=tmp_path / "parts")
    spec.write_text(json.dumps({**SPEC, "by": by}))
    with pytest.raises(scoring.InputError, match="holds parts of other breakdowns: "):
        scoring.evaluate(spec, data, parts=tmp_path / "parts")


def test_parts_that_read_other_answers_are_not_joined(spec: Path, data: Path, tmp_path: Path) -> None:
    """The meaning of the scores is the same, but the numbers are of other answers."""
    scoring.evaluate(spec, data, parts=tmp_path / "one", part="1/2")
    spec.write_text(json.dumps({**SPEC, "record": {**SPEC["record"], "response": "reference"}}))
    message = r"other record\.response: response and reference"
    with pytest.raises(scoring.InputError, match=message):
        scoring.evaluate(spec, data, parts=tmp_path / "one", part="2/2")
    scoring.evaluate(spec, data, parts=tmp_path / "two", part="2/2")
    with pytest.raises(scoring.InputError, match=message):
        scoring.runs.merge([tmp_path / "one", tmp_path / "two"])
