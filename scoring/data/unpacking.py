"""Decompress streams within the limits."""

from __future__ import annotations

import gzip
import io
from typing import Any, BinaryIO

from scoring.data.file_format import require
from scoring.data.limits import limit_message, limits, shown_size
from scoring.errors import InputError

_BUFFER = 1 << 16


def unpacked(stream: BinaryIO, name: str, *, is_gzip: bool) -> BinaryIO:
    """Return a stream of the bytes that a stream has compressed, by gzip or else by zstd."""
    if is_gzip:
        source: Any = gzip.GzipFile(fileobj=stream)
    else:
        arrow = require("zst", "pyarrow", "scoring-dsl[parquet]")
        source = arrow.input_stream(stream, compression="zstd")
    return io.BufferedReader(_Bounded(source, stream, name), _BUFFER)


class _Bounded(io.RawIOBase):
    """A stream of decompressed bytes, which fails once they are too many for the compressed size.

    It can't seek: going back would decompress everything once more.
    """

    def __init__(self, source: Any, stored: BinaryIO, name: str) -> None:
        self._source, self._stored, self._name = source, stored, name
        self._count = 0
        self._free = limits().unpacked

    def readinto(self, buffer: Any) -> int:
        """Decompress into a buffer, and return the number of bytes.

        Raises:
            InputError: when the decompressed size exceeds the limit for the compressed size.
        """
        piece = self._source.read(len(buffer))
        buffer[: len(piece)] = piece
        self._count += len(piece)
        if self._count > self._free:
            stored = max(1, self._stored.tell())
            if self._count > limits().ratio * stored:
                raise expansion_error(self._name, stored, self._count)
        return len(piece)

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def close(self) -> None:
        """Close the decompressor; the stream of the compressed bytes is closed by the caller who opened it."""
        self._source.close()
        super().close()


def expansion_error(name: str, stored: int, size: int) -> InputError:
    """Return the error for data that expands to too large a multiple of its stored size."""
    what = f"{shown_size(stored)} of it unpack to {shown_size(size)}, {size // max(1, stored):,} times as much"
    return InputError(f"can't read {name}: {limit_message(what, 'ratio')}")
