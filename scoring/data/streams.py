"""Streams over stored bytes: decompressed within limits, and hashed while they are read.

What a manifest names is what was scored: a reader that goes from begin to end has given every byte to the digest
once it is there, and nothing is read twice. One that jumps about, as Parquet's does, has the whole file digested by
itself; that the file stayed the same meanwhile is told by its stamp, its size and the time of its last change.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from typing import Any, BinaryIO

from scoring.data.file_format import require
from scoring.data.limits import beyond, limits, shown_size
from scoring.errors import InputError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20
_BUFFER = 1 << 16


def is_packed(start: bytes) -> bool:
    """Tell whether a file that begins with these bytes is compressed as a whole."""
    return start.startswith((GZIP, ZSTD))


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the bytes of a stream, decompressed if its content, not its name, shows that it is compressed."""
    start = stream.read(4)
    stream.seek(0)
    if not is_packed(start):
        return stream
    if start.startswith(GZIP):
        source: Any = gzip.GzipFile(fileobj=stream)
    else:
        arrow = require("zst", "pyarrow", "scoring-dsl[parquet]")
        source = arrow.input_stream(stream, compression="zstd")
    return io.BufferedReader(_Bounded(source, stream, name), _BUFFER)


class _Bounded(io.RawIOBase):
    """The output of a decompressor, refused if it grows out of proportion to the input.

    It goes forward only: going back would unpack everything before once more.
    """

    def __init__(self, source: Any, stored: BinaryIO, name: str) -> None:
        self._source, self._stored, self._name = source, stored, name
        self._count = 0
        self._free = limits().unpacked

    def readinto(self, buffer: Any) -> int:
        """Unpack into a buffer.

        Raises:
            InputError: when more came out than so small a file may come to.
        """
        piece = self._source.read(len(buffer))
        buffer[: len(piece)] = piece
        self._count += len(piece)
        if self._count > self._free:
            stored = max(1, self._stored.tell())
            if self._count > limits().ratio * stored:
                raise too_much(self._name, stored, self._count)
        return len(piece)

    def readable(self) -> bool:
        """Return which it is."""
        return True

    def close(self) -> None:
        """Close the decompressor; the stored bytes are closed by those that opened them."""
        self._source.close()
        super().close()


def too_much(name: str, stored: int, size: int) -> InputError:
    """Return the error for a small file that decompresses to too much."""
    what = f"{shown_size(stored)} of it unpack to {shown_size(size)}, {size // max(1, stored):,} times as much"
    return InputError(f"can't read {name}: {beyond(what, 'ratio')}")


def whole(stream: BinaryIO, name: str, begin: bytes = b"") -> bytes:
    """Return all that is left of a stream.

    Raises:
        InputError: when it is more than may be held as a whole.
    """
    most = limits().whole
    held = io.BytesIO()
    held.write(begin)
    while piece := stream.read(_PIECE):
        if held.tell() + len(piece) > most:
            raise InputError(f"can't read {name}: {beyond('it is too long to be held as a whole', 'whole')}")
        held.write(piece)
    return held.getvalue()


class DigestedStream(io.RawIOBase):
    """A stream of the stored bytes of a file that hashes them.

    Args:
        stream: The bytes.
        name: How messages call the file.
        expected: How many bytes were read before, by a run that goes on, and their digest.

    Attributes:
        is_whole: Whether it was read to its end, one byte behind the other.
        skips: Whether the reader jumped over bytes, or back over some that it had not read.
    """

    def __init__(self, stream: BinaryIO, name: str = "", expected: tuple[int, str] | None = None) -> None:
        self._stream: Any = stream
        self._name, self._expected = name, expected
        self._found = hashlib.sha256()
        self._at = self.size = 0
        self.is_whole = self.skips = False

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and hash the new bytes."""
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
        """Make sure that the file begins with these bytes once they are read; False if more were read before.

        Raises:
            InputError: when it does not.
        """
        if self.size > expected[0]:
            return False
        self._expected = expected
        if self.is_whole and self.size < expected[0]:
            raise other_than_before(self._name)
        self._digest(memoryview(b""))
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go elsewhere."""
        self._at = self._stream.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        """Return where the reader is."""
        return self._at

    def readable(self) -> bool:
        """Return which it is."""
        return True

    def seekable(self) -> bool:
        """Return which it is: other streams are kept in memory."""
        return True

    def close(self) -> None:
        """Close the file; the digest is kept."""
        self._stream.close()
        super().close()

    def sha256(self) -> str:
        """Return the digest of the bytes read."""
        return self._found.hexdigest()


def other_than_before(name: str) -> InputError:
    """Return the error for a file that changed since an interrupted run had read it."""
    return InputError(f"{name} is not what the run read that was stopped; score it anew with --force")
