"""One connection to a server, over which questions and answers of HTTP/1.1 go: h11 reads and writes them.

What comes is bounded in bytes, and the whole exchange in time, whatever the server does: it may drip, promise to go on,
or pack nothing into much. No time-out of a socket does that, since each byte begins it anew.
"""

from __future__ import annotations

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
# What an answer takes beside its body: chunks of a byte each, and a line of nonsense beside it, would last for ever.
MOST_FRAMING = 250_000
# Answers like `100 Continue`, before the one that counts.
_MOST_INTERIM = 8
_BLOCK = 65_536

HeaderLines: TypeAlias = "list[tuple[str, str]]"
"""Names and values of headers."""


class ExchangeError(Exception):
    """There is no answer: the reason in words, which another try may not meet."""


class NotConnected(ExchangeError):
    """Nothing was sent, since there is no connection."""


class HungUp(ExchangeError):
    """The server ended the connection before its answer was whole."""

    def __init__(self) -> None:
        super().__init__("the server hung up")


class Request(NamedTuple):
    """A request: method, target, headers including the length of the body, and the body."""

    method: str
    target: str
    headers: HeaderLines
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A server's response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """A socket, and what HTTP has come to on it.

    Args:
        stream: The socket, connected.
        timeout: Seconds that a step may wait.
        most: Bytes of an answer.
    """

    def __init__(self, stream: socket.socket, timeout: float, most: int) -> None:
        self.stream, self._timeout, self._until, self._most = stream, timeout, 0.0, most
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._read = 0
        # Windows has no `poll`; elsewhere `select` takes none but the first thousand files of a process.
        self._poll = select.poll() if system.POLLS else None
        if self._poll is not None:
            self._poll.register(stream, select.POLLIN)

    @property
    def heard(self) -> bool:
        """Whether anything came since the last question."""
        return self._read > 0

    def close(self) -> None:
        """Close the socket."""
        self.stream.close()

    def is_quiet(self) -> bool:
        """Tell whether the server has neither closed the idle connection nor said anything unasked."""
        said = select.select([self.stream], [], [], 0)[0] if self._poll is None else self._poll.poll(0)
        return not said

    def exchange(self, request: Request, until: float) -> tuple[HttpAnswer, bool]:
        """Send a question, and return the answer, and whether the connection stays.

        Raises:
            ExchangeError: when there is none, or it is too long, too slow or not HTTP.
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
        """Have a proxy pass everything on.

        Raises:
            ExchangeError: when it does not.
        """
        try:
            status = self._ask(request, until).status_code
        except h11.RemoteProtocolError as error:
            raise self._failure(error) from None
        if not 200 <= status < 300 or self._http.trailing_data[0]:
            raise ExchangeError(f"the proxy answers {status}")

    def _ask(self, request: Request, until: float) -> h11.Response:
        """Send a question, and return the head of the answer that counts."""
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
            self._http.send_failed()  # as after an answer like `413 Too Large`, which is there to be read

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise ExchangeError("Timeout (the answer is too slow)")
        self.stream.settimeout(min(left, self._timeout))

    def _next(self, body: int = 0) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event, after `body` bytes of a body."""
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
        """Return why an answer is none, without the server's words, which may hold anything."""
        if error.error_status_hint == 431:
            return ExchangeError("the head of the answer is too long")
        if self._http.trailing_data[1]:
            return HungUp()
        return ExchangeError("what answers speaks no HTTP/1.1")

    def _check(self, size: int) -> None:
        if size > self._most:
            raise ExchangeError(f"the answer is longer than {self._most:,} bytes")

    def _unpacked(self, body: bytes, coding: str) -> bytes:
        """Return the body unpacked, as servers send it that do not listen to what is accepted; one packing, bounded."""
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
        if not packed.eof or packed.unused_data:  # half of it, without its check sum, or more behind its end
            raise ExchangeError("the answer can't be unpacked")
        return found


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by name; the values of repeated names are joined with commas."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("ascii"), []).append(value.decode("latin-1"))
    return {name: ", ".join(values) for name, values in found.items()}
