"""Streams that are unpacked piece by piece, and what is read as a whole, both within their bounds."""

from __future__ import annotations

import gzip
import io
from typing import Any, BinaryIO

from scoring.data.file_format import require
from scoring.data.limits import beyond, limits, shown_size
from scoring.data.rows.row import InputError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20
_BUFFER = 1 << 16


def is_packed(start: bytes) -> bool:
    """Whether a file that begins so is compressed as a whole."""
    return start.startswith((GZIP, ZSTD))


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """The bytes of a stream, unpacked if they are compressed, which their content tells, whatever the name says.

    Args:
        stream: The stored bytes, at their begin.
        name: How messages call the file.
    """
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
    """What comes out of a decompressor, as long as it is in proportion to what went in.

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
                what = (
                    f"{shown_size(stored)} of it unpack to {shown_size(self._count)}, {self._count // stored:,} times"
                )
                raise InputError(f"can't read {self._name}: {beyond(f'{what} as much', 'ratio')}")
        return len(piece)

    def readable(self) -> bool:
        """Which it is."""
        return True

    def close(self) -> None:
        """Close the decompressor; the stored bytes are closed by those that opened them."""
        self._source.close()
        super().close()


def too_much(name: str, stored: int, size: int) -> InputError:
    """What is said of a small file that stands for too large a one.

    Args:
        name: How messages call it.
        stored: How many bytes of it were read.
        size: How many they came to.
    """
    what = f"{shown_size(stored)} of it unpack to {shown_size(size)}, {size // max(1, stored):,} times as much"
    return InputError(f"can't read {name}: {beyond(what, 'ratio')}")


def whole(stream: BinaryIO, name: str, begin: bytes = b"") -> bytes:
    """All that is left of a stream.

    Args:
        stream: The stream.
        name: How messages call it.
        begin: What was read of it before.

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
