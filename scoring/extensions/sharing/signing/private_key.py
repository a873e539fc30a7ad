"""Reading and creation of private keys, whose content never appears in output.

A key is only read from a file that nobody but its owner may read. The cryptography library's error messages may quote
a key, so they are not passed on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import system
from scoring.data.file_format import require
from scoring.data.os_errors import refused
from scoring.data.output import write_file
from scoring.data.plain_files import open_plain
from scoring.errors import InputError
from scoring.extensions.sharing.signing.author_key import AuthorKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

VARIABLE = "SCORING_KEY_PASSPHRASE"
"""The variable of the environment that has the passphrase of a key."""

MOST_BYTES = 64_000
"""The most bytes of a key file."""

_FORMS = {
    b"-----BEGIN OPENSSH PRIVATE KEY-----": "load_ssh_private_key",
    b"-----BEGIN PRIVATE KEY-----": "load_pem_private_key",
    b"-----BEGIN ENCRYPTED PRIVATE KEY-----": "load_pem_private_key",
}


def read_private_key(path: str | Path, ask: Callable[[], str] | None = None) -> Ed25519PrivateKey:
    """Return the ed25519 private key in a file in OpenSSH's format or in PEM (PKCS #8).

    Args:
        path: The path of the file.
        ask: Returns the passphrase; called if the key has one and the environment does not contain it.

    Raises:
        InputError: when the file can't be read, others may read it, its passphrase is missing or wrong, or the key is
            of another kind; or when the extra `sign` is not installed.
    """
    content, is_open = _content(Path(path))
    reader = next((name for head, name in _FORMS.items() if content.lstrip().startswith(head)), None)
    if reader is None:
        what = "a public key" if content.startswith((b"ssh-", b"-----BEGIN PUBLIC")) else "no key"
        raise InputError(f"{path} is {what}; a private key is expected, as `scoring sign --new-key FILE` makes one")
    if is_open:
        raise InputError(f"others may read the private key {path}: chmod 600 {path}")
    load = getattr(_serialization(), reader)
    secret = os.environ.get(VARIABLE)
    try:
        key = load(content, None)
    except TypeError:  # it has a passphrase
        passphrase = secret if secret is not None else ask() if ask is not None else None
        if not passphrase:
            raise InputError(f"{path} has a passphrase: type it when asked, or give it in {VARIABLE}") from None
        key = _unlocked(load, content, passphrase, path)
    except Exception:  # the library's message may quote the key
        raise InputError(f"{path} can't be read as a private key; is it whole?") from None
    return _ed25519(key, path)


def _unlocked(load: Callable[[bytes, bytes], object], content: bytes, secret: str, path: str | Path) -> object:
    try:
        return load(content, secret.encode("utf-8", "surrogateescape"))
    except Exception as error:
        if isinstance(error, ImportError) or type(error).__name__ == "UnsupportedAlgorithm":
            raise InputError(
                f"{path} is encrypted in a way that can't be read here: pip install 'scoring-dsl[sign]'"
            ) from None
        raise InputError(f"the passphrase of {path} is wrong") from None


def _ed25519(key: object, path: str | Path) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(
            f"{path} is a key of another kind; ed25519 is expected, as `scoring sign --new-key FILE` makes"
        )
    return key


def _content(path: Path) -> tuple[bytes, bool]:
    """Return the content of a file, and True if others than its owner may read it."""
    try:
        with open_plain(path) as file:
            is_open = system.is_open_to_others(os.fstat(file.fileno()))
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"can't read the private key {path}: {refused(error)}") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{path} has more than {MOST_BYTES:,} bytes, which no key has")
    return content, is_open


def new_private_key(path: str | Path, *, passphrase: str | None = None, comment: str = "") -> AuthorKey:
    """Create a key pair and return the public key.

    The private key is written to a file that only its owner may read, the public key next to it with the suffix `.pub`.

    Args:
        path: The path of the private key; neither file may exist.
        passphrase: The passphrase with which the private key is encrypted, if any.
        comment: The comment after the public key, such as an address.

    Raises:
        InputError: when a file exists already, or can't be written; or when the extra `sign` is not installed.
    """
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    target, public = Path(path), Path(f"{path}.pub")
    for one in (target, public):
        if os.path.lexists(one):
            raise InputError(f"{one} exists; a key is never replaced: choose another name")
    key = Ed25519PrivateKey.generate()
    locked = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(passphrase.encode("utf-8", "surrogateescape"))
    form = serialization.PrivateFormat.OpenSSH
    content = key.private_bytes(serialization.Encoding.PEM, form, locked)
    try:
        # The file must never be readable for others, not even briefly; `write_file` would apply the umask.
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NO_LINK, 0o600)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(content)
        except OSError:
            target.unlink()  # a partial file would block the next attempt
            raise
    except OSError as error:
        raise InputError(f"can't write {target}: {refused(error)}") from None
    made = AuthorKey(key.public_key().public_bytes_raw())
    said = " ".join("".join(one if one.isprintable() else " " for one in comment).split())
    try:
        write_file(public, f"{made.text} {said}".strip().encode() + b"\n")
    except BaseException:
        target.unlink()  # half a pair would block the next attempt
        raise
    return made


def _serialization() -> Any:
    return require("a signature", "cryptography.hazmat.primitives.serialization", "scoring-dsl[sign]")
