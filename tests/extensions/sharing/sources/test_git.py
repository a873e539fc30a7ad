"""A git repository as a source: tags and commits, read out of its objects."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources import git as module
from scoring.extensions.sharing.sources.git import GitSource
from scoring.extensions.sharing.sources.written import source_at
from tests.extensions.sharing.sources.packs import pack
from tests.support.git_repository import Repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    made = Repository(tmp_path_factory.mktemp("git") / "metrics")
    made.commit({"packs/close/pack.yaml": pack(), "data.csv": "a,b\n"}, tag="v1.0.0")
    made.commit({"packs/close/pack.yaml": pack(version="1.1.0")}, tag="v1.1.0", annotated=True)
    yield made
    shutil.rmtree(made.path)


def refusal(address: str, **where: str) -> str:
    with pytest.raises(InputError) as raised:
        list(GitSource(address, **where).releases())
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(("tag", "version"), [("v1.0.0", "1.0.0"), ("v1.1.0", "1.1.0")])
def test_a_tag_of_either_kind_stands_for_its_commit(repository: Repository, tag: str, version: str) -> None:
    (found,) = GitSource(repository.address, tag=tag, path="packs/close").releases()
    assert (found.name, found.version) == ("close", version)
    assert found.content.files == {"pack.yaml": pack(version=version).encode()}
    assert found.revision == f"commit {repository.git('rev-parse', f'{tag}^{{commit}}')}"


def test_a_commit_is_found_whether_it_has_a_name_or_not(repository: Repository) -> None:
    commit = repository.git("rev-parse", "v1.0.0^{commit}")
    (found,) = GitSource(repository.address, commit=commit).releases()
    assert (found.version, found.revision) == ("1.0.0", f"commit {commit}")


def test_its_tags_are_told_with_their_commits(repository: Repository) -> None:
    found = GitSource(repository.address, tag="v1.0.0").tags()
    assert found == {tag: repository.git("rev-parse", f"{tag}^{{commit}}") for tag in ("v1.0.0", "v1.1.0")}


def test_a_branch_moves_and_is_refused(repository: Repository) -> None:
    assert "`main` is a branch of" in refusal(repository.address, tag="main")
    assert "name a tag or a commit" in refusal(repository.address, tag="main")


def test_what_is_not_there_is_told(repository: Repository) -> None:
    assert "has no tag `v9`; its tags are `v1.1.0`, `v1.0.0`" in refusal(repository.address, tag="v9")
    assert "there is no such repository" in refusal(repository.address + "x", tag="v1")
    assert "has no commit" in refusal(repository.address, commit="0" * 40)
    assert "there is no `packs/far`" in refusal(repository.address, tag="v1.0.0", path="packs/far")


@pytest.mark.parametrize(
    "address",
    [
        "git+ext::sh -c touch% /tmp/x@v1",
        "git+-oProxyCommand=x@v1",
        "git+ssh://-oProxyCommand=x/y@v1",
        "git+file://-x/y@-v1",
        "git+https://host/x@--upload-pack=x",
        "git+https://host/x@v1..v2",
        "git+https://host/x@v1#../../etc",
        "git+https://host/x",
        "git+https://host/x@v1^{}",
        "git+http://host/a\x00b@v1",
        "git+ftp://host/x@v1",
        "git+/etc@v1",
        "git+git@-oProxyCommand=x:y@v1",
        "git+git@host:-x@v1",
        "git+me@host:x@v1",
    ],
)
def test_no_address_becomes_an_option_or_a_command(address: str) -> None:
    with pytest.raises(InputError):
        source_at(address)


@pytest.mark.parametrize(
    "address", ["git+https://me:secret@host/x@v1", "git+https://secret@host/x@v1", "git+ssh://me:secret@host/x@v1"]
)
def test_a_password_in_an_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(InputError, match="holds a name or a password") as raised:
        source_at(address)
    assert "secret" not in str(raised.value)


def test_an_account_without_a_password_is_no_secret() -> None:
    assert source_at("git+git@host:a/b.git@v1").table() == {"git": "git@host:a/b.git", "tag": "v1"}
    assert source_at("git+ssh://git@host/a.git@v1").table() == {"git": "ssh://git@host/a.git", "tag": "v1"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with links, a submodule, filters, a huge file and names that no system has."""
    made = Repository(tmp_path_factory.mktemp("git") / "hostile")
    os.makedirs(made.path / "links")
    os.symlink("/etc/passwd", made.path / "links" / "pack.yaml")
    os.symlink("/etc", made.path / "etc")
    other = Repository(made.path.parent / "inner")
    other.commit({"pack.yaml": pack("inner")})
    made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.address, "sub")
    made.commit(
        {
            "good/pack.yaml": pack("good"),
            "odd/pack.yaml": pack("odd", more="imports: {x: ../links/pack.yaml}\n"),
            "within/pack.yaml": pack("within", more="imports: {x: ../sub/pack.yaml}\n"),
            "large/pack.yaml": b"#" * 8_000_001,
            "names/nul.yaml": pack("names"),
            "twins/pack.yaml": pack("twins", more="imports: {a: ./a.yaml, b: ./A.yaml}\n"),
            "twins/a.yaml": pack("a"),
            "twins/A.yaml": pack("b"),
        },
        tag="v1",
    )
    return made


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("links/pack.yaml", "`links/pack.yaml` is a symbolic link; packs are plain files"),
        ("odd", "`links/pack.yaml` is a symbolic link; packs are plain files"),
        ("within", "there is no file `sub/pack.yaml`"),
        ("sub", "`sub` is a submodule; packs are plain files"),
        ("large", "`large/pack.yaml` has 8,000,001 bytes"),
        ("names", "`nul.yaml` is a name that Windows reserves"),
        ("twins", "are one file on systems that ignore case"),
    ],
)
def test_what_a_pack_may_not_name_is_refused_in_one_line(hostile: Repository, path: str, why: str) -> None:
    with pytest.raises(InputError) as raised:
        _ = [one.content.files for one in GitSource(hostile.address, tag="v1", path=path).releases()]
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_beside_a_good_pack_costs_it_nothing(hostile: Repository) -> None:
    (found,) = GitSource(hostile.address, tag="v1", path="good").releases()
    assert found.content.files == {"pack.yaml": pack("good").encode()}


