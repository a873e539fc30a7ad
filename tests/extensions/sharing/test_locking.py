"""Locks over packs of others: from git and from servers, with what these import in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.extensions.sharing.requirements import MOST_BYTES
from tests.extensions.sharing.project.world import TASK, pack, project, written
from tests.support.git_repository import Repository
from tests.support.locking import lock_project

OUTER = "kind: pack\nname: outer\nversion: 1.0.0\nimports: {c: close@1}\nscorers: {both: c.close_text}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "a")
    found.commit({"packs/close/pack.yaml": pack()}, tag="v1.0.0")
    return found


def named(repository: Repository, tag: str = "v1.0.0", path: str = "packs/close", more: str = "") -> str:
    return f'[packs]\nclose = {{ git = "{repository.address}", tag = "{tag}", path = "{path}"{more} }}\n'


@pytest.fixture
def folder(tmp_path: Path, repository: Repository) -> Path:
    found = project(tmp_path, named(repository))
    lock_project(found)
    return found


def ids(folder: Path) -> list[str]:
    return [one.id for one in scoring.check(folder / "task.yaml").findings]


def test_a_pack_of_git_works_without_its_repository(folder: Path, repository: Repository) -> None:
    repository.path.rename(repository.path.with_name("gone"))
    assert ids(folder) == []
    assert not lock_project(folder, frozen=True).written
    assert not lock_project(folder, offline=True).written
    with pytest.raises(scoring.InputError):
        lock_project(folder)


def test_what_is_not_in_the_store_is_fetched_again_and_must_be_the_same(folder: Path, repository: Repository) -> None:
    written(folder / "moved.txt", "")
    (folder / ".scoring").rename(folder / "away")
    assert ids(folder) == ["project-store"]
    with pytest.raises(scoring.InputError, match="is not contacted now"):
        lock_project(folder, frozen=True)
    lock_project(folder)
    assert ids(folder) == []


def test_another_tag_is_not_locked_before_a_sync(folder: Path, repository: Repository) -> None:
    repository.commit({"packs/close/pack.yaml": pack("1.1.0", 0.5)}, tag="v1.1.0")
    written(folder / "scoring.toml", named(repository, "v1.1.0"))
    assert ids(folder) == ["not-locked"]
    with pytest.raises(scoring.SpecError, match=r"and scoring[.]lock has it from git .* at v1[.]0[.]0"):
        lock_project(folder, frozen=True)
    (moved,) = lock_project(folder).moves
    assert (moved.before, moved.after, moved.moved) == (("1.0.0",), ("1.1.0",), ("`close_text.threshold` 0.8 → 0.5",))
    assert ids(folder) == []


def test_a_frozen_lock_without_the_version_that_a_spec_wants_is_told_at_its_place(folder: Path) -> None:
    written(folder / "task.yaml", TASK.replace("close@1", "close@2"))
    for how in ({"frozen": True}, {"offline": True}):
        with pytest.raises(scoring.SpecError, match=r"no version of `close` in scoring[.]lock fits `2`") as refused:
            lock_project(folder, **how)
        assert [one.id for one in refused.value.diagnostics] == ["not-locked"]
        assert refused.value.diagnostics[0].span is not None


def test_a_tag_that_was_moved_is_refused(folder: Path, repository: Repository) -> None:
    before = (folder / "scoring.lock").read_bytes()
    repository.commit({"packs/close/pack.yaml": pack(threshold=0.5)}, tag="v1.0.0")
    with pytest.raises(scoring.InputError, match=r"the tag `v1[.]0[.]0` .* was moved"):
        lock_project(folder)
    assert (folder / "scoring.lock").read_bytes() == before
    assert ids(folder) == []


def test_outdated_lists_newer_tags(folder: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("1.2.0", "2.0.0"):
        repository.commit({"packs/close/pack.yaml": pack(version)}, tag=f"v{version}")
    monkeypatch.chdir(folder)
    (found,) = scoring.specs.listing("packs", outdated=True).to_json()
    assert (found["locked"], found["fitting"], found["newest"]) == (["1.0.0"], "1.2.0", "2.0.0")
    (found,) = scoring.specs.listing("packs", outdated=True, offline=True).to_json()
    assert (found["locked"], found["newest"], bool(found["problem"])) == (["1.0.0"], "", True)


def test_imports_of_a_fetched_pack_come_from_its_own_project_file(tmp_path: Path, repository: Repository) -> None:
    toml = '[packs]\nclose = { folder = "packs/close" }\n'
    repository.commit({"packs/outer/pack.yaml": OUTER, "scoring.toml": toml}, tag="v2.0.0")
    outer = f'[packs]\nouter = {{ git = "{repository.address}", tag = "v2.0.0", path = "packs/outer" }}\n'
    folder = project(tmp_path, outer)
    written(folder / "task.yaml", TASK.replace("c: close@1", "c: outer@1").replace("close_text", "both"))
    lock_project(folder)
    held = json.loads((folder / "scoring.lock").read_text())["packs"]
    assert held["close@1.0.0"]["source"] == {"git": repository.address, "tag": "v2.0.0", "path": "packs/close"}
    repository.path.rename(repository.path.with_name("gone"))
    assert ids(folder) == []
    assert not lock_project(folder, offline=True).written


def test_the_own_project_file_counts_before_that_of_a_fetched_pack(tmp_path: Path, repository: Repository) -> None:
    toml = '[packs]\nclose = { folder = "packs/close" }\n'
    repository.commit({"packs/outer/pack.yaml": OUTER, "scoring.toml": toml}, tag="v2.0.0")
    outer = f'outer = {{ git = "{repository.address}", tag = "v2.0.0", path = "packs/outer" }}\n'
    folder = project(tmp_path, '[packs]\nclose = {folder = "../shapes"}\n' + outer)
    written(folder / "task.yaml", TASK.replace("c: close@1", "c: outer@1").replace("close_text", "both"))
    sources = {one.name: str(one.where) for one in lock_project(folder).packs}
    assert sources["close"] == "folder ../shapes"


def test_a_folder_that_a_fetched_project_file_names_stays_in_its_source(tmp_path: Path, repository: Repository) -> None:
    toml = '[packs]\nclose = { folder = "../../shapes" }\n'
    repository.commit({"packs/outer/pack.yaml": OUTER, "scoring.toml": toml}, tag="v2.0.0")
    outer = f'[packs]\nouter = {{ git = "{repository.address}", tag = "v2.0.0", path = "packs/outer" }}\n'
    folder = project(tmp_path, outer)
    written(folder / "task.yaml", TASK.replace("c: close@1", "c: outer@1").replace("close_text", "both"))
    with pytest.raises(scoring.InputError, match="is outside it"):
        lock_project(folder)
    assert not (folder / "scoring.lock").exists()


def test_two_fetched_packs_that_take_a_third_from_different_sources_are_settled_by_the_project(tmp_path: Path) -> None:
    repositories = [Repository(tmp_path / name) for name in ("a", "b")]
    lines = []
    for one, name in zip(repositories, ("outer", "other"), strict=True):
        files = {"close/pack.yaml": pack(), "pack.yaml": OUTER.replace("outer", name)}
        one.commit({**files, "scoring.toml": '[packs]\nclose = { folder = "close" }\n'}, tag="v1")
        lines.append(f'{name} = {{ git = "{one.address}", tag = "v1", path = "pack.yaml" }}\n')
    folder = project(tmp_path, "[packs]\n" + "".join(lines))
    (folder / "task.yaml").unlink()
    with pytest.raises(scoring.InputError, match="choose one in your project file"):
        lock_project(folder)
    written(folder / "scoring.toml", "[packs]\n" + "".join(lines) + 'close = {folder = "../shapes"}\n')
    assert [one.name for one in lock_project(folder).packs] == ["close", "other", "outer"]


@pytest.mark.parametrize(
    "text",
    [
        "kind: task\nname: 3\nimports: [1, 2]\n",
        "imports: 3\nkind: [x]\n",
        "- imports\n- x\n",
        "kind: compose\nimports: {a: b@1}\n",
        "kind: task\nimports: {a: 3, b: [x], c: latest@latest, d: ./x.yaml}\nscore: {}\n",
        "imports: {a: b@1}\n",
    ],
)
def test_files_that_are_no_specs_or_broken_ones_hinder_no_sync(tmp_path: Path, text: str) -> None:
    folder = project(tmp_path)
    written(folder / "other.yaml", text)
    written(folder / "node_modules" / "x.yaml", TASK.replace("close@1", "nothing@1"))
    written(folder / ".hidden" / "x.yaml", TASK.replace("close@1", "nothing@1"))
    assert [one.name for one in lock_project(folder).packs] == ["close"]


def test_a_spec_in_json_is_looked_into_and_data_are_not(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "task.yaml").unlink()
    spec = {"kind": "task", "name": "t", "imports": {"c": "close@7"}, "score": "c.close_text"}
    written(folder / "task.json", json.dumps(spec))
    written(folder / "data.json", '{"imports": [')
    written(folder / "large.json", json.dumps({"text": "x" * MOST_BYTES}))
    with pytest.raises(scoring.SpecError, match="close"):
        lock_project(folder)
    written(folder / "task.json", json.dumps(spec).replace("@7", "@1"))
    synced = lock_project(folder)
    assert [one.name for one in synced.packs] == ["close"]
    assert synced.notes == ()


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    folder = project(tmp_path)
    written(folder / "other.yaml", "imports: {a: [\n")
    (note,) = lock_project(folder).notes
    assert "other.yaml is not searched" in note
