"""Every road on which a pack is opened by its name obeys the lock."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import pytest

import scoring
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.locking import lock_project

RECORDS = [{"response": "abcd", "reference": "abcx"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is locked at a threshold of 0.8, and whose source has 0.5 in its next version."""
    found = project(tmp_path)
    lock_project(found)
    written(tmp_path / "shapes" / "pack.yaml", pack("1.1.0", 0.5))
    monkeypatch.chdir(found)
    return found


def mean(run: scoring.Run) -> float:
    value: float = run.summary["metrics"][0]["value"]
    return value


def test_a_scorer_by_name(folder: Path) -> None:
    assert scoring.scorer("close@1:close_text").score("abcd", "abcx").value == 0
    lock_project(upgrade=True)
    assert scoring.scorer("close@1:close_text").score("abcd", "abcx").value == 0.75


def test_a_scorer_of_what_is_not_locked_is_refused(folder: Path) -> None:
    with pytest.raises(scoring.SpecError, match=r"`anls` is not in scoring[.]lock"):
        scoring.scorer("anls@1:anls")


def test_outside_of_a_project_names_are_as_ever(folder: Path) -> None:
    with contextlib.chdir(folder.parent):
        assert scoring.scorer("anls@1:anls").score("a", ["a"]).value == 1
    with pytest.raises(scoring.SpecError):
        scoring.scorer("anls@1:anls")


def test_a_spec_that_is_given_as_data(folder: Path) -> None:
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "imports": {"c": "close@1"}, "score": "c.close_text"}
    assert mean(scoring.evaluate(spec, RECORDS)) == 0


def test_listings_and_explanations(folder: Path) -> None:
    (one,) = scoring.specs.listing("close").to_json()
    assert one["pack"] == "close 1.0.0"
    packs = {one["name"]: one["version"] for one in scoring.specs.listing("packs").to_json()}
    assert packs["close"] == "1.0.0"
    assert "anls" in packs, "what is shipped can be looked at"
    assert "0.8" in scoring.explain("close:close_text").text()


def test_a_suite_and_its_tasks(folder: Path) -> None:
    suite = written(folder / "suite.yaml", "kind: suite\nname: s\nversion: 1.0.0\ntasks: [task.yaml]\n")
    rows = [{**one, "task": "demo/close"} for one in RECORDS]
    written(folder / "rows.jsonl", "".join(json.dumps(one) + "\n" for one in rows))
    assert mean(scoring.evaluate(suite, folder / "rows.jsonl")) == 0
    lock_project(upgrade=True)
    assert mean(scoring.evaluate(suite, folder / "rows.jsonl")) == 0.75
    written(folder / "task.yaml", TASK.replace("close@1", "close@2"))
    assert [one.id for one in scoring.check(suite).findings] == ["not-locked"]


def test_a_file_of_another_tool(folder: Path) -> None:
    metrics = written(folder / "chess" / "metrics.json", '{"field_score_function": {"move": "exact_str_match"}}')
    assert "not-locked" in [one.id for one in scoring.check(metrics).findings]
    lock_project()
    assert scoring.check(metrics).findings == ()


def test_examples_and_audits(folder: Path) -> None:
    example = "\nexamples: [{response: abcd, reference: abcx, expect: 0}]\n"
    written(folder / "task.yaml", TASK + example)
    assert scoring.test("task.yaml").passed
    lock_project(upgrade=True)
    assert not scoring.test("task.yaml").passed


def test_processes_score_with_what_is_locked(folder: Path) -> None:
    rows = "".join(json.dumps({"id": number, **RECORDS[0]}) + "\n" for number in range(200))
    data = written(folder / "rows.jsonl", rows)
    assert mean(scoring.evaluate("task.yaml", data, processes=2)) == 0
    lock_project(upgrade=True)
    assert mean(scoring.evaluate("task.yaml", data, processes=2)) == 0.75