def test_too_many_files_are_refused_and_a_folder_of_them_is_taken(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    assert len(GitSource(repository.address, tag="v1.0.0", path="packs").releases()) == 1
    assert "has more than 1 files; name the folder of the pack" in refusal(repository.address, tag="v1.0.0")


def test_what_is_fetched_is_bounded_in_bytes(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = Repository(tmp_path / "large")
    made.commit({"noise": os.urandom(300_000), "pack.yaml": pack()}, tag="v1")
    monkeypatch.setattr("scoring.extensions.sharing.sources.process.MOST_FETCHED", 100_000)
    assert "it is damaged, or larger than" in refusal(made.address, tag="v1")


def test_a_moved_tag_shows_another_commit(tmp_path: Path) -> None:
    made = Repository(tmp_path / "moved")
    before = made.commit({"pack.yaml": pack()}, tag="v1")
    (old,) = GitSource(made.address, tag="v1").releases()
    after = made.commit({"pack.yaml": pack(more="doc: other\n")}, tag="v1")
    (new,) = GitSource(made.address, tag="v1").releases()
    assert (old.revision, new.revision) == (f"commit {before}", f"commit {after}")
    assert old.content.files != new.content.files


def test_a_folder_of_the_same_commit_is_a_source_of_its_own(repository: Repository) -> None:
    source = GitSource(repository.address, tag="v1.0.0", path="data.csv")
    (found,) = source.sibling("../close", "packs/shapes").releases()
    assert found.at == "packs/close/pack.yaml"
    with pytest.raises(InputError, match="is outside it"):
        source.sibling("../../..", "packs")


def test_the_repository_that_one_works_in_has_no_part(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert len(GitSource(repository.address, tag="v1.0.0").releases()) == 1


def test_a_git_that_is_not_installed_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git can't be started" in refusal(repository.address, tag="v1.0.0")
