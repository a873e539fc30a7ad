"""Streams of stored bytes: read as a whole within the limits, and digested while they are read.

The digest in a manifest is that of the data that was scored. While a file is read sequentially, every byte is added to
the digest, so nothing is read twice. For a reader that seeks, as Parquet's does, the whole file is digested separately;
its stamp, which includes the size and the time of its last change, shows that the file stayed the same meanwhile.
"""

from __future__ import annotations

import hashlib
import io
from typing import Any, BinaryIO

from scoring.data.limits import limits
from scoring.errors import InputError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20


def is_packed(start: bytes) -> bool:
    """Return whether a file with the given first bytes is compressed as a whole."""
    return start.startswith((GZIP, ZSTD))


def decompressed(stream: BinaryIO, name: str) -> BinaryIO:
    """Return a stream of decompressed bytes if the content, whatever the name, is compressed, else the same stream."""
    start = stream.read(4)
    stream.seek(0)
    if not is_packed(start):
        return stream
    from scoring.data.unpacking import unpacked

    return unpacked(stream, name, is_gzip=start.startswith(GZIP))


def read_whole(stream: BinaryIO, name: str, begin: bytes = b"") -> bytes:
    """Return all remaining bytes of a stream, after the bytes in `begin`.

    Raises:
        InputError: when they are more than may be kept in memory as a whole.
    """
    most = limits().whole
    buffer = io.BytesIO()
    buffer.write(begin)
    while piece := stream.read(_PIECE):
        if buffer.tell() + len(piece) > most:
            from scoring.data.limits import limit_message

            raise InputError(
                f"can't read {name}: {limit_message('it is too long to read into memory as a whole', 'whole')}"
            )
        buffer.write(piece)
    return buffer.getvalue()


class DigestedStream(io.RawIOBase):
    """A stream of one file's stored bytes that digests them while they are read.

    Args:
        stream: The stream of the bytes.
        name: The name of the file in messages.
        expected: The number and the digest of the bytes that were read before, by a run that is resumed.

    Attributes:
        is_whole: Whether the file was read sequentially to its end.
        skips: Whether the reader skipped bytes that it had not read.
    """

    def __init__(self, stream: BinaryIO, name: str = "", expected: tuple[int, str] | None = None) -> None:
        self._stream: Any = stream
        self._name, self._expected = name, expected
        self._found = hashlib.sha256()
        self._at = self.size = 0
        self.is_whole = self.skips = False

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, digest the bytes that were not digested before, and return the number of bytes."""
        count: int = self._stream.readinto(buffer)
        behind = self._at + count
        if self._at > self.size:
            self.skips = True
        elif behind > self.size:
            self._digest(memoryview(buffer)[self.size - self._at : count])
        elif not count and self._at == self.size:
            self.is_whole = True
            if self._expected is not None:
                raise other_than_before(self._name)
        self._at = behind
        return count

    def _digest(self, found: memoryview) -> None:
        self.size += len(found)
        if self._expected is not None and self.size >= self._expected[0]:
            before = len(found) - (self.size - self._expected[0])
            self._found.update(found[:before])
            if self._found.hexdigest() != self._expected[1]:
                raise other_than_before(self._name)
            found, self._expected = found[before:], None
        self._found.update(found)

    def expect(self, expected: tuple[int, str]) -> bool:
        """Compare the first bytes of the file with an expected digest as soon as they are read, and return True.

        If more bytes have already been read, nothing is compared, and False is returned.

        Args:
            expected: The number of bytes and their digest.

        Raises:
            InputError: when the file begins with other bytes.
        """
        if self.size > expected[0]:
            return False
        self._expected = expected
        if self.is_whole and self.size < expected[0]:
            raise other_than_before(self._name)
        self._digest(memoryview(b""))
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to a position and return it."""
        self._at = self._stream.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def seekable(self) -> bool:
        """Return True, since streams that are not seekable are copied to memory before."""
        return True

    def close(self) -> None:
        """Close the file; the digest is kept."""
        self._stream.close()
        super().close()

    def sha256(self) -> str:
        """Return the digest of the bytes that were read."""
        return self._found.hexdigest()


def other_than_before(name: str) -> InputError:
    """Return the error for a file whose content differs from what a stopped run had read of it."""
    return InputError(f"{name} is not what the stopped run read; score it again with --force")
