"""HTTP connections that can't be held for ever: the protocol of uvicorn, with patience and with an end to growth.

uvicorn bounds how long a connection is kept without a request, not how long a request takes to arrive or a reply to be
taken; it reads headers of any length, and answers nobody who has finished sending.
"""

from __future__ import annotations

import json
from asyncio import TimerHandle
from typing import Any

from scoring import processes
from scoring.data.file_format import require

PATIENCE = 20.0
"""The seconds in which the headers of a request must be complete, its body must be, and a part of a reply be taken."""
MOST_HEADER_BYTES = 64_000
KEPT = 75
"""The seconds that a connection without a request is kept."""
_LINGERING = 1.0
"""The seconds in which a connection may send a last request when the service ends."""
_MOST_CONNECTIONS = 20_000
_USUAL_CONNECTIONS = 5_000
"""On systems that do not bound the files of a process, and so do not say how many connections it may have."""
_SPARED_FILES = 200
"""Files that the process may need beside connections."""


def most_connections() -> int:
    """Return how many connections the system lets this process have, 20,000 at most."""
    files = processes.raise_file_limit(_MOST_CONNECTIONS + _SPARED_FILES)
    return _USUAL_CONNECTIONS if files is None else max(16, min(_MOST_CONNECTIONS, files - _SPARED_FILES))


def plain_response(status: int, words: str, message: str, wait: int | None = None) -> bytes:
    """Return a whole response of HTTP/1.1 with an error, which closes the connection."""
    body = json.dumps({"error": message}).encode()
    head = f"HTTP/1.1 {status} {words}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    retry = f"retry-after: {wait}\r\n" if wait is not None else ""
    return f"{head}{retry}connection: close\r\n\r\n".encode() + body


class _Patient:
    """What is added to a protocol of uvicorn; the class of connections is made of both."""

    most = 1_000
    patience = PATIENCE
    _timer: TimerHandle | None = None
    _head_bytes = 0
    _header_bytes = 0
    _is_last = False

    @property
    def _base(self) -> Any:
        """The protocol of uvicorn."""
        return super()

    def connection_made(self: Any, transport: Any) -> None:
        self._base.connection_made(transport)
        self._in_head = True
        if len(self.connections) > self.most:
            self._end(503, "Service Unavailable", f"there are {self.most:,} connections, which is the most", 1)
            return
        self._timer = self.loop.call_later(self.patience, self._too_late)

    def connection_lost(self: Any, exc: Exception | None) -> None:
        self._forget_timer()
        self._base.connection_lost(exc)

    def data_received(self: Any, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._timer is None:
                self._timer = self.loop.call_later(self.patience, self._too_late)
        self._base.data_received(data)
        if self._in_head and self._head_bytes > MOST_HEADER_BYTES and not self.transport.is_closing():
            self._refuse_headers()

    def on_header(self: Any, name: bytes, value: bytes) -> None:
        """Take a header, unless there are too many of them, which a single block of data may have."""
        self._header_bytes += len(name) + len(value) + 4
        if self._header_bytes > MOST_HEADER_BYTES:
            self._refuse_headers()
            raise ValueError("too many headers")  # by which the parser ends
        self._base.on_header(name, value)

    def _refuse_headers(self: Any) -> None:
        self._end(431, "Request Header Fields Too Large", f"headers have at most {MOST_HEADER_BYTES:,} bytes")

    def on_message_begin(self: Any) -> None:
        self._in_head, self._head_bytes, self._header_bytes = True, 0, 0
        self._base.on_message_begin()

    def on_headers_complete(self: Any) -> None:
        self._in_head = False
        self._forget_timer()
        self._base.on_headers_complete()
        if self._is_last:
            self.cycle.keep_alive = False

    def on_message_complete(self: Any) -> None:
        self._base.on_message_complete()
        self._in_head, self._head_bytes = True, 0

    def shutdown(self: Any) -> None:
        """End the connection after its reply; one that has none to give may send a last request, which it may already
        be doing."""
        self._is_last = True
        cycle = self.cycle
        if cycle is not None and cycle.response_complete and not self.transport.is_closing():
            self.loop.call_later(_LINGERING, self._end_if_idle)
        else:
            self._base.shutdown()

    def _end_if_idle(self: Any) -> None:
        self._base.shutdown()

    def eof_received(self: Any) -> bool:
        """Keep a connection whose client has finished sending until it has its replies."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return False
        if cycle.more_body:  # the rest will never come
            cycle.disconnected = True
            cycle.message_event.set()
            return False
        cycle.keep_alive = False
        return True

    def send_400_response(self: Any, msg: str) -> None:
        """Refuse what is not HTTP, after the replies to what came before it."""
        cycle = self.cycle
        if cycle is not None and cycle.more_body and not cycle.response_started and not self.pipeline:
            cycle.disconnected = True  # its body has an error, so the rest will never come
            cycle.message_event.set()
            self._end(400, "Bad Request", "this is no request of HTTP/1.1")
        elif not self._is_replying():
            self._end(400, "Bad Request", "this is no request of HTTP/1.1")

    def pause_writing(self: Any) -> None:
        self._base.pause_writing()
        self._forget_timer()
        self._timer = self.loop.call_later(self.patience, self.transport.abort)

    def resume_writing(self: Any) -> None:
        self._forget_timer()
        self._base.resume_writing()

    def _forget_timer(self: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self: Any) -> None:
        self._timer = None
        if (self._head_bytes or self.cycle is None) and not self._is_replying():
            self._end(408, "Request Timeout", f"no request was complete within {self.patience:g} s")

    def _is_replying(self: Any) -> bool:
        """Return whether a reply is under way, after which the connection is then closed."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return False
        cycle.keep_alive = False
        return True

    def _end(self: Any, status: int, words: str, message: str, wait: int | None = None) -> None:
        self._forget_timer()
        if not self.transport.is_closing():
            self.transport.write(plain_response(status, words, message, wait))
            self.transport.close()


def protocol_class(most: int, patience: float = PATIENCE) -> type[Any]:
    """Return the class of connections, of which there are at most `most` at a time.

    Raises:
        InputError: when uvicorn or httptools is not installed.
    """
    base = require("scoring serve", "uvicorn.protocols.http.httptools_impl", "scoring-dsl[serve]").HttpToolsProtocol
    return type("PatientProtocol", (_Patient, base), {"most": most, "patience": patience})
