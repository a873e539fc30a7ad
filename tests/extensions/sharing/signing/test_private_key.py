"""Keys are read from files that nobody else may read, and never shown, whatever goes wrong."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import scoring
from scoring.cli.main import main
from scoring.extensions.sharing.signing.private_key import VARIABLE, new_private_key, read_private_key
from tests.extensions.sharing.signing.keys import key_file, private_key


@pytest.fixture(autouse=True)
def _no_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("pem", [False, True])
def test_keys_of_both_forms_are_read(tmp_path: Path, pem: bool) -> None:
    found = read_private_key(key_file(tmp_path / "key", pem=pem))
    assert found.private_bytes_raw() == private_key().private_bytes_raw()


@pytest.mark.parametrize("pem", [False, True])
def test_a_passphrase_is_taken_from_the_environment_or_asked_for(
    tmp_path: Path, pem: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = key_file(tmp_path / "key", passphrase=b"open sesame", pem=pem)
    assert read_private_key(file, lambda: "open sesame").private_bytes_raw() == private_key().private_bytes_raw()
    with pytest.raises(scoring.InputError, match="has a passphrase"):
        read_private_key(file)
    with pytest.raises(scoring.InputError, match="is wrong"):
        read_private_key(file, lambda: "wrong")
    monkeypatch.setenv(VARIABLE, "open sesame")
    assert read_private_key(file).private_bytes_raw() == private_key().private_bytes_raw()


def test_a_new_key_is_its_owners_alone_and_replaces_none(tmp_path: Path) -> None:
    made = new_private_key(tmp_path / "key", comment="ann\nssh-rsa x")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert (tmp_path / "key.pub").read_text() == f"{made.text} ann ssh-rsa x\n"
    assert read_private_key(tmp_path / "key").public_key().public_bytes_raw() == made.raw
    with pytest.raises(scoring.InputError, match="never replaced"):
        new_private_key(tmp_path / "key")
    (tmp_path / "other.pub").symlink_to(tmp_path / "nowhere")
    with pytest.raises(scoring.InputError, match="never replaced"):
        new_private_key(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = key_file(tmp_path / "key")
    for mode in (0o640, 0o604, 0o644):
        file.chmod(mode)
        with pytest.raises(scoring.InputError, match="chmod 600"):
            read_private_key(file)


def _odd_files(folder: Path) -> dict[str, Path]:
    elliptic = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    whole = key_file(folder / "whole").read_bytes()
    contents = {
        "another kind": elliptic,
        "cut": whole[:200],
        "changed": whole.replace(b"A", b"B"),
        "public": b"ssh-ed25519 AAAA",
        "empty": b"",
        "huge": whole + b"\n" * 100_000,
        "garbage": bytes(range(256)),
    }
    found = {"folder": folder, "gone": folder / "gone"}
    for name, content in contents.items():
        found[name] = folder / name.replace(" ", "-")
        found[name].touch(0o600)
        found[name].write_bytes(content)
    return found


def test_what_is_no_key_is_one_line_that_shows_nothing_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "a passphrase that is nobody's")
    whole = key_file(tmp_path / "key").read_text().splitlines()[1:-1]
    for name, file in _odd_files(tmp_path).items():
        with pytest.raises(scoring.InputError) as caught:
            read_private_key(file)
        said = str(caught.value)
        assert "\n" not in said, name
        assert caught.value.__cause__ is None, name
        assert not any(line in said for line in whole), name
        assert "nobody's" not in said, name
    assert main(["sign", "--key", "k", "--new-key", "k"]) == 2
    assert "not allowed with" in capsys.readouterr().err


class Terminal:
    """A terminal at which somebody types."""

    def __init__(self, *typed: str) -> None:
        self.typed = list(typed)

    def isatty(self) -> bool:
        return True

    def ask(self, prompt: str = "", stream: object = None) -> str:
        return self.typed.pop(0)


def test_a_passphrase_is_typed_and_typed_twice_for_a_new_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")

    def at(*typed: str) -> Terminal:
        terminal = Terminal(*typed)
        monkeypatch.setattr("sys.stdin", terminal)
        monkeypatch.setattr("getpass.getpass", terminal.ask)
        return terminal

    at("a secret word", "another")
    assert main(["sign", "--new-key", "key"]) == 2
    assert not (tmp_path / "key").exists()
    at("a secret word", "a secret word")
    assert main(["sign", "--new-key", "key"]) == 0
    at("wrong")
    assert main(["sign", "pack.yaml", "--key", "key"]) == 2
    at("a secret word")
    assert main(["sign", "pack.yaml", "--key", "key"]) == 0
    at("")
    assert main(["sign", "--new-key", "open"]) == 0
    said = capsys.readouterr()
    assert "a secret word" not in said.out + said.err
    assert "encrypted with your passphrase" in said.out
    inside = (tmp_path / "key").read_text().splitlines()[1:-1]
    assert not any(line in said.out + said.err for line in inside)


def test_a_missing_library_is_one_line_that_names_the_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    key_file(tmp_path / "key")
    scoring.packs.sign("pack.yaml", key="key")
    for module in ("hazmat.primitives.serialization", "hazmat.primitives.asymmetric.ed25519", "exceptions"):
        monkeypatch.setitem(sys.modules, f"cryptography.{module}", None)
    for arguments in (
        ["verify", "pack.yaml"],
        ["sign", "pack.yaml", "--key", "key", "--force"],
        ["sign", "--new-key", "other"],
    ):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "pip install 'scoring-dsl[sign]'" in said
    (tmp_path / "p-1.0.0.sig").unlink()
    assert main(["verify", "pack.yaml"]) == 0  # where there is nothing to check, nothing is needed
