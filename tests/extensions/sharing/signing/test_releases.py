"""Releases of packs: signed beside their file, read with them from any source, and refused where trust is wanted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.extensions.sharing.signing.check import check_release
from scoring.extensions.sharing.signing.statement import Statement
from scoring.extensions.sharing.signing.trust import Trust, TrustedKey
from scoring.extensions.sharing.sources.folder import FolderSource
from tests.extensions.sharing.signing.keys import key_file, public_key, trust_file

TRUST = Trust((TrustedKey("ann", public_key()),), ("close",), "scoring.toml")


def pack(version: str, score: str = "house.near") -> str:
    return (
        f"kind: pack\nname: close\nversion: {version}\nimports: {{house: ../house.yaml}}\n"
        f"scorers:\n  near:\n    score: {score}\n"
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with two signed versions of a pack, which import a file beside their folder."""
    folder = tmp_path / "packs"
    folder.mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "house.yaml").write_text("kind: pack\nname: house\nversion: 1.0.0\nscorers:\n  near: equal\n")
    key_file(tmp_path / "key")
    for version in ("1.0.0", "1.1.0"):
        (folder / f"close-{version}.yaml").write_text(pack(version))
        scoring.packs.sign(folder / f"close-{version}.yaml", key=tmp_path / "key")
    return tmp_path


def checked(source: Path, version: str, trust: Trust = TRUST) -> str:
    """Whom the release of a version that a source offers is by."""
    release = next(
        one for one in FolderSource(source, "there").releases() if (one.name, one.version) == ("close", version)
    )
    said = Statement("pack", release.name, release.version, release.content.digest)
    found = check_release(release.content.signature, said, trust)
    assert found is not None
    return found.author


def test_a_signed_release_is_its_authors(source: Path) -> None:
    assert sorted(path.name for path in (source / "packs").glob("*.sig")) == ["close-1.0.0.sig", "close-1.1.0.sig"]
    assert [checked(source, version) for version in ("1.0.0", "1.1.0")] == ["ann", "ann"]
    trust = trust_file(source / "trust.toml", 0)
    found = scoring.packs.signed_by(source / "packs" / "close-1.0.0.yaml", trust=trust)
    assert (found.state, found.author) == ("signed", "author-0")


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [([], 0, "signed by a key you don't know"), (["--trust", "trust.toml"], 0, "signed by author-0")],
)
def test_verify_says_whose_a_release_is(
    source: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    code: int,
    says: str,
) -> None:
    monkeypatch.chdir(source)
    trust_file(source / "trust.toml", 0)
    assert main(["verify", "packs/close-1.0.0.yaml", *options]) == code
    assert says in capsys.readouterr().out
    (source / "packs" / "close-1.0.0.sig").unlink()
    assert main(["verify", "packs/close-1.0.0.yaml", *options]) == (1 if options else 0)
    assert "not signed" in capsys.readouterr().out
    assert main(["verify", "packs/close-1.0.0.yaml", "--data", "x"]) == 2


def test_a_signature_is_no_part_of_what_it_is_of(source: Path) -> None:
    file = source / "packs" / "close-1.0.0.yaml"
    before = scoring.packs.statement(file)
    scoring.packs.sign(file, key=source / "key", force=True)
    assert scoring.packs.statement(file) == before


@pytest.mark.parametrize("edited", ["packs/close-1.0.0.yaml", "house.yaml"])
def test_a_release_that_was_edited_is_refused(source: Path, edited: str) -> None:
    text = (source / edited).read_text()
    (source / edited).write_text(f"{text}# a comment\n")
    with pytest.raises(scoring.SpecError, match=r"the signature of `close` 1\.0\.0 does not fit"):
        checked(source, "1.0.0")


def test_a_signature_of_another_version_is_refused(source: Path) -> None:
    shutil.copy(source / "packs" / "close-1.1.0.sig", source / "packs" / "close-1.0.0.sig")
    with pytest.raises(scoring.SpecError, match=r"the signature of `close` 1\.0\.0 does not fit"):
        checked(source, "1.0.0")


def test_a_missing_signature_is_refused_where_one_is_wanted(source: Path) -> None:
    (source / "packs" / "close-1.0.0.sig").unlink()
    with pytest.raises(scoring.SpecError, match=r"is not signed, and `trust.require` of scoring.toml requires it"):
        checked(source, "1.0.0")


def test_strangers_and_authors_of_other_packs_are_refused(source: Path) -> None:
    for trusted, why in (
        (TrustedKey("bob", public_key(1)), "by a key that belongs to no author"),
        (TrustedKey("ann", public_key(), packs=("acme-*",)), "by ann, who may not sign it according to"),
    ):
        with pytest.raises(scoring.SpecError, match=why):
            checked(source, "1.0.0", Trust((trusted,), ("close",), "scoring.toml"))


def test_a_huge_signature_is_refused_before_it_is_read(source: Path) -> None:
    (source / "packs" / "close-1.0.0.sig").write_bytes(b"x" * 10_000)
    with pytest.raises(scoring.SpecError, match="its file has more than 4,000 bytes"):
        checked(source, "1.0.0")


def test_what_is_no_pack_is_not_signed(source: Path) -> None:
    for name, text, why in (
        ("none.yaml", "kind: task\nname: t\n", "is not a pack"),
        ("unnamed.yaml", "kind: pack\nversion: 1.0.0\n", "has no `name`"),
        ("unversioned.yaml", "kind: pack\nname: a\n", "has no version"),
        ("broken.yaml", "kind: pack\n  x", "broken.yaml"),
    ):
        (source / name).write_text(text)
        with pytest.raises(scoring.InputError, match=why):
            scoring.packs.sign(source / name, key=source / "key")
    with pytest.raises(scoring.InputError, match="there is no file"):
        scoring.packs.sign(source / "gone.yaml", key=source / "key")
