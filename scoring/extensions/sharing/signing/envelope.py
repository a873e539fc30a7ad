"""The format of signatures: that of OpenSSH (SSHSIG), which `ssh-keygen -Y verify` checks on any machine.

It was chosen over DSSE with in-toto, and over a custom format, because authors already have such keys and have
published them, every system has a program to check a signature without this library, a namespace separates uses, and
the whole is 177 bytes with fixed positions. Only one encoding of those that the format allows is accepted, so that two
different files are never the same signature.


Source:
    PROTOCOL.sshsig of OpenSSH 9.2
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.data.file_format import require
from scoring.extensions.sharing.signing.author_key import KIND, AuthorKey
from scoring.extensions.sharing.signing.statement import Statement
from scoring.extensions.verification.read import MOST_SIGNATURE
from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MAGIC, _VERSION, _HASH = b"SSHSIG", 1, b"sha512"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_WIDTH = 70
_ARMOURED = lazy_pattern(rf"{_BEGIN}\n((?:[A-Za-z0-9+/=]{{1,{_WIDTH}}}\n)+){_END}\n")


class BadSignature(ValueError):
    """The error for an invalid signature; its message is the reason in a few words."""


class Envelope(Struct, frozen=True):
    """A signature as read from a file, not checked yet: the public key, the namespace and the 64 signature bytes."""

    key: AuthorKey
    namespace: str
    signature: bytes

    def text(self) -> str:
        """Return the text of the signature file, in the only encoding that is accepted."""
        wrapped = _field(_field(KIND.encode()) + _field(self.signature))
        head = _MAGIC + struct.pack(">I", _VERSION) + _field(self.key.blob) + _field(self.namespace.encode())
        return armoured(base64.b64encode(head + _field(b"") + _field(_HASH) + wrapped).decode())

    @property
    def line(self) -> str:
        """The signature as a single line of Base64, as a lock contains it."""
        return "".join(self.text().split("\n")[1:-2])

    @classmethod
    def read(cls, content: bytes) -> Envelope:
        """Return the signature that a file contains, without checking whether it is valid.

        Args:
            content: The bytes of the file.

        Raises:
            BadSignature: when the file is not a signature, or not in the accepted encoding.
        """
        if len(content) > MOST_SIGNATURE:
            raise BadSignature(f"its file has more than {MOST_SIGNATURE:,} bytes")
        try:
            text = content.decode("ascii")
            found = _ARMOURED.fullmatch(text)
            if found is None:
                raise BadSignature("its file is not an SSH signature")
            blob = base64.b64decode(found[1].replace("\n", ""), validate=True)
            envelope = _envelope(blob)
        except (UnicodeDecodeError, binascii.Error, struct.error):
            raise BadSignature("its file is not an SSH signature") from None
        if envelope.text() != text:
            raise BadSignature("its file is not written as signatures are")
        return envelope

    def check(self, statement: Statement) -> None:
        """Check that this signature is one of the given statement, made with the key that it names.

        Raises:
            BadSignature: when it is of another statement, or was not made with that key.
            InputError: when the extra `sign` is not installed.
        """
        if self.namespace != statement.namespace:
            raise BadSignature(f"it is for `{self.namespace:.40}`, not for `{statement.namespace}`")
        ed25519, invalid = _library()
        try:
            ed25519.Ed25519PublicKey.from_public_bytes(self.key.raw).verify(self.signature, _signed(statement))
        except (invalid, ValueError):
            raise BadSignature(f"it is not for {statement} as it is here") from None


def armoured(line: str) -> str:
    """Return the text of a signature file, given the signature as a single line of Base64, as a lock contains it."""
    lines = [line[at : at + _WIDTH] for at in range(0, len(line), _WIDTH)]
    return "\n".join([_BEGIN, *lines, _END, ""])


def sign_statement(statement: Statement, key: Ed25519PrivateKey) -> Envelope:
    """Return the signature of a statement, made with a private key."""
    public = AuthorKey(key.public_key().public_bytes_raw())
    return Envelope(public, statement.namespace, key.sign(_signed(statement)))


def _library() -> tuple[Any, type[Exception]]:
    what, extra = "a signature", "scoring-dsl[sign]"
    ed25519 = require(what, "cryptography.hazmat.primitives.asymmetric.ed25519", extra)
    invalid: type[Exception] = require(what, "cryptography.exceptions", extra).InvalidSignature
    return ed25519, invalid


def _signed(statement: Statement) -> bytes:
    """Return the bytes that the key signs for a statement; their prefix prevents confusion with anything else that such
    a key signs."""
    found = hashlib.sha512(statement.text().encode()).digest()
    return _MAGIC + _field(statement.namespace.encode()) + _field(b"") + _field(_HASH) + _field(found)


def _field(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _envelope(blob: bytes) -> Envelope:
    """Return the signature that the decoded bytes of a file contain, with fields that are each preceded by their
    length.

    Raises:
        BadSignature: when the bytes are not such a signature, or there are too many or too few.
        struct.error: when the bytes end within a field's length.
    """
    if not blob.startswith(_MAGIC) or struct.unpack_from(">I", blob, len(_MAGIC))[0] != _VERSION:
        raise BadSignature("its file is not an SSH signature of version 1")
    fields, at = [], len(_MAGIC) + 4
    for _ in range(5):
        size = struct.unpack_from(">I", blob, at)[0]
        fields.append(blob[at + 4 : at + 4 + size])
        at += 4 + size
    key, namespace, reserved, hashed, wrapped = fields
    prefix = _field(KIND.encode()) + struct.pack(">I", 64)
    if (
        at != len(blob)
        or reserved
        or hashed != _HASH
        or not wrapped.startswith(prefix)
        or len(wrapped) != len(prefix) + 64
    ):
        raise BadSignature(f"its file is not a `{KIND}` signature with sha512")
    try:
        return Envelope(AuthorKey.from_blob(key), namespace.decode("ascii"), wrapped[len(prefix) :])
    except ValueError as error:
        raise BadSignature(str(error)) from None
