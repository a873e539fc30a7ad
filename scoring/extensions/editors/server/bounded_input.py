"""Read what comes over the wire within bounds, before pygls reads it, and write messages without pygls."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from io import BytesIO
from queue import SimpleQueue
from typing import IO, Any, BinaryIO

from scoring.lazy_pattern import lazy_pattern

MOST_BYTES = 64_000_000
"""The most bytes of one message, and of all that are read ahead but for the last one."""
_LONGEST_HEADER = 4_096
_LENGTH = lazy_pattern(rb"content-length[ \t]*:[ \t]*(\d{1,20})[ \t]*\r?\n", re.IGNORECASE)
_BLOCK = 1 << 20


class BoundedInput:
    """Standard input for pygls: headers in the one spelling that it knows, and no message of more than `MOST_BYTES`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._again = BytesIO()
        self._ahead: SimpleQueue[bytes] | None = None  # messages for `_again`; b"" once no more are read ahead

    def first_message(self) -> bytes:
        """Return the first message, which is read once more by `readline` and `read`; b"" if there is none."""
        message = self._next_message()
        self._again = BytesIO(_framed(message) if message else b"")
        return message

    def read_ahead(self, look: Callable[[bytes], bool]) -> None:
        """Let a thread read the next messages, which are read once more by `readline` and `read`.

        Args:
            look: What is called with each message, before anybody reads it once more; False ends the reading ahead.
        """
        self._ahead = SimpleQueue()
        threading.Thread(target=self._read_ahead, args=(look, self._ahead), daemon=True).start()

    def _read_ahead(self, look: Callable[[bytes], bool], ahead: SimpleQueue[bytes]) -> None:
        size, goes_on = 0, True
        try:
            while goes_on and size < MOST_BYTES and (message := self._next_message()):
                size, goes_on = size + len(message), False
                try:
                    goes_on = look(message)
                finally:
                    ahead.put(_framed(message))
        finally:
            ahead.put(b"")

    def _next_message(self) -> bytes:
        size = 0
        while (line := self._header()).strip():
            found = _LENGTH.fullmatch(line)
            size = size or (0 if found is None else int(found[1]))
        return self._body(size) if size else b""

    def readline(self) -> bytes:
        """Return the next line of the headers, b"" at the end; of a longer one only its beginning."""
        line = self._again.readline()
        while not line and self._ahead is not None:
            message = self._ahead.get()
            self._ahead = self._ahead if message else None
            self._again = BytesIO(message)
            line = self._again.readline()
        return line or self._header()

    def read(self, size: int) -> bytes:
        """Return a message of `size` bytes; of one that is too long a message that says nothing, once it went by."""
        return self._again.read(size) or self._body(size)

    def _header(self) -> bytes:
        line = self._stream.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(_LONGEST_HEADER)
            return b"x\n" if line else b""
        found = _LENGTH.fullmatch(line)
        if found is not None:
            return b"Content-Length: %d\r\n" % int(found[1])
        return b"\r\n" if not line.strip() and line else line

    def _body(self, size: int) -> bytes:
        if size <= MOST_BYTES:
            return self._stream.read(size)
        while size > 0:
            block = self._stream.read(min(size, _BLOCK))
            if not block:
                return b""
            size -= len(block)
        return b'{"jsonrpc": "2.0", "method": "$/tooLong"}'


def _framed(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


def write_message(given: BinaryIO, content: Mapping[str, Any]) -> None:
    """Write a message of the protocol to an editor."""
    given.write(_framed(json.dumps({"jsonrpc": "2.0", **content}).encode()))
    given.flush()


def own_pipes() -> tuple[BoundedInput, BinaryIO]:
    """Return the two pipes to the editor; what anything else prints goes to standard error."""
    taken, given = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return BoundedInput(taken), given
