"""Read text in chunks of whole lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO

from scoring.data.address import hide_credentials
from scoring.data.limits import limits
from scoring.data.slice import Slice
from scoring.errors import InputError

# The number of bytes read at a time: so few that records are still in the CPU cache when they are scored.
_CHUNK = 1 << 16
# The number of bytes in memory of a line that is too long, or of which only the end is searched for.
PIECE = 1 << 20


class LongLine(ValueError):
    """A line beyond the length limit: it was skipped, and the next line can be read."""

    def __init__(self, size: int) -> None:
        from scoring.data.limits import limit_message, shown_size

        super().__init__(limit_message(f"a line of {shown_size(size)}", "line"))


def chunks(stream: BinaryIO, part: Slice) -> Iterator[bytes | LongLine]:
    """Yield chunks of whole lines of a part of an open file; without a stop position, up to the end of the file.

    A line that is too long is replaced by a `LongLine`, and is never in memory as a whole.

    Raises:
        InputError: at the end of a part whose digest differs from the one taken when it was cut.
    """
    most = limits().line
    reading = _Reading(stream, part)
    while chunk := reading.read(min(_CHUNK, most)):
        if chunk.endswith(b"\n"):
            yield chunk
            continue
        begin = chunk.rfind(b"\n") + 1
        rest = reading.readline(most + 2 - (len(chunk) - begin))  # one byte more than allowed, and the line feed
        if len(chunk) - begin + len(rest) - rest.endswith(b"\n") <= most:
            yield chunk + rest
            continue
        if begin:
            yield chunk[:begin]
        count = len(chunk) - begin + len(rest)
        while not rest.endswith(b"\n") and (rest := reading.readline(PIECE)):
            count += len(rest)
        yield LongLine(count)
    reading.check()


class _Reading:
    """A reader of the bytes of a part, which computes their digest where the expected digest is known."""

    def __init__(self, stream: BinaryIO, part: Slice) -> None:
        self._stream, self._part = stream, part
        self._found = None if part.sha256 is None else hashlib.sha256()
        if part.start:
            stream.seek(part.start)
        self._left = part.stop - part.start if part.stop is not None else None

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or those that are left."""
        return self._taken(self._stream.read(size if self._left is None else min(size, self._left)))

    def readline(self, size: int) -> bytes:
        """Return the rest of a line, or the first `size` bytes of it."""
        return self._taken(self._stream.readline(size if self._left is None else min(size, self._left)))

    def _taken(self, found: bytes) -> bytes:
        if self._left is not None:
            self._left -= len(found)
        if self._found is not None:
            self._found.update(found)
        return found

    def check(self) -> None:
        """Raise an exception if the digest of the bytes differs from the expected one."""
        if self._found is not None and self._found.hexdigest() != self._part.sha256:
            raise InputError(f"{hide_credentials(self._part.address)} changed while it was scored; score it again")
