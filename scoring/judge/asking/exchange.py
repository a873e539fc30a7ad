"""HTTP/1.1 by hand for one purpose: JSON is posted to one address over kept connections, thousands of times a second.

A general client takes 2 ms of the processor for a call, ten times what it takes here, and many threads share one
processor. What is not needed is not there: no redirects, no cookies, no other method. What comes from the server is
bounded in bytes, and the whole exchange in time, whatever the server does: it may drip, promise to go on, or pack
nothing into much.
"""

from __future__ import annotations

import base64
import os
import re
import select
import socket
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import SplitResult, quote, unquote, urlsplit

from scoring.judge.calls import JudgeError

if TYPE_CHECKING:
    import ssl

MAX_BODY = 8_000_000
MAX_HEAD = 65_536
# Answers like `100 Continue`, before the one that counts.
_MOST_INTERIM = 8
_BLOCK = 65_536
# The signs of a path and of a query that are sent as they are; `%` too, since what is escaped comes escaped.
_PLAIN = "/?%:@!$&'()*+,;=~"
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: [^\r\n]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,8}[ \t]*(?:;.*)?")


class ExchangeError(Exception):
    """There is no answer: the reason in words, which another try may not meet."""


class NotConnected(ExchangeError):
    """Nothing was sent, since there is no connection."""


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

    Raises:
        JudgeError: when the address, the proxy or a header can't be used.
    """

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        self._timeout = timeout
        self._idle: dict[int, list[_Connection]] = {}
        parts = _address(url, "the judge's address")
        self._host, self._port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = _tls() if parts.scheme == "https" else None
        self._proxy, proxy_headers = _proxy(parts)
        target = quote(parts.path or "/", safe=_PLAIN) + (f"?{quote(parts.query, safe=_PLAIN)}" if parts.query else "")
        if self._proxy is not None and self._tls is None:
            target = f"http://{parts.netloc}{target}"
        own = {"Host": parts.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
        tunnelled = self._tls is not None
        own |= {"Content-Type": "application/json", **headers, **({} if tunnelled else proxy_headers)}
        self._head = f"POST {target} HTTP/1.1\r\n".encode("ascii") + _lines(own)
        authority = parts.netloc if parts.port else f"{parts.netloc}:{self._port}"
        self._connect = f"CONNECT {authority} HTTP/1.1\r\n".encode() + _lines({"Host": authority, **proxy_headers})

    def post(self, data: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Send a body and read the answer.

        Raises:
            ExchangeError: when there is none, or it is too long, too slow or not HTTP.
        """
        until = time.monotonic() + 5 * self._timeout
        request = self._head + _lines({**headers, "Content-Length": f"{len(data)}"}) + b"\r\n" + data
        # Those that came through a fork belong to the parent.
        idle = self._idle.setdefault(os.getpid(), [])
        connection = self._kept(idle) or self._open(until)
        stays = False
        try:
            answer, stays = connection.exchange(request, until)
        except OSError as error:
            raise ExchangeError(_why(error)) from None
        finally:
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
        stream = None
        try:
            stream = socket.create_connection(self._proxy or (self._host, self._port), self._timeout)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                if self._proxy is not None:
                    _Connection(stream, self._timeout).tunnel(self._connect + b"\r\n", until)
                stream = self._tls.wrap_socket(stream, server_hostname=self._host)
        except BaseException as error:
            if stream is not None:
                stream.close()
            if isinstance(error, (OSError, ExchangeError)):
                raise NotConnected(f"ConnectError ({_why(error)})") from None
            raise
        return _Connection(stream, self._timeout)

    def close(self) -> None:
        """Close the idle connections."""
        for connection in self._idle.pop(os.getpid(), []):
            connection.close()


