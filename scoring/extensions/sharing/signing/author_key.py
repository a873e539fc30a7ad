"""Public keys of authors in the format of OpenSSH: `ssh-ed25519 AAAA… ann@example.org`.

They are read without any library, so that trust can be shown and refused even where signatures can't be verified.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct

from msgspec import Struct

KIND = "ssh-ed25519"
LONGEST = 1_000
"""The most characters of a line with a public key."""

_HEAD = struct.pack(">I", len(KIND)) + KIND.encode() + struct.pack(">I", 32)
_PRIME = 2**255 - 19
# The y coordinates of points of small order: with such a key, one forged signature is valid for many texts.
_SMALL_ORDER = (
    0,
    1,
    _PRIME - 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
)


class AuthorKey(Struct, frozen=True):
    """An author's ed25519 public key.

    Args:
        raw: Its 32 bytes.

    Raises:
        ValueError: for bytes that are not a key, or a key with which signatures would prove nothing.
    """

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != 32:
            raise ValueError(f"an ed25519 key has 32 bytes, not {len(self.raw)}")
        y = int.from_bytes(self.raw, "little") & (2**255 - 1)
        if y >= _PRIME or y in _SMALL_ORDER:
            raise ValueError("the key is a point of small order, with which signatures prove nothing")

    @classmethod
    def from_blob(cls, blob: bytes) -> AuthorKey:
        """Return the key whose wire format (the kind and the bytes of the key, each preceded by its length) is given.

        Raises:
            ValueError: when it is not a key, or of another kind.
        """
        if not blob.startswith(_HEAD) or len(blob) != len(_HEAD) + 32:
            raise ValueError(f"only keys of the kind `{KIND}` are read")
        return cls(blob[len(_HEAD) :])

    @classmethod
    def from_text(cls, text: str) -> AuthorKey:
        """Return the key in a line such as `ssh-ed25519 AAAA… comment`.

        Raises:
            ValueError: when it is not a key, or of another kind.

        Examples:
            >>> key = AuthorKey(bytes(range(32)))
            >>> AuthorKey.from_text(f"{key.text} ann@example.org") == key
            True
        """
        words = text.split() if len(text) <= LONGEST else []
        if len(words) < 2:
            raise ValueError(f"a public key is a line such as `{KIND} AAAA…`")
        if words[0] != KIND:
            raise ValueError(f"only keys of the kind `{KIND}` are read, not `{words[0]:.40}`")
        try:
            blob = base64.b64decode(words[1], validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"what follows `{KIND}` is no base64") from None
        found = cls.from_blob(blob)
        if found.text.split()[1] != words[1]:
            raise ValueError(f"what follows `{KIND}` is no base64 as it is written for a key")
        return found

    @property
    def blob(self) -> bytes:
        """The key in wire format: its kind and its bytes, each preceded by its length."""
        return _HEAD + self.raw

    @property
    def text(self) -> str:
        """The key as a line in OpenSSH's format, `ssh-ed25519 AAAA…`, without a comment."""
        return f"{KIND} {base64.b64encode(self.blob).decode()}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint for people to compare, as printed by `ssh-keygen -l`.

        Examples:
            >>> AuthorKey(bytes(range(32))).fingerprint
            'SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA'
        """
        found = base64.b64encode(hashlib.sha256(self.blob).digest()).decode()
        return f"SHA256:{found.rstrip('=')}"
