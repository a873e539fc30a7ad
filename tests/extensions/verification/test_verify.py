"""`verify` says what differs in a run, or that it can't be scored again."""

from __future__ import annotations

import json
import os
import shutil
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.manifest import sealed, versions
from scoring.errors import InputError
from scoring.version import VERSION
from tests.support.golden import REPOSITORY
from tests.support.kinds_of_tasks import KINDS
from tests.unit.api.test_figures_by_hand import answered
from tests.unit.api.test_runs import RECORDS, SPEC


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped example of a task, which is the current folder."""
    shutil.copytree(REPOSITORY / "specs" / "quickstart", tmp_path / "rows")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_was_in_memory_can_not_be_verified(desk: Path) -> None:
    scoring.evaluate(SPEC, RECORDS, output="run")
    found = scoring.runs.verify("run")
    assert (found.same, found.changed) == (False, ["the records were in memory and were not kept"])
    assert "without these files" in found.text()


def test_verify_says_what_differs(desk: Path) -> None:
    scoring.evaluate(*KINDS["rows"], output="run")
    summary = Path("run/summary.json")
    summary.write_text(summary.read_text().replace('"seed": 0', '"seed": 1', 1))
    found = scoring.runs.verify("run", processes=2)
    assert (found.same, list(found.data["summary"])) == (False, ["seed"])
    assert repr(found) == "<RunVerification: run: not the same>"


def manifest_of(folder: str, **edits: Any) -> None:
    """Edit the manifest of a run, and seal it again."""
    path = Path(folder) / "manifest.json"
    path.write_text(dumps_pretty(sealed({**json.loads(path.read_text()), **edits})))


def test_verify_tells_of_a_manifest_of_a_later_format(desk: Path) -> None:
    scoring.evaluate(*KINDS["rows"], output="run")
    held = json.loads(Path("run/manifest.json").read_text())
    manifest_of("run", format=3, versions={**held["versions"], "scoring": "7.0.0"})
    found = scoring.runs.verify("run")
    assert not found.same
    told = f"its manifest is of format 3: 2 is the highest that scoring {VERSION} knows; verify it with the release"
    assert f"manifest   {told} that wrote it, 7.0.0\n" in found.text()


def test_verify_tells_of_keys_that_no_manifest_has(desk: Path) -> None:
    scoring.evaluate(*KINDS["rows"], output="run")
    held = json.loads(Path("run/manifest.json").read_text())
    manifest_of("run", verified="by me", settings={**held["settings"], "boost": 1}, records={**held["records"], "n": 9})
    found = scoring.runs.verify("run")
    assert not found.same
    assert "its manifest has `records.n`, `settings.boost` and `verified`, which no run of scoring" in found.text()


def test_verify_tells_of_versions_other_than_those_here(desk: Path) -> None:
    """Another machine has others, and the same numbers come out: it is told, and no failure."""
    scoring.evaluate(*KINDS["rows"], output="run")
    here = json.loads(Path("run/manifest.json").read_text())["versions"]
    there = {name: version for name, version in here.items() if name != "jsonschema"}
    manifest_of("run", versions={**there, "PyYAML": "0.9", "x": "1"})
    found = scoring.runs.verify("run")
    yaml, schema = here["PyYAML"], here["jsonschema"]
    assert found.same
    assert found.data["versions"] == (f"PyYAML 0.9 → {yaml}", "x 1 → absent", f"jsonschema absent → {schema}")
    assert f"version    PyYAML 0.9 → {yaml}" in found.text()


def test_a_version_that_is_no_text_is_no_manifest(desk: Path) -> None:
    scoring.evaluate(*KINDS["rows"], output="run")
    manifest_of("run", versions={**versions(), "numpy": ["2"]})
    with pytest.raises(InputError, match="`versions` of its manifest"):
        scoring.runs.verify("run")


def test_a_run_without_the_texts_of_its_spec_is_told_to_lack_them(desk: Path) -> None:
    scoring.evaluate(*KINDS["rows"], output="run")
    path = Path("run/manifest.json")
    manifest = json.loads(path.read_text())
    manifest = {name: value for name, value in manifest.items() if name not in ("files", "records", "seal")}
    manifest["format"] = 1
    path.write_text(json.dumps(manifest))
    Path("run/texts.json").unlink()
    assert scoring.runs.verify("run").changed == ["texts.json is not there, and the run is scored again from it alone"]


def test_a_metric_changed_in_a_summary_fails_verification_even_when_all_digests_agree(tmp_path: Path) -> None:
    spec = tmp_path / "task.yaml"
    spec.write_text("kind: task\nname: t\nversion: 1.0.0\nscore: equal\nmetrics:\n  - mean\n  - accuracy\n")
    data = tmp_path / "answers.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in answered(True, True, False)))
    scoring.evaluate(spec, data, output=tmp_path / "run")
    assert scoring.runs.verify(tmp_path / "run").same
    summary, manifest = tmp_path / "run" / "summary.json", tmp_path / "run" / "manifest.json"
    held = json.loads(summary.read_text())
    held["metrics"][1]["value"] = 1.0
    summary.write_text(dumps_pretty(held))
    made = json.loads(manifest.read_text())
    made["files"]["summary.json"] = sha256(summary.read_bytes()).hexdigest()
    manifest.write_text(dumps_pretty(sealed(made)))
    found = scoring.runs.verify(tmp_path / "run")
    assert (found.same, list(found.data["summary"])) == (False, ["metrics"])


def test_limits_of_figures_are_not_part_of_the_run_and_leave_it_as_it_is(desk: Path) -> None:
    assert main(["score", "rows/invoices.yaml", "rows/invoices.jsonl", "--min", "mean=2", "-o", "run"]) == 4
    assert main(["verify", "run"]) == 0


def test_the_mask_of_the_user_holds_for_bundles(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
        spec = {"kind": "task", "name": "t", "score": "equal"}
        scoring.evaluate(spec, tmp_path / "data.jsonl", output=tmp_path / "run")
        scoring.runs.bundle(tmp_path / "run", tmp_path / "run.zip")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "run.zip").stat().st_mode) == 0o600


def test_links_that_lead_to_one_another_are_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    for use in (
        lambda: scoring.runs.bundle("loop"),
        lambda: scoring.runs.verify("loop"),
        lambda: scoring.compare("loop", "loop"),
    ):
        with pytest.raises((scoring.InputError, scoring.SpecError)) as error:
            use()
        assert "loop" in str(error.value)