def test_a_pack_in_the_store_imports_what_is_locked(tmp_path: Path) -> None:
    folder = project(tmp_path)
    outer = "kind: pack\nname: outer\nversion: 1.0.0\nimports: {c: close@1, p: ./part.yaml}\n"
    written(tmp_path / "outer" / "pack.yaml", outer + "scorers: {both: c.close_text, own: p.half}\n")
    part = (
        "kind: pack\nname: part\nversion: 1.0.0\nimports: {c: close@1}\nscorers: {half: c.close_text(threshold=0.5)}\n"
    )
    written(tmp_path / "outer" / "part.yaml", part)
    written(folder / "scoring.toml", '[packs]\nclose = {folder = "../shapes"}\nouter = {folder = "../outer"}\n')
    written(folder / "task.yaml", TASK.replace("c: close@1", "o: outer@1").replace("c.close_text", "o.own"))
    locked = lock_project(folder)
    assert [(one.name, one.version) for one in locked.packs] == [("close", "1.0.0"), ("outer", "1.0.0")]
    for name in ("shapes", "outer"):
        written(tmp_path / name / "pack.yaml", "gone: true")
    (tmp_path / "outer" / "part.yaml").unlink()
    assert mean(scoring.evaluate(folder / "task.yaml", RECORDS)) == 0.75


def test_a_change_in_a_file_that_a_pack_imports_is_a_change_of_the_pack(tmp_path: Path) -> None:
    folder = project(tmp_path)
    written(
        tmp_path / "shapes" / "pack.yaml",
        pack().replace("scorers:", "imports: {p: ./part.yaml}\nscorers:\n  own: p.half"),
    )
    part = "kind: pack\nname: part\nversion: 1.0.0\nscorers: {half: levenshtein | zero_below(0.5)}\n"
    written(tmp_path / "shapes" / "part.yaml", part)
    lock_project(folder)
    written(tmp_path / "shapes" / "part.yaml", part.replace("0.5", "0.6"))
    (found,) = scoring.check(folder / "task.yaml").findings
    assert found.id == "pack-changed"
    assert "0.5 → 0.6" in found.message


def test_two_versions_stand_side_by_side(tmp_path: Path) -> None:
    folder = project(tmp_path, "")
    home = tmp_path / "packs"
    written(home / "1" / "pack.yaml", pack("1.4.0", 0.8))
    written(home / "2" / "pack.yaml", pack("2.0.0", 0.5))
    written(home / "3" / "pack.yaml", pack("3.0.0", 0.1))
    written(folder / "scoring.toml", '[packs]\nclose = {folder = "../packs"}\n')
    written(folder / "new.yaml", TASK.replace("close@1", "close@2"))
    found = lock_project(folder)
    assert [one.version for one in found.packs] == ["1.4.0", "2.0.0"]
    assert mean(scoring.evaluate(folder / "task.yaml", RECORDS)) == 0
    assert mean(scoring.evaluate(folder / "new.yaml", RECORDS)) == 0.75


def test_an_alias_imports_a_pack_by_another_name(tmp_path: Path) -> None:
    folder = project(tmp_path, '[packs]\nold = {folder = "../shapes", pack = "close"}\n')
    written(folder / "task.yaml", TASK.replace("close@1", "old@1"))
    lock_project(folder)
    assert scoring.check(folder / "task.yaml").findings == ()


def test_a_manifest_says_what_is_locked_and_verify_needs_no_project(folder: Path) -> None:
    written(folder / "rows.jsonl", "".join(json.dumps({"id": 1, **one}) + "\n" for one in RECORDS))
    run = scoring.evaluate("task.yaml", "rows.jsonl", output="run")
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["spec"]["packs"]["close"]["version"] == "1.0.0"
    (locked,) = lock_project(offline=True).packs
    assert manifest["settings"]["locked"] == {"close@1.0.0": {"source": "folder ../shapes", "content": locked.digest}}
    assert mean(run) == 0
    assert scoring.runs.verify("run").passed
    packed = scoring.runs.bundle("run", output="run.zip")
    assert packed
    shutil.rmtree(folder.parent / "shapes")
    shutil.rmtree(folder / ".scoring")
    for path in folder.iterdir():
        if path.is_file() and path.name != "run.zip":
            path.unlink()
    assert scoring.runs.verify("run.zip").passed
