"""A folder of this machine as a source: bounded, and no link in it leads elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources import folder as module
from scoring.extensions.sharing.sources.folder import FolderSource
from tests.extensions.sharing.sources.packs import pack


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as raised:
        _ = [one.content.files for one in FolderSource(path, "here").releases()]
    assert "\n" not in str(raised.value)
    return str(raised.value)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_pack_below_is_offered_but_for_what_is_hidden(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", pack("a"))
    written(tmp_path / "deep" / "b.yml", pack("b"))
    written(tmp_path / "deep" / "c.json", '{"kind": "pack", "name": "c", "version": "1.0.0"}')
    written(tmp_path / ".git" / "d.yaml", pack("d"))
    written(tmp_path / "node_modules" / "e.yaml", pack("e"))
    assert {one.name for one in FolderSource(tmp_path, "here").releases()} == {"a", "b", "c"}


def test_a_file_is_a_source_and_the_folder_may_be_reached_through_a_link(tmp_path: Path) -> None:
    written(tmp_path / "real" / "a.yaml", pack("a", more="imports: {b: ./b.yaml}\n"))
    written(tmp_path / "real" / "b.yaml", pack("b"))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (found,) = FolderSource(tmp_path / "link" / "a.yaml", "here").releases()
    assert set(found.content.files) == {"a.yaml", "b.yaml"}


def test_links_in_it_are_not_followed(tmp_path: Path) -> None:
    secret = written(tmp_path / "secret.yaml", pack("secret"))
    packs = tmp_path / "packs"
    written(packs / "a.yaml", pack("a", more="imports: {s: ./s.yaml}\n"))
    (packs / "s.yaml").symlink_to(secret)
    assert "`s.yaml` is a symbolic link; packs are plain files" in refusal(packs)
    (packs / "s.yaml").unlink()
    (packs / "s").symlink_to(tmp_path)
    written(packs / "a.yaml", pack("a", more="imports: {s: ./s/secret.yaml}\n"))
    assert "`s/secret.yaml` is a symbolic link" in refusal(packs)


def test_a_link_that_is_put_there_meanwhile_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = written(tmp_path / "secret.yaml", pack("secret"))
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "a.yaml").symlink_to(secret)
    looked = {"a.yaml": 10}
    monkeypatch.setattr(module.FolderTree, "entry", lambda tree, path: looked.get(path))
    monkeypatch.setattr(module.FolderTree, "below", lambda tree, folder: looked)
    assert "`a.yaml` can't be read: there is a link in its place" in refusal(tmp_path / "packs")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_no_pack_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert "`a.yaml` is not a plain file" in refusal(tmp_path)


def test_too_many_files_and_too_deep_ones_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path.joinpath(*["d"] * 30, "a.yaml"), pack("deep"))
    assert "no file there is a pack" in refusal(tmp_path)
    monkeypatch.setattr(module, "MOST_FILES", 3)
    for number in range(4):
        written(tmp_path / f"{number}.txt", "")
    assert "has more than 3 files; name the folder of the pack" in refusal(tmp_path)


def test_a_file_that_grows_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = written(tmp_path / "a.yaml", "#" * 8_000_002)
    monkeypatch.setattr(module.FolderTree, "entry", lambda tree, path: 10)
    assert "has 8,000,001 bytes; a file of a pack has at most 8,000,000" in refusal(place)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert "there is no `here`" in refusal(tmp_path / "gone")


def test_no_project_file_in_it_names_another_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is read only where your own project file names it"):
        FolderSource(tmp_path, "here").sibling("../other", "")
