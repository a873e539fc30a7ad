"""Read what comes over the wire within bounds, before pygls reads it."""

from __future__ import annotations

import os
import re
from io import BytesIO
from typing import IO, BinaryIO

from scoring.lazy_pattern import lazy_pattern

MOST_BYTES = 64_000_000
"""The most bytes of one message."""
_LONGEST_HEADER = 4_096
_LENGTH = lazy_pattern(rb"content-length[ \t]*:[ \t]*(\d{1,20})[ \t]*\r?\n", re.IGNORECASE)
_BLOCK = 1 << 20


class BoundedInput:
    """Standard input for pygls: headers in the one spelling that it knows, and no message of more than `MOST_BYTES`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._again = BytesIO()

    def first_message(self) -> bytes:
        """Return the first message, which is read once more by `readline` and `read`; b"" if there is none."""
        size = 0
        while (line := self.readline()).strip():
            found = _LENGTH.fullmatch(line)
            size = size if found is None else int(found[1])
        message = self.read(size) if size else b""
        self._again = BytesIO(b"Content-Length: %d\r\n\r\n%b" % (len(message), message) if message else b"")
        return message

    def readline(self) -> bytes:
        """Return the next line of the headers, b"" at the end; of a longer one only its beginning."""
        line = self._again.readline() or self._stream.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(_LONGEST_HEADER)
            return b"x\n" if line else b""
        found = _LENGTH.fullmatch(line)
        if found is not None:
            return b"Content-Length: %d\r\n" % int(found[1])
        return b"\r\n" if not line.strip() and line else line

    def read(self, size: int) -> bytes:
        """Return a message of `size` bytes; of one that is too long a message that says nothing, once it went by."""
        if size <= MOST_BYTES:
            return self._again.read(size) or self._stream.read(size)
        while size > 0:
            block = self._stream.read(min(size, _BLOCK))
            if not block:
                return b""
            size -= len(block)
        return b'{"jsonrpc": "2.0", "method": "$/tooLong"}'


def own_pipes() -> tuple[BoundedInput, BinaryIO]:
    """Return the two pipes to the editor; what anything else prints goes to standard error."""
    taken, given = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return BoundedInput(taken), given
