"""Logs of Inspect in their documented layout, read and written back without the package."""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.hosts.logs.zip_members import ZSTD, ZipMembers
from scoring.result import Outcome

TASK = {"kind": "task", "name": "t", "score": "lower | equal", "pass": "score == 1", "metrics": ["mean", "pass_rate"]}
HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "run_id": "r",
        "task": "towns",
        "task_id": "i",
        "created": "2026-11-29T12:00:00+00:00",
        "dataset": {"samples": 2},
        "model": "house/model",
        "config": {"epochs": 1},
    },
    "plan": {},
    "results": {"total_samples": 2, "completed_samples": 2, "scores": []},
    "stats": {"model_usage": {"house/model": {}, "judge/model": {}}},
}


def sample(id: Any, said: str | None, target: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": said}
    output = {"model": "m", "choices": [] if said is None else [{"message": message}], "completion": said or ""}
    asked = {"role": "user", "content": "?"}
    messages = [asked] if said is None else [asked, message]
    return {
        "id": id,
        "epoch": epoch,
        "input": "?",
        "target": target,
        "messages": messages,
        "output": output,
        "scores": {},
        "metadata": {},
        "attachments": {},
        **more,
    }


def members_of(samples: Sequence[Any], header: Mapping[str, Any] = HEADER) -> dict[str, bytes]:
    found = {"_journal/start.json": {key: header[key] for key in ("version", "eval", "plan")}}
    for one in samples:
        found[f"samples/{one['id']}_epoch_{one['epoch']}.json"] = one
    found["summaries.json"] = [{key: one[key] for key in ("id", "epoch", "input", "target")} for one in samples]
    return {name: json.dumps(value).encode() for name, value in {**found, "header.json": header}.items()}


def archive(path: Path, members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as into:
        for name, content in members.items():
            into.writestr(name, content)
    return path


def document(path: Path, samples: Sequence[Any], header: Mapping[str, Any] = HEADER) -> Path:
    path.write_text(json.dumps({**header, "samples": samples}), "utf-8")
    return path


SAMPLES = [sample("a", "Paris", "paris", metadata={"kind": "town", "id": "own"}), sample("b", "Rome", ["oslo"])]


@pytest.fixture(params=["eval", "json"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "json":
        return document(tmp_path / "log.json", SAMPLES)
    return archive(tmp_path / "log.eval", members_of(SAMPLES))


def test_a_log_is_recognized_and_says_which_models_it_used(log: Path) -> None:
    notes: list[str] = []
    run = scoring.evaluate({**TASK, "by": ["kind", "model"]}, log, on_note=notes.append)
    assert run.metrics == {"mean": 0.5, "pass_rate": 0.5}
    assert [one.id for one in run.records] == ["a", "b"]
    assert run.records[0].attributes == {"kind": "town", "model": "house/model"}
    (note,) = (one for one in notes if "Inspect" in one)
    assert "a log of Inspect: task towns, model house/model; models beside it: `judge/model`" in note


def test_a_log_is_recognized_under_another_name(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.bin", members_of(SAMPLES))
    assert scoring.evaluate(TASK, path).metrics["mean"] == 0.5


def test_members_of_zstd_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(zstd_archive(members_of(SAMPLES)))
    assert scoring.evaluate(TASK, path).metrics["mean"] == 0.5


def zstd_archive(members: Mapping[str, bytes], *, claimed: int | None = None, frames: int = 1) -> bytes:
    """An archive as newer versions write it; `zipfile` of this Python has no such method."""
    pyarrow = pytest.importorskip("pyarrow")
    body, directory = io.BytesIO(), io.BytesIO()
    for name, content in members.items():
        step = max(1, -(-len(content) // frames))
        cut = [content[at : at + step] for at in range(0, len(content), step)]
        packed = b"".join(pyarrow.compress(one, codec="zstd", asbytes=True) for one in cut)
        size = len(content) if claimed is None else claimed
        common = struct.pack("<HHHHHLLLHH", 20, 0, ZSTD, 0, 33, zlib.crc32(content), len(packed), size, len(name), 0)
        at = body.tell()
        body.write(b"PK\x03\x04" + common + name.encode() + packed)
        tail = struct.pack("<HHHLL", 0, 0, 0, 0, at)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common + tail + name.encode())
    count, start, length = len(members), body.tell(), directory.tell()
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, count, count, length, start, 0)
    return body.getvalue() + directory.getvalue() + end


def test_a_member_of_several_frames_is_one_content() -> None:
    found = ZipMembers(io.BytesIO(zstd_archive({"a": b"0123456789" * 100}, frames=3)), "log.eval")
    assert found.read("a") == b"0123456789" * 100


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 and no directory", "damaged archive: its directory"),
        (zstd_archive({"header.json": b"x" * 900}, claimed=10), "its member `header.json`: it is not what the dir"),
        (zstd_archive({"header.json": b"{}"}, claimed=5_000_000_000 >> 1 << 1 & 0xFFFFFFFE), "5 GB|4.29 GB|705 MB"),
    ],
    ids=["no directory", "more than it claims", "too large"],
)
def test_hostile_archives_are_refused_in_one_line(
    content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORING_LIMITS", "unpacked=1MB,whole=1MB")
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as found:
        scoring.evaluate(TASK, path)
    assert "\n" not in str(found.value)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_LIMITS", "unpacked=1MB")
    path = archive(tmp_path / "log.eval", {**members_of(SAMPLES), "samples/x_epoch_1.json": b"0" * 20_000_000})
    with pytest.raises(InputError, match="20 MB unpacked; `unpacked` allows 1 MB"):
        scoring.evaluate(TASK, path)


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    content = bytearray(archive(tmp_path / "log.eval", {"a": b"x" * 5000, "b": b"y" * 9}, 0).read_bytes())
    at = content.rindex(b"PK\x01\x02")
    content[at + 20 : at + 28] = struct.pack("<LL", 5009, 5009)
    with pytest.raises(InputError, match="log: its members overlap"):
        ZipMembers(io.BytesIO(bytes(content)), "log")


def test_encrypted_members_and_other_methods_are_refused(tmp_path: Path) -> None:
    content = archive(tmp_path / "log.eval", {"header.json": b"{}"}, 0).read_bytes()
    at = content.rindex(b"PK\x01\x02")
    for place, value, message in ((8, 1, "is encrypted"), (10, 14, "by method 14, and deflate and zstd are read")):
        changed = bytearray(content)
        changed[at + place] = value
        with pytest.raises(InputError, match=message):
            ZipMembers(io.BytesIO(bytes(changed)), "log")


def test_what_is_no_log_is_told(tmp_path: Path) -> None:
    other = archive(tmp_path / "other.eval", {"a.txt": b"a"})
    with pytest.raises(InputError, match=r"is no log of Inspect: it is a zip archive without `header.json`"):
        scoring.evaluate(TASK, other)
    path = document(tmp_path / "log.json", [], {**HEADER, "eval": 7})
    with pytest.raises(InputError, match="is no log of Inspect: it has no `eval` with `samples`"):
        scoring.evaluate(TASK, path, layout="inspect")
    with pytest.raises(InputError, match=r"`response` of a log of Inspect is .*, not `answer`"):
        scoring.evaluate(
            TASK, archive(tmp_path / "a.eval", members_of(SAMPLES)), input_format="inspect,response=answer"
        )


def test_one_broken_sample_does_not_spoil_the_others(tmp_path: Path) -> None:
    members = {**members_of(SAMPLES), "samples/a_epoch_1.json": b"{", "samples/c_epoch_1.json": b"[]"}
    run = scoring.evaluate(TASK, archive(tmp_path / "log.eval", members), write_back=tmp_path / "o.json")
    assert [one.score for one in run.records] == [None, 0.0, None]
    assert "its member `samples/a_epoch_1.json`: not JSON" in str(run.records[0].reason)
    assert [one["id"] for one in json.loads((tmp_path / "o.json").read_text("utf-8"))["samples"]] == ["b"]


def test_a_log_that_is_not_finished_is_read(tmp_path: Path) -> None:
    members = members_of(SAMPLES)
    del members["header.json"], members["summaries.json"]
    run = scoring.evaluate(TASK, archive(tmp_path / "log.eval", members), write_back=tmp_path / "o.eval")
    assert run.metrics["mean"] == 0.5
    assert [one["scores"]["t"]["value"] for one in read(tmp_path / "o.eval")["samples"]] == [1.0, 0.0]


def read(path: Path) -> dict[str, Any]:
    """A log as a JSON document, with its summaries."""
    if path.suffix == ".json":
        return {"summaries": [], **json.loads(path.read_text("utf-8"))}
    with zipfile.ZipFile(path) as members:
        assert members.testzip() is None
        found = {name: json.loads(members.read(name)) for name in members.namelist()}
    samples = [value for name, value in found.items() if name.startswith("samples/")]
    return {**found["header.json"], "samples": samples, "summaries": found["summaries.json"]}


@pytest.mark.parametrize("form", ["eval", "json"])
def test_scores_are_written_back(log: Path, form: str, tmp_path: Path) -> None:
    out = tmp_path / f"scored.{form}"
    run = scoring.evaluate(TASK, log, write_back=out)
    found = read(out)
    assert [{**one, "scores": {}} for one in found["samples"]] == SAMPLES
    score = found["samples"][1]["scores"]["t"]
    assert (score["value"], score["metadata"]["status"], score.get("reason")) == (0.0, "scored", None)
    assert score["metadata"]["meaning"] == run.signature.meaning
    (results,) = found["results"]["scores"]
    low, high = run.summary["metrics"][0]["interval"]
    assert {name: one["value"] for name, one in results["metrics"].items()}.items() >= {
        "mean": 0.5, "mean_low": low, "mean_high": high, "pass_rate": 0.5,
    }.items()  # fmt: skip
    assert (results["scored_samples"], results["unscored_samples"]) == (2, 0)
    assert found["results"]["headline"] == {"scorer": "t", "score": "t", "metric": "mean"}
    if form == "eval":
        assert [one["scores"]["t"]["value"] for one in found["summaries"]] == [1.0, 0.0]
    again = tmp_path / f"again.{form}"
    scoring.evaluate(TASK, out, write_back=again)
    assert [one["name"] for one in read(again)["results"]["scores"]] == ["t", "t-1"]
    assert list(read(again)["samples"][0]["scores"]) == ["t", "t-1"]


def test_what_has_no_score_is_unscored_with_its_reason(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}}
    samples = [
        sample("error", '{"a": 1}', '{"a": 1}', error={"message": "TimeoutError()\nmore"}),
        sample("limit", None, '{"a": 1}', limit={"type": "token", "limit": 1000.0}),
        sample("none", None, '{"a": 1}'),
        sample("prose", "I don't know", '{"a": 1}'),
        sample("right", '{"a": 1}', '{"a": 1}', limit={"type": "message", "limit": 20}),
        sample("target", '{"a": 1}', ""),
    ]
    path, out = archive(tmp_path / "log.eval", members_of(samples)), tmp_path / "o.eval"
    run = scoring.evaluate(task, path, input_format="inspect,reference=json", write_back=out, layout="inspect")
    found = {one["id"]: one["scores"]["t"] for one in read(out)["samples"]}
    told = {id: (one.get("reason"), one["explanation"]) for id, one in found.items()}
    assert told == {
        "error": ("sample_error", "unscored: the sample stopped with an error: TimeoutError()"),
        "limit": ("sample_limit", "unscored: the sample was stopped by its limit (token, 1000)"),
        "none": ("no_response", "unscored: a: the record has no response"),
        "prose": ("invalid_response_format", "unparsed: no JSON object in the response (12 characters)"),
        "right": (None, ""),
        "target": ("scoring_failed", "unscored: the record has no reference"),
    }
    assert [id for id, one in found.items() if math.isnan(one["value"])] == [id for id in told if id != "right"]
    assert run.metrics == {"mean": 1.0}
    stopped = scoring.evaluate(task, path, input_format="inspect,reference=json,limited=unscored", layout="inspect")
    assert {one.id for one in stopped.records if one.score is not None} == set()


def test_epochs_are_told_apart(tmp_path: Path) -> None:
    header = {**HEADER, "eval": {**HEADER["eval"], "config": {"epochs": 2}}}  # type: ignore[dict-item]
    samples = [sample(10, "x", "x", 1), sample(9, "x", "x", 1), sample(9, "x", "y", 2)]
    path = archive(tmp_path / "log.eval", members_of(samples, header))
    run = scoring.evaluate({**TASK, "by": ["sample_id"]}, path, output=tmp_path / "run")
    assert [one.id for one in run.records] == ["9 (epoch 1)", "10 (epoch 1)", "9 (epoch 2)"]
    assert run.summary["inputs"] == {}
    assert main(["export", "inspect", str(tmp_path / "run"), "-o", str(tmp_path / "s.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines()]
    assert [(one["id"], one["epoch"], one["value"]) for one in lines] == [("9", 1, 1.0), ("10", 1, 1.0), ("9", 2, 0.0)]


def test_attachments_messages_and_nan(tmp_path: Path) -> None:
    one = sample("a", "attachment://7", "long", attachments={"7": "LONG"}, metadata={"n": math.nan, "deep": [{"m": 1}]})
    path = archive(tmp_path / "log.eval", members_of([one]))
    assert scoring.evaluate(TASK, path).metrics["mean"] == 1.0
    task = {**TASK, "record": {"response": "messages[-1].content"}, "by": ["n"]}
    assert scoring.evaluate(task, path).metrics["mean"] == 1.0
    assert scoring.evaluate(TASK, path, input_format="inspect,response=messages").metrics["mean"] == 1.0


def test_a_run_is_exported_for_precomputed_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [{"id": 1, "response": "a", "reference": "A"}, {"id": 2, "response": None, "reference": "A"}]
    scoring.evaluate({**TASK, "name": "own"}, data, output=tmp_path / "run")
    out = tmp_path / "scores.jsonl"
    assert main(["export", "inspect", str(tmp_path / "run"), "-o", str(out)]) == 0
    one, other = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert (one["id"], one["value"], one["metadata"]["task"]) == ("1", 0.0, "own")
    assert math.isnan(other["value"])
    assert other["metadata"]["unscored_reason"] == "scoring_failed"
    assert other["explanation"] == "unscored: the record has no response"
    scoring.evaluate(TASK, [data[0], data[0]], output=tmp_path / "twice")
    assert main(["export", "inspect", str(tmp_path / "twice"), "-o", str(tmp_path / "t.jsonl")]) == 2
    assert "two records have the id '1'" in capsys.readouterr().err
    assert main(["export", "inspect", str(tmp_path / "run"), "-o", str(tmp_path / "t.json")]) == 2
    assert "names end in .jsonl" in capsys.readouterr().err


def test_an_outcome_in_place_of_a_response_is_its_reason() -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}})
    why = Outcome.unscored("the sample stopped")
    assert task.score({"id": 1, "response": why, "reference": why}).status == "unscored"
