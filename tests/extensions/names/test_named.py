"""Tasks are named by name and version, wherever a spec's file can be given."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.names.named import GROUP, spec_path, task_names
from scoring.format.shipped import data_folder
from scoring.registry import plugins

COOKBOOK = data_folder("specs") / "cookbook"
RECORD = {"response": "the Eiffel Tower", "reference": ["Eiffel Tower"]}


def test_a_name_is_a_task_of_that_major_or_the_newest() -> None:
    assert scoring.load("squad@1").spec.version == "1.1.0"
    assert scoring.load("squad@>=1,<2").spec.version == "1.1.0"
    assert scoring.load("squad").spec.version == "2.0.0"
    assert scoring.score("squad@2", RECORD).score == 1.0


def test_every_shipped_task_is_found_by_the_name_and_version_that_its_file_states() -> None:
    for path in sorted(COOKBOOK.glob("*.yaml")):
        stated = yaml.safe_load(path.read_text("utf-8"))
        assert spec_path(f"{stated['name']}@{stated['version']}") == path
        major = stated["version"].partition(".")[0]
        assert path.stem in (stated["name"], f"{stated['name']}-{major}")
        assert stated["name"] in task_names()


def test_a_file_or_folder_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "squad").write_text('{"kind": "task", "name": "mine", "version": "1.0.0", "score": "equal"}')
    monkeypatch.chdir(tmp_path)
    assert scoring.load("squad").spec.name == "mine"
    assert scoring.load("squad@2").spec.name == "squad"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sqaud@2", "no task is called `sqaud`"),
        ("squad@3", "has no version that fits `3`"),
        ("squad@latest", "`latest` is not a version or a range of versions"),
        ("squad@" + "1" * 200, "can't be read"),
        ("a/squad@2", "can't be read"),
        ("-squad", "can't be read"),
    ],
)
def test_a_name_of_nothing_is_refused_with_a_way_on(name: str, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        scoring.load(name)
    findings = scoring.check(name).findings
    assert [one.severity for one in findings] == ["error"]


def test_a_misspelled_name_is_told_the_right_one() -> None:
    with pytest.raises(SpecError) as found:
        scoring.evaluate("docvqua@1", [RECORD])
    assert found.value.diagnostics[0].primary.text == "did you mean `docvqa`?"


def test_a_task_of_an_installed_package_is_named_likewise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "house"
    folder.mkdir()
    for version in ("1.0.0", "1.2.0"):
        text = {"kind": "task", "name": "house-rules", "version": version, "score": "equal"}
        (folder / f"{version}.json").write_text(json.dumps(text))
    (folder / "broken.yaml").write_text("kind: [")
    (folder / "pack.yaml").write_text("kind: pack\nname: house-rules\nversion: 9.0.0\n")
    monkeypatch.setattr(plugins, "others", lambda group: ("house",) if group == GROUP else ())
    monkeypatch.setattr(plugins, "folder_of", lambda entry: folder)
    assert spec_path("house-rules") == folder / "1.2.0.json"
    assert spec_path("house-rules@1.0") == folder / "1.0.0.json"
    assert "house-rules" in task_names()
    with pytest.raises(SpecError, match="`house-rules` has no version that fits `2`"):
        spec_path("house-rules@2")


def test_the_name_of_a_pack_is_told_to_be_one() -> None:
    with pytest.raises(SpecError, match="no task is called `rubrics`; a pack is"):
        scoring.evaluate("rubrics", [RECORD])


def test_a_lock_of_a_named_task_lies_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not scoring.check("squad@2").findings
    (tmp_path / "squad@2.lock.json").write_text("{}")
    assert [one.severity for one in scoring.check("squad@2").findings] == ["error"]


def test_a_task_imports_the_definitions_of_a_named_task(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "mine", "version": "1.0.0", "edition": 2027, "imports": {"sq": "squad@2"}}
    task["score"] = "any_reference(sq.tokens | bag_f1)"
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"id": 1, "response": "The tower!", "reference": ["iron tower", "x"]}))
    run = scoring.evaluate(task, data, output=tmp_path / "run")
    assert run.metrics == pytest.approx({"mean": 2 / 3})
    assert scoring.runs.verify(tmp_path / "run").passed
    with pytest.raises(SpecError, match="`squad` has no version that fits `7`"):
        scoring.load({**task, "imports": {"sq": "squad@7"}})
    with pytest.raises(SpecError, match="neither a pack nor a task"):
        scoring.load({**task, "imports": {"sq": "megabench-suite@1"}})


def test_no_project_locks_a_task_that_is_imported_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scoring.toml").write_text("[packs]\n")
    spec = {"kind": "task", "name": "mine", "imports": {"sq": "squad@2", "anls": "anls@1"}, "version": "1.0.0"}
    spec["fields"] = {"a": "any_reference(sq.tokens | bag_f1)", "b": "anls.anls"}
    (tmp_path / "task.json").write_text(json.dumps(spec))
    assert main(["lock", str(tmp_path)]) == 0
    assert "anls" in (tmp_path / "scoring.lock").read_text()
    assert "squad" not in (tmp_path / "scoring.lock").read_text()
    assert main(["check", str(tmp_path / "task.json"), "--frozen"]) == 0
    capsys.readouterr()
