"""HTTP/1.1 by hand: JSON is asked of one address over kept connections, thousands of times a second; files are fetched.

A general client takes 2 ms of the processor for a call, ten times what it takes here, and many threads share one
processor. What is not needed is not there: no redirects, no cookies, no other method. What comes from the server is
bounded in bytes, and the whole exchange in time, whatever the server does: it may drip, promise to go on, or pack
nothing into much.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from scoring import system
from scoring.judge.asking.address import HostAddresses, address_of, header_lines, proxy_for, secrets_in, tls_context

if TYPE_CHECKING:
    import ssl

MAX_BODY = 8_000_000
MAX_HEAD = 65_536
# What chunks take beside what is in them: a byte in each, and a line of nonsense beside it, would last for ever.
MOST_FRAMING = 250_000
# Answers like `100 Continue`, before the one that counts.
_MOST_INTERIM = 8
_BLOCK = 65_536
# The signs of a path and of a query that are sent as they are; `%` too, since what is escaped comes escaped.
_PLAIN = "/?%:@!$&'()*+,;=~"
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: [^\r\n]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,8}[ \t]*(?:;.*)?")


class ExchangeError(Exception):
    """There is no answer: the reason in words, which another try may not meet."""


class NotConnected(ExchangeError):
    """Nothing was sent, since there is no connection."""


class HungUp(ExchangeError):
    """The server ended the connection before its answer was whole."""

    def __init__(self) -> None:
        super().__init__("the server hung up")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the server said; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint:
    """An address that JSON is posted to, and the idle connections to it; safe to use from several threads.

    Proxies of the environment (``HTTPS_PROXY``, ``NO_PROXY`` and so on) are obeyed.

    Args:
        url: The address, http or https.
        headers: Sent with every request.
        timeout: Seconds that any step may wait; the whole exchange may take five times as long.
        what: What messages call the address.
        most: Bytes of an answer.
        trust: Gives the context in which certificates are checked.

    Raises:
        JudgeError: when the address, the proxy or a header can't be used.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        timeout: float,
        what: str = "the judge's address",
        trust: Callable[[], ssl.SSLContext] = tls_context,
        most: int = MAX_BODY,
    ) -> None:
        self._timeout, self._most = timeout, most
        self._idle: dict[int, list[_Connection]] = {}
        self._under_way: set[socket.socket] = set()
        self._is_cut = False
        parts = address_of(url, what)
        self._host, self._port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = trust() if parts.scheme == "https" else None
        self._proxy, proxy_headers, password = proxy_for(parts)
        self.secrets = (password, *secrets_in(parts.query))
        """What else than the headers opens a door: the proxy's password, keys in the address."""
        self._resolver = HostAddresses(*(self._proxy or (self._host, self._port)))
        self._before = f"http://{parts.netloc}" if self._proxy is not None and self._tls is None else ""
        query = f"?{quote(parts.query, safe=_PLAIN)}" if parts.query else ""
        own = {"Host": parts.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
        tunnelled = self._tls is not None
        own |= {"Content-Type": "application/json", **headers, **({} if tunnelled else proxy_headers)}
        self._target = self._before + quote(parts.path or "/", safe=_PLAIN) + query
        self._headers = header_lines(own)
        authority = parts.netloc if parts.port else f"{parts.netloc}:{self._port}"
        self._connect = f"CONNECT {authority} HTTP/1.1\r\n".encode() + header_lines(
            {"Host": authority, **proxy_headers}
        )

    def post(self, data: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Send a body and read the answer.

        Raises:
            ExchangeError: when there is none, or it is too long, too slow or not HTTP.
        """
        more = header_lines({**headers, "Content-Length": f"{len(data)}"})
        return self._asked(f"POST {self._target}", more + b"\r\n" + data)

    def get(self, query: str) -> HttpAnswer:
        """Ask with a query, escaped as addresses have it, and read the answer.

        Raises:
            ExchangeError: when there is none, or it is too long, too slow or not HTTP.
        """
        return self._asked(f"GET {self._target}{'&' if '?' in self._target else '?'}{query}", b"\r\n")

    def get_at(self, path: str) -> HttpAnswer:
        """Ask the same server for another path of it.

        Raises:
            ExchangeError: when there is none, or it is too long, too slow or not HTTP.
        """
        return self._asked(f"GET {self._before}{quote(path, safe=_PLAIN)}", b"\r\n")

    def _asked(self, line: str, rest: bytes) -> HttpAnswer:
        until = time.monotonic() + 5 * self._timeout
        request = f"{line} HTTP/1.1\r\n".encode("ascii") + self._headers + rest
        # Those that came through a fork belong to the parent.
        idle = self._idle.setdefault(os.getpid(), [])
        kept = self._kept(idle)
        if kept is not None:
            try:
                return self._exchange(kept, idle, request, until)
            except (ConnectionError, HungUp) as error:  # the server had just closed it, which is no failure
                if kept.heard or self._is_cut:
                    raise ExchangeError(_why(error)) from None
        try:
            return self._exchange(self._open(until), idle, request, until)
        except ConnectionError as error:
            raise ExchangeError(_why(error)) from None

    def _exchange(self, connection: _Connection, idle: list[_Connection], request: bytes, until: float) -> HttpAnswer:
        stays = False
        self._under_way.add(connection.stream)
        try:
            if self._is_cut:
                raise HungUp
            answer, stays = connection.exchange(request, until)
        except ConnectionError:
            raise
        except OSError as error:
            raise ExchangeError(_why(error)) from None
        finally:
            self._under_way.discard(connection.stream)
            if stays:
                idle.append(connection)
            else:
                connection.close()
        return answer

    def _kept(self, idle: list[_Connection]) -> _Connection | None:
        while True:
            try:
                connection = idle.pop()
            except IndexError:  # not asked before: between look and grasp another thread may take the last one
                return None
            if connection.is_quiet():
                return connection
            connection.close()

    def _open(self, until: float) -> _Connection:
        try:
            error: Exception = ExchangeError("the name of the host stands for nothing")
            for family, place in self._resolver.addresses(self._left(until)):
                try:
                    return self._opened(family, place, until)
                except (OSError, ExchangeError) as failed:
                    error = failed
            raise error
        except (OSError, ExchangeError) as failed:
            raise NotConnected(f"ConnectError ({_why(failed)})") from None

    def _opened(self, family: int, place: tuple[str, int], until: float) -> _Connection:
        """A connection to one of the host's addresses, with its tunnel and its encryption."""
        stream = socket.socket(family, socket.SOCK_STREAM)
        self._under_way.add(stream)
        try:
            stream.settimeout(self._left(until))
            stream.connect(place)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                if self._proxy is not None:
                    _Connection(stream, self._timeout, self._most).tunnel(self._connect + b"\r\n", until)
                plain = stream
                stream = self._tls.wrap_socket(plain, server_hostname=self._host, do_handshake_on_connect=False)
                self._under_way.discard(plain)
                self._under_way.add(stream)
                stream.settimeout(self._left(until))
                stream.do_handshake()
        except BaseException:
            stream.close()
            raise
        finally:
            self._under_way.discard(stream)
        return _Connection(stream, self._timeout, self._most)

    def _left(self, until: float) -> float:
        """How long a step may wait."""
        if self._is_cut:
            raise HungUp
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, self._timeout)

    def close(self) -> None:
        """Close the idle connections."""
        for connection in self._idle.pop(os.getpid(), []):
            connection.close()

    def cut(self) -> None:
        """End what is under way, at whatever step it is, and begin nothing more."""
        self._is_cut = True
        self._resolver.leave()
        for stream in self._under_way.copy():
            with contextlib.suppress(OSError):  # it has ended by itself
                socket.socket.shutdown(stream, socket.SHUT_RDWR)


class _Connection:
    """A socket, and what was read from it and not yet used."""

    def __init__(self, stream: socket.socket, timeout: float, most: int) -> None:
        self.stream, self._timeout, self._until, self._most = stream, timeout, 0.0, most
        self._read = bytearray()
        self.heard = False
        """Whether anything came since the last question."""
        # Windows has no `poll`; elsewhere `select` takes none but the first thousand files of a process.
        self._poll = select.poll() if system.POLLS else None
        if self._poll is not None:
            self._poll.register(stream, select.POLLIN)

    def close(self) -> None:
        self.stream.close()

    def is_quiet(self) -> bool:
        """Whether the server has neither closed the idle connection nor said anything unasked."""
        said = select.select([self.stream], [], [], 0)[0] if self._poll is None else self._poll.poll(0)
        return not said

    def exchange(self, request: bytes, until: float) -> tuple[HttpAnswer, bool]:
        """The answer to a request, and whether the connection stays."""
        self._until, self.heard = until, False
        try:
            self._send(request)
            sent = True
        except ConnectionError:
            sent = False  # as after an answer like `413 Too Large`, which is there to be read
        for _ in range(_MOST_INTERIM):
            status, headers, version = self._head()
            if status >= 200:
                break
        else:
            raise ExchangeError("the server promises to go on, again and again")
        body, delimited = self._body(status, headers)
        stays = sent and delimited and version == 1 and not self._read
        stays = stays and "close" not in headers.get("connection", "").lower()
        return HttpAnswer(status, headers, self._unpacked(body, headers.get("content-encoding", "").lower())), stays

    def tunnel(self, request: bytes, until: float) -> None:
        """Have a proxy pass everything on."""
        self._until = until
        self._send(request)
        status, _, _ = self._head()
        if not 200 <= status < 300 or self._read:
            raise ExchangeError(f"the proxy answers {status}")

    def _send(self, data: bytes) -> None:
        for start in range(0, len(data), _BLOCK):
            self._limit()
            self.stream.sendall(data[start : start + _BLOCK] if len(data) > _BLOCK else data)

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise ExchangeError("Timeout (the answer is too slow)")
        self.stream.settimeout(min(left, self._timeout))

    def _more(self) -> bool:
        """Read on; False at the end."""
        self._limit()
        block = self.stream.recv(_BLOCK)
        self._read += block
        self.heard = self.heard or bool(block)
        return bool(block)

    def _take(self, size: int) -> bytes:
        while len(self._read) < size:
            if not self._more():
                raise HungUp
        found = bytes(self._read[:size])
        del self._read[:size]
        return found

    def _line(self) -> bytes:
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > MAX_HEAD:
                raise ExchangeError("a line of the answer is too long")
            if not self._more():
                raise HungUp
        return self._take(end + 1).rstrip(b"\r\n")

    def _head(self) -> tuple[int, dict[str, str], int]:
        start = 0
        while (end := _HEAD_END.search(self._read, start)) is None:
            start = max(0, len(self._read) - 3)
            if len(self._read) > MAX_HEAD:
                raise ExchangeError("the head of the answer is too long")
            if not self._more():
                raise HungUp
        first, *rest = self._take(end.end())[: end.start()].split(b"\n")
        found = _STATUS.fullmatch(first.rstrip(b"\r"))
        if found is None:
            raise ExchangeError("what answers speaks no HTTP/1.1")
        headers: dict[str, str] = {}
        for line in rest:
            header = _HEADER.fullmatch(line.rstrip(b"\r"))
            if header is None:
                raise ExchangeError("a header of the answer is none")
            name, value = header[1].decode("ascii").lower(), header[2].strip(b" \t").decode("latin-1")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return int(found[2]), headers, int(found[1])

    def _body(self, status: int, headers: Mapping[str, str]) -> tuple[bytes, bool]:
        """The body as it was sent, and whether its end was told by anything but the end of the connection."""
        length, coding = headers.get("content-length"), headers.get("transfer-encoding", "").lower()
        if status in (204, 304):
            return b"", True
        if coding:
            if coding != "chunked" or length is not None:
                raise ExchangeError("the length of the answer is not clear")
            return self._chunks(), True
        if length is None:
            while self._more():
                self._check(len(self._read))
            return self._take(len(self._read)), False
        if not length.isascii() or not length.isdigit():
            raise ExchangeError("the length of the answer is not clear")
        size = int(length) if len(length) <= 12 else self._most + 1
        self._check(size)
        return self._take(size), True

    def _chunks(self) -> bytes:
        body, framing = bytearray(), 0
        while True:
            line = self._line()
            framing += len(line) + 2
            if framing > MOST_FRAMING:
                raise ExchangeError("the chunks of the answer are hardly anything but their sizes")
            if _CHUNK.fullmatch(line) is None:
                raise ExchangeError("a chunk of the answer is none")
            size = int(line.partition(b";")[0], 16)
            if size == 0:
                break
            self._check(len(body) + size)
            body += self._take(size)
            if self._line():
                raise ExchangeError("a chunk of the answer is longer than it says")
        trailers = 0
        while line := self._line():
            trailers += len(line)
            if trailers > MAX_HEAD:
                raise ExchangeError("the end of the answer is too long")
        return bytes(body)

    def _check(self, size: int) -> None:
        if size > self._most:
            raise ExchangeError(f"the answer is longer than {self._most:,} bytes")

    def _unpacked(self, body: bytes, coding: str) -> bytes:
        """The body unpacked, as servers send it that do not listen to what is accepted; one packing, and bounded."""
        if coding in ("", "identity"):
            return body
        if coding not in ("gzip", "x-gzip", "deflate"):
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


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "Timeout"
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
