"""A project that wants signatures takes no other pack, from whichever source, and asks no network for that."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from tests.extensions.sharing.signing.keys import key_file, public_key
from tests.support.locking import lock_project

PACK = "kind: pack\nname: close\nversion: {}\nscorers:\n  near: levenshtein | zero_below({})\n"
RELEASED = """kind: pack
name: close
version: 1.0.0
doc: How near two texts are.
scorers:
  near: {doc: Near., source: ours, score: levenshtein | zero_below(0.8), examples: [[a, a, 1.0]]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside the folder of an author, who has signed what it uses."""
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    for number in (0, 1):
        key_file(tmp_path / f"key-{number}", number)
    (theirs / "close.yaml").write_text(PACK.format("1.0.0", 0.8))
    scoring.packs.sign(theirs / "close.yaml", key=tmp_path / "key-0")
    (ours / "task.yaml").write_text("kind: task\nname: t\nimports: {c: close@1}\nscore: c.near\n")
    write_project(ours, 'close = {folder = "../theirs"}')
    monkeypatch.chdir(ours)
    return tmp_path


def write_project(folder: Path, packs: str, require: str = "close", number: int = 0) -> None:
    trust = f'[trust]\nrequire = ["{require}"]\n[trust.authors]\nann = "{public_key(number).text}"\n'
    (folder / "scoring.toml").write_text(f"[packs]\n{packs}\n{trust}")


def refused(**how: Any) -> str:
    with pytest.raises(SpecError) as caught:
        lock_project(**how)
    (finding,) = caught.value.diagnostics
    assert finding.id == "not-trusted"
    assert finding.span is not None
    assert finding.span.text == "trust"
    return finding.message


def locked() -> dict[str, str]:
    found: dict[str, str] = json.loads(Path("scoring.lock").read_text())["packs"]["close@1.0.0"]
    return found


def test_a_signed_pack_is_taken_and_its_signature_is_locked(project: Path) -> None:
    assert [pack.name for pack in lock_project().packs] == ["close"]
    assert len(locked()["signature"]) == 244
    assert lock_project(frozen=True).written is False
    assert scoring.check("task.yaml").passed


def test_an_unsigned_pack_is_not_taken(project: Path) -> None:
    (project / "theirs" / "close-1.0.0.sig").unlink()
    assert "is not signed" in refused()
    assert not Path("scoring.lock").exists()


def test_a_pack_of_a_stranger_is_not_taken(project: Path) -> None:
    scoring.packs.sign(project / "theirs" / "close.yaml", key=project / "key-1", force=True)
    assert "by a key that belongs to no author" in refused()


def test_a_pack_that_was_edited_after_it_was_signed_is_not_taken(project: Path) -> None:
    (project / "theirs" / "close.yaml").write_text(PACK.format("1.0.0", 0.5))
    assert "does not fit" in refused()


@pytest.mark.parametrize("content", [b"", b"garbage", b"x" * 100_000, b"-----BEGIN SSH SIGNATURE-----\n"])
def test_garbage_in_place_of_a_signature_is_refused(project: Path, content: bytes) -> None:
    (project / "theirs" / "close-1.0.0.sig").write_bytes(content)
    assert "does not fit: its file is not an SSH signature" in refused()


def test_a_signature_that_was_wanted_later_is_found_where_the_pack_comes_from(project: Path) -> None:
    (project / "theirs" / "close-1.0.0.sig").unlink()
    write_project(project / "ours", 'close = {folder = "../theirs"}', "other")
    lock_project()
    assert "signature" not in locked()
    write_project(project / "ours", 'close = {folder = "../theirs"}')
    assert "is not signed" in refused(frozen=True)
    scoring.packs.sign(project / "theirs" / "close.yaml", key=project / "key-0")
    lock_project()
    lock_project(frozen=True)


def test_a_lock_whose_signature_was_changed_is_refused_without_a_network(project: Path) -> None:
    lock_project()
    text, signature = Path("scoring.lock").read_text(), locked()["signature"]
    for other, why in (
        (signature[:100] + ("B" if signature[100] == "A" else "A") + signature[101:], "does not fit"),
        ("", "is not signed"),
        ("x" * 1_999, "does not fit"),
    ):
        Path("scoring.lock").write_text(text.replace(signature, other))
        assert why in refused(frozen=True)
        assert main(["lock", "--frozen"]) == 1


def test_a_key_that_is_no_longer_trusted_ends_the_trust(project: Path) -> None:
    lock_project()
    write_project(project / "ours", 'close = {folder = "../theirs"}', number=1)
    assert "by a key that belongs to no author" in refused(frozen=True)


def test_an_alias_does_not_hide_a_pack_from_the_demand(project: Path) -> None:
    (project / "theirs" / "close-1.0.0.sig").unlink()
    (project / "ours" / "task.yaml").write_text("kind: task\nname: t\nimports: {c: near@1}\nscore: c.near\n")
    for require in ("close", "near"):
        write_project(project / "ours", 'near = {folder = "../theirs", pack = "close"}', require)
        assert "`close` 1.0.0 is not signed" in refused()


def test_a_signature_comes_with_a_pack_from_git(project: Path) -> None:
    theirs = project / "theirs"
    for words in (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "1"],
        ["tag", "v1"],
    ):
        subprocess.run(["git", "-C", str(theirs), *words], check=True)
    write_project(project / "ours", f'close = {{git = "{theirs.as_uri()}", tag = "v1"}}')
    lock_project()
    assert len(locked()["signature"]) == 244


def test_what_is_shipped_needs_no_signature(project: Path) -> None:
    write_project(project / "ours", 'close = {folder = "../theirs"}\nanls = "1"', "*")
    assert [pack.name for pack in lock_project().packs] == ["anls", "close"]
    lock_project(frozen=True)


def test_what_only_says_that_it_is_shipped_needs_one(project: Path) -> None:
    write_project(project / "ours", 'close = {folder = "../theirs"}', "*")
    lock_project()
    held = json.loads(Path("scoring.lock").read_text())
    entry = {**held["packs"]["close@1.0.0"], "source": {}, "signature": ""}
    held["packs"]["anls@9.0.0"] = entry
    Path("scoring.lock").write_text(json.dumps(held))
    assert "`anls` 9.0.0 is not signed" in refused(frozen=True)


def test_a_signature_comes_with_a_pack_from_an_address(project: Path) -> None:
    theirs, store = project / "theirs" / "close.yaml", project / "store"
    theirs.write_text(RELEASED)
    scoring.packs.sign(theirs, key=project / "key-0", force=True)
    found = scoring.packs.release(theirs, to=store)
    assert found.passed, found.findings
    write_project(project / "ours", f'close = {{address = "{store.as_uri()}"}}')
    lock_project()
    assert len(locked()["signature"]) == 244
    # A list of releases is easily made anew by whoever can write there; a signature is not.
    Path("scoring.lock").unlink()
    (signature,) = store.rglob("*.sig")
    signature.unlink()
    listed = json.loads((store / "versions.json").read_text())
    files = listed["packs"]["close"]["1.0.0"]["files"]
    del files[signature.relative_to(store).as_posix()]
    (store / "versions.json").write_text(json.dumps(listed))
    assert "is not signed" in refused()


def test_what_is_added_is_held_to_the_trust_of_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project(project / "ours", "")
    Path("task.yaml").unlink()
    assert main(["add", "../theirs"]) == 0
    assert main(["remove", "close"]) == 0
    (project / "theirs" / "close-1.0.0.sig").unlink()
    before = Path("scoring.toml").read_text()
    capsys.readouterr()
    assert main(["add", "../theirs"]) == 1
    assert "`close` 1.0.0 is not signed" in capsys.readouterr().err
    assert Path("scoring.toml").read_text() == before
