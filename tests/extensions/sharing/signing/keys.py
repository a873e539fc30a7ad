"""Keys of authors, made here: the seed is the count from 0, so signatures can be compared with those of OpenSSH."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from scoring.extensions.sharing.signing.author_key import AuthorKey


def private_key(number: int = 0) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes(range(number, number + 32)))


def public_key(number: int = 0) -> AuthorKey:
    return AuthorKey(private_key(number).public_key().public_bytes_raw())


def key_file(path: Path, number: int = 0, passphrase: bytes | None = None, pem: bool = False) -> Path:
    form = serialization.PrivateFormat.PKCS8 if pem else serialization.PrivateFormat.OpenSSH
    locked: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase is not None:
        locked = serialization.BestAvailableEncryption(passphrase)
    path.touch(0o600)
    path.write_bytes(private_key(number).private_bytes(serialization.Encoding.PEM, form, locked))
    return path


def trust_file(path: Path, *numbers: int, **more: str) -> Path:
    """A file of trusted authors, called `author-0` and so on."""
    lines = ["[trust]", *(f"{name} = {value}" for name, value in more.items()), "[trust.authors]"]
    path.write_text("\n".join([*lines, *(f'author-{one} = "{public_key(one).text}"' for one in numbers), ""]))
    return path
