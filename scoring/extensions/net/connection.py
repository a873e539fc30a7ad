"""A connection to a server for HTTP/1.1 requests and responses.

A plain response, with one header that states its length, is read here; h11 parses every other one from its first byte.

The size of a response and the duration of the whole exchange are limited, whatever the server does: it may send single
bytes, endless interim responses, or compression bombs. A socket's time-out can't do that, since it restarts with each
byte.
"""

from __future__ import annotations

import re
import select
import socket
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import h11

from scoring import system

MAX_HEAD = 65_536
# The most bytes of a response besides its body: else chunks of a byte, each with a line of nonsense, could be endless.
MOST_FRAMING = 250_000
# The most interim responses, such as `100 Continue`, before the final one.
_MOST_INTERIM = 8
_BLOCK = 65_536
# The head of a response of which h11 would make the same: nothing folded, only printable ASCII, no interim response.
_PLAIN_HEAD = re.compile(rb"HTTP/1\.1 [2-5][0-9]{2}(?: [ -~]*)?(?:\r\n[-!#$%&'*+.^_`|~0-9A-Za-z]+:[ -~\t]*)*")
_WITHOUT_BODY = (204, 304)
_REQUEST_HEAD = re.compile(r"[A-Z]+ [!-~]+ HTTP/1\.1(?:\r\n[-!#$%&'*+.^_`|~0-9A-Za-z]+: [ -~\t]*)*")

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


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response of the server; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """An open connection to a server: a connected socket on which HTTP is written and read.

    Args:
        stream: The connected socket.
        timeout: The most seconds that a step may wait.
        most: The most bytes of a response's body.
    """

    def __init__(self, stream: socket.socket, timeout: float, most: int) -> None:
        self.stream, self._timeout, self._until, self._most = stream, timeout, 0.0, most
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
        went = self._write(request, until)
        received, plain = self._plain() if went else (b"", None)
        if plain is not None:
            return plain, True
        try:
            response = self._parsed(request, went, received)
            answer = _joined(response.headers)
            body = self._body(answer)
        except h11.RemoteProtocolError as error:
            raise self._failure(error) from None
        stays = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        stays = stays and not self._http.trailing_data[0]
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
            status = self._parsed(request, self._write(request, until), b"").status_code
        except h11.RemoteProtocolError as error:
            raise self._failure(error) from None
        if not 200 <= status < 300 or self._http.trailing_data[0]:
            raise ExchangeError(f"the proxy answers {status}")

    def _write(self, request: Request, until: float) -> bool:
        """Send a request, whose response must be complete before the time `until` of `time.monotonic`; return False if
        the server closed the connection meanwhile, perhaps after an early response."""
        self._until, self._read = until, 0
        lines = [
            f"{request.method} {request.target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in request.headers),
        ]
        head = "\r\n".join(lines)
        if _REQUEST_HEAD.fullmatch(head) is None:
            raise h11.LocalProtocolError("a request holds a sign that none can carry")
        data = head.encode("ascii") + b"\r\n\r\n" + request.data
        try:
            for start in range(0, len(data), _BLOCK):
                self._limit()
                self.stream.sendall(data[start : start + _BLOCK] if len(data) > _BLOCK else data)
        except ConnectionError:
            return False  # the server may have responded early, as with `413 Too Large`, and then closed
        return True

    def _plain(self) -> tuple[bytes, HttpAnswer | None]:
        """Return what was received, and the response if that is all of it and it is plain; of any other, h11 must parse
        what was received and receive the rest."""
        received = self._receive()
        head, end, _ = received.partition(b"\r\n\r\n")
        if not end or _PLAIN_HEAD.fullmatch(head) is None:
            return received, None
        fields = (line.partition(b":") for line in head.split(b"\r\n")[1:])
        headers = _joined((name.lower(), value.strip(b" \t")) for name, _, value in fields)
        status, length = int(head[9:12]), headers.get("content-length", "")
        is_plain = length.isdigit() and len(length) <= 12 and int(length) <= self._most
        is_plain = is_plain and "transfer-encoding" not in headers and status not in _WITHOUT_BODY
        if not is_plain or headers.get("connection", "keep-alive").lower() != "keep-alive":
            return received, None
        start = len(head) + len(end)
        blocks, missing = [received], start + int(length) - len(received)
        while missing > 0 and (block := self._receive()):
            blocks.append(block)
            missing -= len(block)
        received = b"".join(blocks)
        if missing:
            return received, None
        return received, HttpAnswer(
            status, headers, self._unpacked(received[start:], headers.get("content-encoding", ""))
        )

    def _parsed(self, request: Request, went: bool, received: bytes) -> h11.Response:
        """Return status and headers of the final response to a request that was sent, after skipping interim ones
        (1xx); the body must still be read.

        Args:
            request: The request, of which h11 must know in order to parse the response.
            went: Whether all of it was sent.
            received: What was received so far.
        """
        # One parser for each exchange: a connection is reused only if nothing was left over.
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        head = h11.Request(method=request.method, target=request.target, headers=request.headers)
        for part in (head, *([h11.Data(request.data)] if request.data else []), h11.EndOfMessage()):
            self._http.send(part)
        if not went:
            self._http.send_failed()
        if received:
            self._http.receive_data(received)
        for _ in range(_MOST_INTERIM):
            event = self._next()
            if isinstance(event, h11.Response):
                return event
        raise ExchangeError("the server promises to go on, again and again")

    def _receive(self) -> bytes:
        self._limit()
        block = self.stream.recv(_BLOCK)
        self._read += len(block)
        return block

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
            self._http.receive_data(self._receive())
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