class _Connection:
    """A socket, and what was read from it and not yet used."""

    def __init__(self, stream: socket.socket, timeout: float) -> None:
        self._stream, self._timeout, self._until = stream, timeout, 0.0
        self._read = bytearray()
        # Windows has no `poll`; elsewhere `select` takes none but the first thousand files of a process.
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(stream, select.POLLIN)

    def close(self) -> None:
        self._stream.close()

    def is_quiet(self) -> bool:
        """Whether the server has neither closed the idle connection nor said anything unasked."""
        said = select.select([self._stream], [], [], 0)[0] if self._poll is None else self._poll.poll(0)
        return not said

    def exchange(self, request: bytes, until: float) -> tuple[HttpAnswer, bool]:
        """The answer to a request, and whether the connection stays."""
        self._until = until
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
        return HttpAnswer(status, headers, _unpacked(body, headers.get("content-encoding", ""))), stays

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
            self._stream.sendall(data[start : start + _BLOCK] if len(data) > _BLOCK else data)

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise ExchangeError("Timeout (the answer is too slow)")
        self._stream.settimeout(min(left, self._timeout))

    def _more(self) -> bool:
        """Read on; False at the end."""
        self._limit()
        block = self._stream.recv(_BLOCK)
        self._read += block
        return bool(block)

    def _until_there(self, size: int) -> None:
        while len(self._read) < size:
            if not self._more():
                _hung_up()

    def _take(self, size: int) -> bytes:
        self._until_there(size)
        found = bytes(self._read[:size])
        del self._read[:size]
        return found

    def _line(self) -> bytes:
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > MAX_HEAD:
                raise ExchangeError("a line of the answer is too long")
            if not self._more():
                _hung_up()
        return self._take(end + 1).rstrip(b"\r\n")

    def _head(self) -> tuple[int, dict[str, str], int]:
        start = 0
        while (end := _HEAD_END.search(self._read, start)) is None:
            start = max(0, len(self._read) - 3)
            if len(self._read) > MAX_HEAD:
                raise ExchangeError("the head of the answer is too long")
            if not self._more():
                _hung_up()
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
        size = int(length) if len(length) <= 12 else MAX_BODY + 1
        self._check(size)
        return self._take(size), True

    def _chunks(self) -> bytes:
        body = bytearray()
        while True:
            line = self._line()
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
        if size > MAX_BODY:
            raise ExchangeError(f"the answer is longer than {MAX_BODY:,} bytes")


def _hung_up() -> NoReturn:
    raise ExchangeError("the server hung up")


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "Timeout"
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())


def _unpacked(body: bytes, coding: str) -> bytes:
    """The body unpacked, as servers send it that do not listen to what is accepted; one packing, and bounded."""
    if coding.lower() in ("", "identity"):
        return body
    if coding.lower() not in ("gzip", "x-gzip", "deflate"):
        raise ExchangeError("the answer is packed in a way that was not asked for")
    try:
        found = zlib.decompressobj(47).decompress(body, MAX_BODY + 1)
    except zlib.error:
        raise ExchangeError("the answer can't be unpacked") from None
    if len(found) > MAX_BODY:
        raise ExchangeError(f"the answer is longer than {MAX_BODY:,} bytes")
    return found


def _address(url: str, what: str) -> SplitResult:
    """The parts of an address; names beyond ASCII as the network writes them."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # what `idna` raises is one, too
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[0-9a-z.:_-]+", host):
        raise JudgeError(f"{what} should be http://… or https://… with a host")
    if parts.fragment or port == 0:
        raise JudgeError(
            f"{what} has {'a `#`, which is sent nowhere' if parts.fragment else 'the port 0, which is none'}"
        )
    place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    return parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}@{place}" if "@" in parts.netloc else place)


def _proxy(parts: SplitResult) -> tuple[tuple[str, int] | None, dict[str, str]]:
    """The host and port of the environment's proxy for an address, and the headers that it wants."""
    from urllib.request import getproxies, proxy_bypass

    if parts.username is not None:
        raise JudgeError("the judge's address holds a name or a password; the key belongs into SCORING_JUDGE_KEY")
    found = getproxies()
    url = found.get(parts.scheme) or found.get("all")
    if not url or proxy_bypass(parts.netloc):
        return None, {}
    proxy = _address(url if "://" in url else f"http://{url}", "the proxy's address")
    if proxy.scheme != "http":
        raise JudgeError("only a proxy at http://… can be used; NO_PROXY names hosts that need none")
    headers = {}
    if proxy.username is not None:
        words = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(words.encode()).decode()
    return (proxy.hostname or "", proxy.port or 80), headers


def _tls() -> ssl.SSLContext:
    import ssl

    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        try:
            import certifi
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())  # for systems that carry no certificates of their own
    return context


def _lines(headers: Mapping[str, str]) -> bytes:
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            raise JudgeError(f"`{name}` holds a line end or another sign that no header can carry")
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("ascii")
