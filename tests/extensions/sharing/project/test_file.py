"""The project file: what it says, and what is refused with its place."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main
from scoring.project import find
from scoring.project.file import PackSource, ProjectFile, parse_project_file
from scoring.project.project import project_of
from tests.extensions.sharing.project.world import TASK, outcome, project, written
from tests.support.locking import lock_project

COMMIT = "a" * 40


def refused(text: str) -> str:
    with pytest.raises(scoring.SpecError) as found:
        parse_project_file(text)
    (one,) = found.value.diagnostics
    assert one.id == "project-file"
    return str(one)


def test_a_project_file_names_sources_of_every_kind() -> None:
    found = parse_project_file(f"""
        [packs]
        close = {{ git = "https://example.org/a/metrics.git", tag = "v1.0.0", path = "packs/close" }}
        fixed = {{ git = "ssh://git@example.org/a.git", commit = "{COMMIT}" }}
        shapes = {{ folder = "../shapes" }}
        house = {{ distribution = "acme-metrics", version = ">=1,<2" }}
        web = {{ address = "https://example.org/packs/web", version = "1" }}
        old = {{ git = "x.git", tag = "v0.9", pack = "close" }}
        terms = "1"
        [packs."a/b"]
        folder = "ab"
        [store]
        place = "vendor/packs"
        """)
    assert {name: one.kind for name, one in found.packs.items()} == {
        "close": "git",
        "fixed": "git",
        "shapes": "folder",
        "house": "distribution",
        "web": "address",
        "old": "git",
        "terms": "here",
        "a/b": "folder",
    }
    assert found.packs["old"].pack == "close"
    assert found.place == "vendor/packs"
    assert found.packs["shapes"] == PackSource("folder", "../shapes")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[pack]\n", "1:2: error[project-file]: there is no table `pack`"),
        ("x = 1\n", "1:1: error[project-file]: there is no table `x`"),
        ("[packs]\nclose = { foldr = '../a' }", "2:11: error[project-file]: there is no key `foldr` in `close`"),
        ("[packs.close]\nfoldr = '../a'", "2:1: error[project-file]: there is no key `foldr` in `close`"),
        ("[packs]\nclose = { folder = 'a', git = 'b' }", "2:1: error[project-file]: `close` comes from"),
        ("[packs]\nclose = { git = 'b' }", "2:1: error[project-file]: `close` has neither `tag` nor `commit`"),
        ("[packs]\nclose = { git = 'b', tag = 'v', commit = 'c' }", "both a `tag` and a `commit`"),
        (
            "[packs]\nclose = { git = 'b', commit = 'abc' }",
            "2:22: error[project-file]: `commit` of `close` is no whole",
        ),
        ("[packs]\nclose = { git = 'b', tag = '-x' }", "begins with `-`"),
        ("[packs]\nclose = { git = '--upload-pack=x', tag = 'v' }", "`git` of `close` begins with `-`"),
        ("[packs]\nclose = { git = 'https://u:p@h/x', tag = 'v' }", "has a password or a token in its address"),
        ("[packs]\nclose = { address = 'https://token@h/x' }", "has a password or a token in its address"),
        ("[packs]\nclose = { folder = 7 }", "2:11: error[project-file]: `folder` is a text, not 7"),
        ("[packs]\nclose = { folder = '' }", "`folder` is empty"),
        ("[packs]\nclose = 'latest'", "`latest` is not a version or a range of versions"),
        ("[packs]\nclose = { folder = 'a', version = '~1' }", "2:25: error[project-file]: `~1` is not a version"),
        ("[packs]\n'../x' = '1'", "`../x` is no name of a pack"),
        ("[packs]\n'x.yaml' = '1'", "`x.yaml` is no name of a pack"),
        ("[packs]\nclose = { folder = 'a', pack = 'close' }", "is its name already"),
        ("[packs]\nclose = 1", "`packs.close` is no table"),
        ("packs = 1", "1:1: error[project-file]: `packs` is no table"),
        ("[store]\nplase = 'x'", "2:1: error[project-file]: there is no key `plase` in `store`"),
        ("[packs\n", "is no TOML"),
        ("a = " + "[" * 20_000, "is no TOML"),
    ],
)
def test_what_has_no_effect_is_refused_with_its_place(text: str, said: str) -> None:
    assert said in refused(text)


def test_a_misspelled_key_is_guessed() -> None:
    with pytest.raises(scoring.SpecError) as found:
        parse_project_file("[packs]\nclose = { foldr = '../a' }")
    assert found.value.diagnostics[0].help == ("did you mean `folder`?",)


@given(
    st.text() | st.lists(st.sampled_from(["[packs]", "\n", "a", "=", "{", "}", "'", '"', "folder", "."])).map("".join)
)
def test_any_text_is_a_project_file_or_a_finding(text: str) -> None:
    found = outcome(lambda: parse_project_file(text))
    assert isinstance(found, ProjectFile) or found == ["project-file"]


def test_the_table_of_a_pyproject_counts(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "scoring.toml").unlink()
    written(folder / "pyproject.toml", '[project]\nname = "x"\n[tool.scoring.packs]\nclose = {folder = "../shapes"}\n')
    lock_project(folder)
    assert scoring.check(folder / "task.yaml").findings == ()
    assert "close@1.0.0" in (folder / "scoring.lock").read_text()


def test_a_pyproject_without_our_table_is_no_project(tmp_path: Path) -> None:
    written(tmp_path / "pyproject.toml", "[tool.other]\nx = 1\n[project]\nname = 'scoring'\n")
    found = project_of(tmp_path)
    assert found is None or found.root not in (tmp_path, tmp_path.resolve())


def test_two_project_files_in_a_folder_are_refused(tmp_path: Path) -> None:
    folder = project(tmp_path)
    written(folder / "pyproject.toml", "[tool.scoring]\n")
    assert [one.id for one in scoring.check(folder / "task.yaml").findings] == ["project-file"]


def test_the_nearest_project_upwards_counts(tmp_path: Path) -> None:
    folder = project(tmp_path)
    lock_project(folder)
    inner = written(folder / "deep" / "er" / "task.yaml", TASK)
    assert scoring.check(inner).findings == ()
    written(folder / "deep" / "scoring.toml", "")
    assert [one.id for one in scoring.check(inner).findings] == ["import-not-found"]


def test_a_lock_alone_is_obeyed(tmp_path: Path) -> None:
    folder = project(tmp_path)
    lock_project(folder)
    (folder / "scoring.toml").unlink()
    assert scoring.check(folder / "task.yaml").findings == ()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others")
def test_a_strangers_file_in_a_folder_of_all_is_no_project_file(tmp_path: Path) -> None:
    folder = project(tmp_path)
    lock_project(folder)
    os.chown(folder / "scoring.toml", 12345, 12345)
    assert find.counts(str(folder / "scoring.toml")) is not None
    folder.chmod(folder.stat().st_mode | stat.S_IWOTH | stat.S_ISVTX)
    assert find.counts(str(folder / "scoring.toml")) is None
    (folder / "scoring.toml").rename(tmp_path / "ours.toml")
    os.chown(tmp_path / "ours.toml", 0, 0)
    (folder / "scoring.toml").symlink_to(tmp_path / "ours.toml")
    assert find.counts(str(folder / "scoring.toml")) is not None
    os.chown(folder / "scoring.toml", 12345, 12345, follow_symlinks=False)
    assert find.counts(str(folder / "scoring.toml")) is None


PLACED = '[packs]\nclose = {{folder = "../shapes"}}\n[store]\nplace = "{}"\n'


def test_a_store_is_in_the_project_or_where_the_environment_of_the_user_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for said, where in (
        ("", "project/vendor"), ("shared", "cache/scoring/store"), (str(tmp_path / "own"), "own"),
    ):  # fmt: skip
        monkeypatch.setenv("SCORING_STORE", said)
        folder = project(tmp_path, PLACED.format("vendor"))
        lock_project(folder)
        assert list((tmp_path / where).glob("*/*/pack.yaml"))
        assert scoring.check(folder / "task.yaml").findings == ()


@pytest.mark.parametrize("place", ["/", "..", "../elsewhere", "~/store", "a/../../b", ".git", ".git/hooks", "C:/x"])
def test_a_project_file_puts_its_store_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    folder = project(tmp_path, PLACED.format(place))
    before = sorted(tmp_path.rglob("*"))
    assert main(["lock", str(folder)]) != 0
    said = "".join(capsys.readouterr())
    assert "the store can't be at" in said
    assert "SCORING_STORE" in said
    assert [one for one in sorted(tmp_path.rglob("*")) if ".scoring" not in one.parts] == before


def test_nothing_is_written_behind_a_link_that_lies_in_the_project(tmp_path: Path) -> None:
    folder = project(tmp_path, PLACED.format("vendor/packs"))
    (tmp_path / "elsewhere").mkdir()
    (folder / "vendor").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(scoring.InputError, match="is behind one"):
        lock_project(folder)
    assert not list((tmp_path / "elsewhere").iterdir())
