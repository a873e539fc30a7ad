"""Whatever becomes of a store or a lock: what a spec gets is what the digest says, or a line that refuses it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.sharing.contents import PackContent, keep_content
from scoring.format.load import Loader
from scoring.format.packs import packs_of
from scoring.project import store as stores
from scoring.project.lock import ProjectLock, parse_project_lock
from scoring.project.project import project_of
from scoring.project.store import PackStore, tree_digest
from tests.extensions.sharing.project.world import outcome, pack, project, written
from tests.support.locking import lock_project

FILES = {"pack.yaml": pack().encode(), "parts/words.yaml": b"kind: pack\nname: words\nversion: 1.0.0\n"}
SCORERS = yaml.safe_load(pack())["scorers"]
CONTENT = PackContent(FILES, "pack.yaml")


@pytest.fixture
def synced(tmp_path: Path) -> Path:
    folder = project(tmp_path)
    lock_project(folder)
    shutil.rmtree(folder.parent / "shapes")
    return folder


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """The folder of a content of two files."""
    keep_content(PackStore(tmp_path / "store"), CONTENT)
    return tmp_path / "store" / CONTENT.digest[:2] / CONTENT.digest


def swap(path: Path, make: Callable[[Path], object]) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    make(path)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a changed byte": lambda at: swap(at / "pack.yaml", lambda path: path.write_bytes(pack(threshold=0.1).encode())),
    "a missing file": lambda at: (at / "parts" / "words.yaml").unlink(),
    "an extra file": lambda at: written(at / "more.yaml", "kind: pack"),
    "an extra folder": lambda at: (at / "empty").mkdir(),
    "a link to a file": lambda at: swap(at / "pack.yaml", lambda path: path.symlink_to(written(at / "../p", pack()))),
    "a link to a folder": lambda at: swap(at / "parts", lambda path: path.symlink_to(at.parent)),
    "a folder in place of a file": lambda at: swap(at / "pack.yaml", Path.mkdir),
    "a pipe in place of a file": lambda at: swap(at / "pack.yaml", os.mkfifo),
    "a huge file": lambda at: swap(at / "pack.yaml", lambda path: os.truncate(written(path, ""), 1 << 40)),
    "very many files": lambda at: [written(at / "parts" / f"{number}.yaml", "") for number in range(200)],
    "a deep folder": lambda at: written(at / Path(*["deep"] * 30) / "x.yaml", ""),
    "nothing at all": shutil.rmtree,
    "a link in place of all": lambda at: swap(at, lambda path: path.symlink_to(at.parent.parent)),
    "a file in place of all": lambda at: swap(at, Path.touch),
    "an odd name": lambda at: written(at / "nul.yaml", ""),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_refused_in_a_line(stored: Path, damage: str) -> None:
    DAMAGES[damage](stored)
    with pytest.raises(scoring.SpecError) as refused:
        PackStore(stored.parent.parent).read(CONTENT.digest)
    (found,) = refused.value.diagnostics
    assert found.id == "project-store"
    assert found.message.isprintable()
    assert len(found.message) < 400


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_mended_by_what_is_added_again(stored: Path, damage: str) -> None:
    DAMAGES[damage](stored)
    store = PackStore(stored.parent.parent)
    keep_content(store, CONTENT)
    assert store.read(CONTENT.digest) == FILES


def test_a_store_is_read_only(stored: Path) -> None:
    assert {path.stat().st_mode & 0o777 for path in stored.rglob("*.yaml")} == {0o444}


@pytest.mark.parametrize("path", ["../out.yaml", "/out.yaml", "a/../../out.yaml", "a\\b.yaml", "con.yaml", "a\0b", ""])
def test_no_content_leads_out_of_its_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(scoring.SpecError):
        keep_content(PackStore(tmp_path / "store"), PackContent({path: b"", "pack.yaml": b""}, "pack.yaml"))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    "files",
    [
        {f"{number}.yaml": b"" for number in range(stores.MOST_FILES)},
        {"large.yaml": b"x" * (stores.MOST_BYTES + 1)},
        {"A.yaml": b"", "a.yaml": b""},
    ],
)
def test_what_is_too_much_or_ambiguous_is_not_kept(tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(scoring.SpecError):
        keep_content(PackStore(tmp_path / "store"), PackContent({**files, "pack.yaml": b""}, "pack.yaml"))


def test_a_damaged_store_stops_a_spec_and_sync_mends_it(tmp_path: Path) -> None:
    folder = project(tmp_path)
    lock_project(folder)
    (file,) = (folder / ".scoring" / "store").rglob("pack.yaml")
    swap(file, lambda path: path.write_bytes(pack(threshold=0.1).encode()))
    assert [one.id for one in scoring.check(folder / "task.yaml").findings] == ["project-store"]
    with pytest.raises(scoring.SpecError, match="project-store"):  # a lock alone says nothing of what is there
        lock_project(folder, frozen=True)
    lock_project(folder)
    assert scoring.check(folder / "task.yaml").findings == ()


def test_where_the_store_is_gone_the_lock_says_what_a_changed_folder_must_mean(tmp_path: Path) -> None:
    synced = project(tmp_path)
    lock_project(synced)
    file, store = tmp_path / "shapes" / "pack.yaml", synced / ".scoring" / "store"
    text = file.read_text()
    shutil.rmtree(store)
    file.write_text(f"# a word more\n{text}")
    assert lock_project(synced).written
    assert scoring.check(synced / "task.yaml").findings == ()
    shutil.rmtree(store)
    file.write_text(text.replace("0.8", "0.5"))
    with pytest.raises(scoring.SpecError, match=r"pack-changed.*new version: `close_text` means something else"):
        lock_project(synced)
    with pytest.raises(scoring.SpecError, match=r"does not fit|without a new version"):
        lock_project(synced, frozen=True)
    scoring.packs.upgrade("close", folder=synced)
    assert scoring.check(synced / "task.yaml").findings == ()


def test_nothing_is_written_where_a_link_in_place_of_the_store_leads(tmp_path: Path) -> None:
    folder = project(tmp_path)
    for name in (".scoring", ".scoring/store"):
        (tmp_path / "elsewhere").mkdir(exist_ok=True)
        (folder / name).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(scoring.InputError, match="is a link"):
            lock_project(folder)
        assert not list((tmp_path / "elsewhere").rglob("*.yaml"))
        (folder / name).unlink()
        (folder / ".scoring").mkdir(exist_ok=True)


LOCKS: dict[str, Callable[[str], str]] = {
    "another digest": lambda text: text.replace('"digest": "', '"digest": "0000', 1).replace('", "entry"', "", 1),
    "a digest of nothing": lambda text: text.replace(text.split('"digest": "')[1][:64], "0" * 64),
    "a path out of its folder": lambda text: text.replace('"entry": "pack.yaml"', '"entry": "../../../scoring.toml"'),
    "an entry that is not there": lambda text: text.replace('"entry": "pack.yaml"', '"entry": "other.yaml"'),
    "another version": lambda text: text.replace("close@1.0.0", "close@1.5.0"),
    "another name": lambda text: text.replace("close@1.0.0", "../close@1.0.0"),
    "a name that is none": lambda text: text.replace("close@1.0.0", "close"),
    "a wrong type": lambda text: text.replace('"entry": "pack.yaml"', '"entry": 7'),
    "a list": lambda text: "[]",
    "an unknown format": lambda text: text.replace('"format": 1', '"format": 9'),
    "a format that is none": lambda text: text.replace('"format": 1', '"format": true'),
    "an unknown key": lambda text: text.replace('"format": 1', '"format": 1, "more": 1'),
    "marks of a merge": lambda text: text.replace("  },\n", "<<<<<<< HEAD\n  },\n=======\n  },\n>>>>>>> theirs\n", 1),
    "twice a key": lambda text: text.replace('"format": 1', '"format": 1, "format": 1'),
    "half a file": lambda text: text[: len(text) // 2],
    "nothing": lambda text: "",
    "deep nesting": lambda text: "[" * 100_000,
    "another source": lambda text: text.replace('"folder": "../shapes"', '"git": "x"'),
    "two sources": lambda text: text.replace('"folder": "../shapes"', '"folder": "../shapes", "git": "x"'),
    "a source that is none": lambda text: text.replace('"folder": "../shapes"', '"folder": ["../shapes"]'),
    "a text of many lines": lambda text: text.replace('"folder": "../shapes"', '"folder": "a\\nb"'),
}


@pytest.mark.parametrize("damage", LOCKS)
def test_a_damaged_lock_is_refused_in_a_line(synced: Path, damage: str) -> None:
    lock = synced / "scoring.lock"
    text = LOCKS[damage](lock.read_text())
    assert text != lock.read_text(), "the damage does nothing"
    lock.write_text(text)
    found = scoring.check(synced / "task.yaml").findings
    assert {one.id for one in found} <= {"project-lock", "project-store", "not-locked"}
    assert len(found) == 1
    assert found[0].message.isprintable()
    assert len(found[0].message) < 400


def test_a_lock_that_is_too_large_is_not_read(synced: Path) -> None:
    os.truncate(synced / "scoring.lock", 1 << 30)
    assert [one.id for one in scoring.check(synced / "task.yaml").findings] == ["project-lock"]


def test_a_lock_that_is_no_file_is_refused(synced: Path) -> None:
    swap(synced / "scoring.lock", os.mkfifo)
    assert [one.id for one in scoring.check(synced / "task.yaml").findings] == ["project-lock"]


SLOW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def mutated(draw: st.DataObject, content: bytes) -> bytes:
    """A content with a few bytes taken out, changed or put in."""
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(content)))
        length = draw.draw(st.sampled_from([0, 1, 1, 3, 40]))
        content = content[:place] + draw.draw(st.binary(max_size=6)) + content[place + length :]
    return content


@SLOW
@given(draw=st.data())
def test_a_mutated_lock_gives_the_locked_pack_or_a_finding(synced: Path, draw: st.DataObject) -> None:
    lock = synced / "scoring.lock"
    kept = lock.read_bytes()
    try:
        lock.write_bytes(mutated(draw, kept))
        found = outcome(lambda: packs_of(Loader()).by_name("close", "1", folder=synced).spec.data["scorers"])
        assert found in (SCORERS, ["project-lock"], ["project-store"], ["not-locked"], ["import-not-found"])
    finally:
        lock.write_bytes(kept)


@SLOW
@given(draw=st.data())
def test_a_mutated_store_gives_what_the_digest_says_or_a_finding(stored: Path, draw: st.DataObject) -> None:
    path = stored / draw.draw(st.sampled_from(sorted(FILES)))
    path.chmod(0o644)
    path.write_bytes(mutated(draw, FILES[str(path.relative_to(stored))]))
    assert outcome(lambda: PackStore(stored.parent.parent).read(CONTENT.digest)) in (FILES, ["project-store"])
    path.write_bytes(FILES[str(path.relative_to(stored))])


@SLOW
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5), st.data())
def test_a_lock_of_any_values_is_a_lock_or_a_finding(synced: Path, value: object, draw: st.DataObject) -> None:
    held = json.loads((synced / "scoring.lock").read_text())
    at = held
    while isinstance(at, dict) and at:
        key = draw.draw(st.sampled_from(sorted(at)))
        if draw.draw(st.booleans()):
            at[key] = value
            break
        at = at[key]
    found = outcome(lambda: parse_project_lock(json.dumps(held).encode()))
    assert isinstance(found, ProjectLock) or found == ["project-lock"]


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=5), max_size=4), st.data())
def test_two_trees_share_no_digest(files: dict[str, bytes], draw: st.DataObject) -> None:
    other = draw.draw(st.dictionaries(st.text(max_size=5), st.binary(max_size=5), max_size=4))
    assert (tree_digest(files) == tree_digest(other)) == (files == other)


def test_nothing_that_lies_about_in_a_store_is_a_project(synced: Path) -> None:
    written(synced / ".scoring" / "scoring.toml", '[packs]\nclose = {folder = "/"}\n')
    (inside,) = (synced / ".scoring" / "store").glob("*/*")
    written(inside.parent / "scoring.toml", "nonsense")
    assert scoring.check(synced / "task.yaml").findings == ()
    found = project_of(synced)
    assert found is not None
    assert found.root == synced.resolve()
