"""`scoring lock` in a project, and what is installed and shipped in its lock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.format import locate
from scoring.registry import plugins
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.locking import lock_project


def held(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scoring.lock").read_text())
    return found


def ids(path: Path) -> list[str]:
    return [one.id for one in scoring.check(path).findings]


def test_a_spec_is_pinned_in_the_lock_of_its_project(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = scoring.packs.lock(folder / "task.yaml")
    assert list(found.pinned) == [folder / "task.yaml"]
    assert not found.locks
    assert held(folder)["specs"]["task.yaml"]["spec"] == "demo/close"
    assert not (folder / "task.lock.json").exists()
    assert scoring.check(folder / "task.yaml", locked=True).findings == ()
    written(folder / "task.yaml", TASK.replace("c.close_text", "c.close_text(threshold=0.5)"))
    assert ids(folder / "task.yaml") == ["lock-mismatch"]
    with pytest.raises(scoring.SpecError, match="means something else"):
        scoring.load(folder / "task.yaml")
    assert scoring.load(folder / "task.yaml", locked=False).name == "demo/close"
    assert [one.id for one in scoring.test(folder / "task.yaml").findings] == ["lock-mismatch"]
    scoring.packs.lock(folder / "task.yaml")
    assert ids(folder / "task.yaml") == []


def test_a_lock_beside_a_spec_in_a_project_is_obeyed_and_kept_in_step(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "scoring.toml").rename(folder / "away")
    own = written(folder / "own.yaml", "kind: task\nname: own\nversion: 1.0.0\nscore: equal\n")
    scoring.packs.lock(own)
    (folder / "away").rename(folder / "scoring.toml")
    written(own, own.read_text().replace("equal", "lower | equal"))
    assert ids(own) == ["lock-mismatch"]
    scoring.packs.lock(own)
    assert ids(own) == []


def test_upgrade_moves_packs_and_pins_anew_what_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path)
    scoring.packs.lock(folder / "task.yaml")
    before = held(folder)
    written(tmp_path / "shapes" / "pack.yaml", pack("1.1.0", 0.5))
    scoring.packs.lock(folder / "task.yaml")
    assert held(folder) == before
    monkeypatch.chdir(folder)
    scoring.packs.lock(upgrade=True)
    assert list(held(folder)["packs"]) == ["close@1.1.0"]
    assert held(folder)["specs"]["task.yaml"]["meaning"] != before["specs"]["task.yaml"]["meaning"]
    assert ids(folder / "task.yaml") == []


@pytest.mark.parametrize("upgrade", [True, False])
def test_a_file_that_is_named_twice_is_pinned_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, upgrade: bool
) -> None:
    folder = project(tmp_path)
    scoring.packs.lock(folder / "task.yaml")
    monkeypatch.chdir(folder)
    found = scoring.packs.lock(["task.yaml", folder / "task.yaml"], upgrade=upgrade)
    assert (list(found.pinned), list(found.locks)) == ([Path("task.yaml")], [])
    assert not Path("task.lock.json").exists()


def test_an_upgrade_of_packs_alone_leaves_pinned_specs_to_be_looked_at(tmp_path: Path) -> None:
    folder = project(tmp_path)
    scoring.packs.lock(folder / "task.yaml")
    written(tmp_path / "shapes" / "pack.yaml", pack("1.1.0", 0.5))
    scoring.packs.upgrade(folder=folder)
    assert ids(folder / "task.yaml") == ["lock-mismatch"]
    lock_project(folder, upgrade=True)
    assert ids(folder / "task.yaml") == []


def test_nothing_is_upgraded_outside_of_a_project(tmp_path: Path) -> None:
    task = written(tmp_path / "task.yaml", "kind: task\nname: own\nversion: 1.0.0\nscore: equal\n")
    with pytest.raises(scoring.InputError, match="is in no project"):
        scoring.packs.lock(task, upgrade=True)


def test_a_spec_that_is_gone_is_pinned_no_more(tmp_path: Path) -> None:
    folder = project(tmp_path)
    scoring.packs.lock(folder / "task.yaml")
    (folder / "task.yaml").unlink()
    lock_project(folder)
    assert held(folder)["specs"] == {}


def install(folder: Path, version: str, **packs: str) -> None:
    """A distribution with packs below a package that must not be imported."""
    written(folder / "acme_metrics" / "__init__.py", "raise RuntimeError('imported')\n")
    for name, text in packs.items():
        written(folder / "acme_metrics" / "packs" / f"{name}.yaml", text)
    for old in folder.glob("acme_metrics-*.dist-info/*"):
        old.unlink()
    info = folder / f"acme_metrics-{version}.dist-info"
    written(info / "METADATA", f"Metadata-Version: 2.1\nName: acme-metrics\nVersion: {version}\n")
    written(info / "entry_points.txt", "[scoring.packs]\nacme = acme_metrics.packs\n")
    plugins._scanned.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    install(tmp_path / "site", "1.0.0", one=pack("1.0.0", 0.8), two=pack("2.0.0", 0.5))
    return tmp_path / "site"


@pytest.mark.parametrize("toml", ["", '[packs]\nclose = "1"\n', '[packs]\nclose = {distribution = "acme-metrics"}\n'])
def test_another_release_of_a_distribution_moves_no_locked_project(installed: Path, toml: str) -> None:
    folder = project(installed.parent, toml)
    assert [one.version for one in lock_project(folder).packs] == ["1.0.0"]
    install(installed, "1.1.0", one=pack("1.1.0", 0.1), two=pack("2.0.0", 0.5))
    assert ids(folder / "task.yaml") == []
    value = scoring.evaluate(folder / "task.yaml", [{"response": "abcd", "reference": "abcx"}]).summary["metrics"][0]
    assert value["value"] == 0
    (moved,) = lock_project(folder, upgrade=True).moves
    assert (moved.before, moved.after) == (("1.0.0",), ("1.1.0",))


def test_an_installed_pack_that_was_changed_without_a_version_is_told(installed: Path) -> None:
    folder = project(installed.parent, "")
    lock_project(folder)
    install(installed, "1.0.1", one=pack("1.0.0", 0.5))
    assert ids(folder / "task.yaml") == ["pack-changed"]


def test_a_shipped_pack_is_read_from_the_store_once_scoring_ships_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path, "")
    written(folder / "task.yaml", TASK.replace("close@1", "anls@1").replace("c.close_text", "c.docvqa"))
    lock_project(folder)
    shipped = locate.bundled_packs()["anls"][0].read_text()
    for version, expected in (("1.9.0", []), ("1.0.0", ["pack-changed"])):
        text = shipped.replace("version: 1.0.0", f"version: {version}").replace("clean_answer | indel", "indel")
        path = written(tmp_path / "specs" / "anls" / "pack.yaml", text)
        monkeypatch.setattr(locate, "bundled_packs", lambda path=path: {"anls": [path]})
        assert ids(folder / "task.yaml") == expected
