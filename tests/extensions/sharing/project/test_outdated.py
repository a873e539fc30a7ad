"""What of a project is outdated."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.locking import lock_project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = project(tmp_path, '[packs]\nclose = { folder = "../shapes" }\nbeside = { folder = "../beside" }\n')
    written(tmp_path / "beside" / "pack.yaml", pack().replace("name: close", "name: beside"))
    lock_project(found)
    monkeypatch.chdir(found)
    return found


def test_newer_versions_are_listed_within_the_range_and_at_all(folder: Path) -> None:
    for version in ("1.0.0", "1.1.0", "2.0.0", "3.0.0-rc.1"):
        written(folder.parent / "shapes" / version / "pack.yaml", pack(version))
    (folder.parent / "shapes" / "pack.yaml").unlink()
    written(folder / "anls.yaml", TASK.replace("close@1", "anls").replace("c.close_text", "c.docvqa"))
    found = {one["name"]: one for one in scoring.specs.listing("packs", outdated=True).to_json()}
    assert list(found) == ["anls", "beside", "close"]
    close = found["close"]
    assert (close["used"], close["locked"], close["fitting"], close["newest"]) == (["1"], ["1.0.0"], "1.1.0", "2.0.0")
    assert (close["outdated"], close["source"]) == (True, "folder ../shapes")
    assert (found["beside"]["used"], found["beside"]["outdated"]) == ([], False)
    assert (found["anls"]["used"], found["anls"]["locked"], found["anls"]["newest"]) == (["any"], [], "1.0.0")


def test_a_source_that_can_not_be_asked_is_named(folder: Path) -> None:
    (folder.parent / "shapes" / "pack.yaml").unlink()
    found = scoring.specs.listing("packs", outdated=True)
    assert "no file there is a pack" in {one["name"]: one["problem"] for one in found.to_json()}["close"]
    assert "close: ../shapes" in found.text()


def test_nothing_else_is_outdated(folder: Path) -> None:
    with pytest.raises(scoring.InputError, match="is for packs"):
        scoring.specs.listing("transform", outdated=True)
    with pytest.raises(scoring.InputError, match="is for packs"):
        scoring.specs.listing("packs", offline=True)


def test_outside_of_a_project_nothing_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    with pytest.raises(scoring.InputError, match=r"there is no scoring[.]toml"):
        scoring.specs.listing("packs", outdated=True)
