"""Whose signature counts: files of authors, signatures, bundles and keys that a stranger wrote, or a full disk cut."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from tests.extensions.sharing.signing.keys import key_file, public_key, trust_file

SCORING = str(Path(sys.executable).parent / "scoring")
KEY, OTHER = public_key().text, public_key(1).text
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed run, a signed bundle of it, and who is trusted."""
    home = tmp_path_factory.mktemp("trust")
    spec = {"kind": "task", "name": "acme/answers", "version": "1.2.0", "score": "equal"}
    (home / "task.json").write_text(json.dumps(spec))
    (home / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        scoring.evaluate("task.json", "data.jsonl", output="run")
        scoring.packs.sign("run", key=key_file(home / "key"))
        scoring.runs.bundle("run", "run.zip")
        scoring.packs.sign("run.zip", key="key")
    trust_file(home / "trust.toml", 0)
    return home


@pytest.fixture(autouse=True)
def _there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


SIGNERS: dict[str, tuple[str, int, str]] = {
    "an author": (f"ann {KEY}\n", 0, "signed by ann"),
    "an author of Windows": (f'ann namespaces="scoring-run" {KEY}\r\n', 0, "signed by ann"),
    "another key": (f"ann {OTHER}\n", 1, "a key you don't know"),
    "a comment with a key behind it": (f"ann {OTHER} {KEY}\n", 1, "a key you don't know"),
    "a key for git alone": (f'ann namespaces="git" {KEY}\n', 1, "who is not trusted with this run"),
    "a key for packs alone": (f'ann namespaces="scoring-pack" {KEY}\n', 1, "who is not trusted with this run"),
    "no namespace": (f'ann namespaces="" {KEY}\n', 2, "is not read"),
    "a namespace twice": (f'ann namespaces="git",namespaces="scoring-run" {KEY}\n', 2, "is not read"),
    "an authority": (f"ann cert-authority {KEY}\n", 2, "`cert-authority` is not read"),
    "a key of the past": (f'ann valid-before="20200101" {KEY}\n', 2, "`valid-before` is not read"),
    "a past behind a namespace": (f'ann namespaces="scoring-run",valid-before="20200101" {KEY}\n', 2, "is not read"),
    "all": (f"* {KEY}\n", 2, "is a pattern"),
    "all but": (f"!ann,* {KEY}\n", 2, "is a pattern"),
    "a certificate": ("ann ssh-ed25519-cert-v01@openssh.com AAAA\n", 2, "only keys of the kind"),
    "a key of another kind": ("ann ssh-rsa AAAAB3NzaC1yc2E=\n", 2, "only keys of the kind"),
    "a key twice": (f"ann ssh-ed25519 {KEY.split()[1] * 2}\n", 2, "s:1: "),
    # What no program of OpenSSH takes for the end of a line hides a key behind what people read as a comment.
    "a key behind a line separator": (f"# comment\u2028ann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a key behind a page": (f"# comment\x0cann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a key behind a next line": (f"# comment\x85ann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a key behind a return": (f"# comment\rann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a name that turns the line": (f"\u202eann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a name with a zero": (f"a\0nn {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a name with a mark": (f"\ufeffann {KEY}\n", 2, "s:1: it has a sign that can't be shown"),
    "a name that is empty": (f'"" {KEY}\n', 2, "s:1: an author has no name"),
    "names that are empty": (f", {KEY}\n", 2, "s:1: an author has no name"),
}


@pytest.mark.parametrize(("text", "code", "says"), SIGNERS.values(), ids=SIGNERS)
def test_a_file_of_signers_says_what_people_read(text: str, code: int, says: str, capsys: Capture) -> None:
    Path("s").write_bytes(text.encode())
    assert main(["verify", "run", "--trust", "s"]) == code
    said = capsys.readouterr()
    assert says in said.out + said.err


def _blob(change: Callable[[bytes], bytes]) -> Callable[[str], str]:
    """A change of what stands between the lines of a signature."""

    def changed(text: str) -> str:
        first, *middle, last = text.splitlines()
        held = base64.b64encode(change(base64.b64decode("".join(middle)))).decode()
        return "\n".join([first, *(held[at : at + 70] for at in range(0, len(held), 70)), last, ""])

    return changed


def _larger(blob: bytes) -> bytes:
    """The same signature with a number that is larger by the order of the group."""
    order = 2**252 + 27742317777372353535851937790883648493
    return blob[:-32] + (int.from_bytes(blob[-32:], "little") + order).to_bytes(32, "little")


SIGNATURES: dict[str, Callable[[str], str]] = {
    "twice": lambda text: text * 2,
    "cut": lambda text: text[:200],
    "without its end": lambda text: text[:-1],
    "of Windows": lambda text: text.replace("\n", "\r\n"),
    "on one line": lambda text: text.replace("\n", "").replace("-----U", "-----\nU").replace("=-----E", "=\n-----E"),
    "of the bundle": lambda _: Path("run.zip.sig").read_text(),
    "for files": _blob(lambda blob: blob.replace(b"\0\0\0\x0bscoring-run", b"\0\0\0\x04file")),
    "of another hash": _blob(lambda blob: blob.replace(b"sha512", b"sha256")),
    "of zeros": _blob(lambda blob: blob[:-64] + bytes(64)),
    "by a larger number": _blob(_larger),
    "with more behind it": _blob(lambda blob: blob + b"\0"),
}


@pytest.mark.parametrize("change", SIGNATURES.values(), ids=SIGNATURES)
def test_another_signature_does_not_fit(change: Callable[[str], str], tmp_path: Path, capsys: Capture) -> None:
    shutil.copytree("run", tmp_path / "run")
    place = tmp_path / "run" / "manifest.json.sig"
    place.write_bytes(change(place.read_text()).encode())
    assert main(["verify", str(tmp_path / "run"), "--trust", "trust.toml"]) == 1
    assert "signature does not fit" in capsys.readouterr().out


def test_a_member_below_another_is_refused_in_words(tmp_path: Path, capsys: Capture) -> None:
    with zipfile.ZipFile("run.zip") as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(held.pop("bundle.json"))
    held["run/manifest.json/x"] = b"x"
    head["members"]["run/manifest.json/x"] = {"bytes": 1, "sha256": sha256(b"x").hexdigest()}
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name, content in {**held, "bundle.json": json.dumps(head).encode()}.items():
            archive.writestr(name, content)
    assert main(["verify", str(tmp_path / "x.zip")]) == 2
    said = capsys.readouterr().err
    assert "can't be unpacked (file exists" in said
    assert "Errno" not in said


@pytest.mark.skipif(os.name == "nt", reason="there is no limit on the size of a file")
def test_a_key_that_can_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    said = _on_a_full_disk(tmp_path, "sign", "--new-key", "key")
    assert "can't write key: file too large" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="there is no limit on the size of a file")
def test_a_project_that_can_not_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "scoring.toml").write_text("[packs]\n")
    assert "can't lock" in _on_a_full_disk(tmp_path, "lock")


def _on_a_full_disk(folder: Path, *words: str) -> str:
    """What a command says that can write no byte into any file."""
    command = f'ulimit -f 0; exec "$0" {" ".join(words)}'
    done = subprocess.run(
        ["sh", "-c", command, SCORING],
        cwd=folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False,
        timeout=30,
    )  # fmt: skip
    assert done.returncode == 2
    return done.stderr
