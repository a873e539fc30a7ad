"""A connection to a server for HTTP/1.1 requests and responses, which h11 writes and parses.

The size of a response and the duration of the whole exchange are limited, whatever the server does: it may send single
bytes, endless interim responses, or compression bombs. A socket's time-out can't do that, since it restarts with each
byte.
"""

from __future__ import annotations

import select
import socket
import time
import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import h11
from msgspec import Struct

from scoring import system

MAX_HEAD = 65_536
# The most bytes of a response besides its body: else chunks of a byte, each with a line of nonsense, could be endless.
MOST_FRAMING = 250_000
# The most interim responses, such as `100 Continue`, before the final one.
_MOST_INTERIM = 8
_BLOCK = 65_536

HeaderLines: TypeAlias = "list[tuple[str, str]]"
"""Names and values of headers."""


class ExchangeError(Exception):
    """The exception for a failed exchange, which may succeed if it is tried again; the message is the reason."""


class NotConnected(ExchangeError):
    """The exception for a connection that can't be opened, so that nothing was sent."""


class HungUp(ExchangeError):
    """The exception for a server that closed the connection before its response was complete."""

    def __init__(self) -> None:
        super().__init__("the server hung up")


class Request(NamedTuple):
    """An HTTP request: a method, a target, headers, which must state the length of the body, and the body."""

    method: str
    target: str
    headers: HeaderLines
    data: bytes = b""


class HttpAnswer(Struct, frozen=True):
    """A response of the server; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """An open connection to a server: a connected socket, with the h11 parser that writes and reads HTTP on it.

    Args:
        stream: The connected socket.
        timeout: The most seconds that a step may wait.
        most: The most bytes of a response's body.
    """

    def __init__(self, stream: socket.socket, timeout: float, most: int) -> None:
        self.stream, self._timeout, self._until, self._most = stream, timeout, 0.0, most
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._read = 0
        # Windows has no `poll`; elsewhere `select` supports only the first thousand file descriptors of a process.
        self._poll = select.poll() if system.POLLS else None
        if self._poll is not None:
            self._poll.register(stream, select.POLLIN)

    @property
    def heard(self) -> bool:
        """Whether any data has been received since the last request was sent."""
        return self._read > 0

    def close(self) -> None:
        """Close the socket."""
        self.stream.close()

    def is_quiet(self) -> bool:
        """Return True if the server has neither closed the idle connection nor sent data without a request, so that it
        can be reused."""
        said = select.select([self.stream], [], [], 0)[0] if self._poll is None else self._poll.poll(0)
        return not said

    def exchange(self, request: Request, until: float) -> tuple[HttpAnswer, bool]:
        """Send a request, and return the response and whether the connection can be reused.

        Args:
            until: The time of `time.monotonic` by which the response must be complete.

        Raises:
            ExchangeError: when there is no response, or it is too long, too slow or not HTTP.
        """
        try:
            response = self._ask(request, until)
            answer = _joined(response.headers)
            body = self._body(answer)
        except h11.RemoteProtocolError as error:
            raise self._failure(error) from None
        stays = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        stays = stays and not self._http.trailing_data[0]
        if stays:
            self._http.start_next_cycle()
        return HttpAnswer(response.status_code, answer, self._unpacked(body, answer.get("content-encoding", ""))), stays

    def tunnel(self, request: Request, until: float) -> None:
        """Send a CONNECT request to the proxy at the other end, and check that it agrees to forward all further bytes.

        Args:
            request: The CONNECT request, whose target is the server's host and port.
            until: The time of `time.monotonic` by which the proxy must have answered.

        Raises:
            ExchangeError: when the proxy refuses, or does not answer in time.
        """
        try:
            status = self._ask(request, until).status_code
        except h11.RemoteProtocolError as error:
            raise self._failure(error) from None
        if not 200 <= status < 300 or self._http.trailing_data[0]:
            raise ExchangeError(f"the proxy answers {status}")

    def _ask(self, request: Request, until: float) -> h11.Response:
        """Send a request, and return status and headers of its final response, after skipping interim ones (1xx).

        The body must still be read, like the headers before the time ``until`` of `time.monotonic`."""
        self._until, self._read = until, 0
        head = h11.Request(method=request.method, target=request.target, headers=request.headers)
        parts = [head, *([h11.Data(request.data)] if request.data else []), h11.EndOfMessage()]
        self._send(b"".join(self._http.send(part) or b"" for part in parts))
        for _ in range(_MOST_INTERIM):
            event = self._next()
            if isinstance(event, h11.Response):
                return event
        raise ExchangeError("the server promises to go on, again and again")

    def _send(self, data: bytes) -> None:
        try:
            for start in range(0, len(data), _BLOCK):
                self._limit()
                self.stream.sendall(data[start : start + _BLOCK] if len(data) > _BLOCK else data)
        except ConnectionError:
            self._http.send_failed()  # the server may have responded early, as with `413 Too Large`, and then closed

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise ExchangeError("Timeout (the answer is too slow)")
        self.stream.settimeout(min(left, self._timeout))

    def _next(self, body: int = 0) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next HTTP event that the server sends; `body` is the number of bytes of the response's body
        received so far.

        Raise an ExchangeError when the server closes the connection, is too slow, or sends hardly anything but framing.
        """
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._read - body > MAX_HEAD + MOST_FRAMING:
                raise ExchangeError("the answer is hardly anything but what stands around it")
            self._limit()
            block = self.stream.recv(_BLOCK)
            self._read += len(block)
            self._http.receive_data(block)
        if isinstance(event, h11.ConnectionClosed):
            raise HungUp
        return event

    def _body(self, headers: Mapping[str, str]) -> bytes:
        if "transfer-encoding" in headers and "content-length" in headers:
            raise ExchangeError("the length of the answer is not clear")
        length = headers.get("content-length", "0").lstrip("0")
        self._check(int(length or 0) if len(length) <= 12 else self._most + 1)
        body = bytearray()
        while isinstance(event := self._next(len(body)), h11.Data):
            body += event.data
            self._check(len(body))
        return bytes(body)

    def _failure(self, error: h11.RemoteProtocolError) -> ExchangeError:
        """Return the error for an invalid response, without the server's text, which may contain anything."""
        if error.error_status_hint == 431:
            return ExchangeError("the head of the answer is too long")
        if self._http.trailing_data[1]:
            return HungUp()
        return ExchangeError("what answers speaks no HTTP/1.1")

    def _check(self, size: int) -> None:
        if size > self._most:
            raise ExchangeError(f"the answer is longer than {self._most:,} bytes")

    def _unpacked(self, body: bytes, coding: str) -> bytes:
        """Return a response's body decompressed from the encoding `coding`, since some servers compress without being
        asked to; raise an ExchangeError if it becomes too large."""
        if coding.lower() in ("", "identity"):
            return body
        if coding.lower() not in ("gzip", "x-gzip", "deflate"):
            raise ExchangeError("the answer is packed in a way that was not asked for")
        try:
            packed = zlib.decompressobj(47)
            found = packed.decompress(body, self._most + 1)
        except zlib.error:
            raise ExchangeError("the answer can't be unpacked") from None
        self._check(len(found))
        if not packed.eof or packed.unused_data:  # truncated, without its checksum, or followed by further data
            raise ExchangeError("the answer can't be unpacked")
        return found


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by name; the values of headers with the same name are joined by commas."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("ascii"), []).append(value.decode("latin-1"))
    return {name: ", ".join(values) for name, values in found.items()}
