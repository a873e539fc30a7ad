"""A client of an HTTP server for several threads, with persistent connections: it posts JSON and fetches files.

It supports only what is needed: no redirects, no cookies, no other methods. An exchange can be ended from outside at
any step, and its bytes and time are limited (`connection`).
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from scoring.extensions.net.address import (
    HostAddresses,
    address_of,
    checked_headers,
    proxy_for,
    secrets_in,
    tls_context,
)
from scoring.extensions.net.connection import Connection, ExchangeError, HttpAnswer, HungUp, NotConnected, Request

if TYPE_CHECKING:
    import ssl

MAX_BODY = 8_000_000
# The characters of a path and of a query that are sent unchanged; `%` too, since they are already escaped.
_PLAIN = "/?%:@!$&'()*+,;=~"


class Endpoint:
    """A client for one address, to which it posts JSON over connections that it keeps open; safe to use from several
    threads.

    Proxies of the environment (``HTTPS_PROXY``, ``NO_PROXY`` and so on) are obeyed.

    Args:
        url: The address, http or https.
        headers: The headers to send with every request.
        timeout: The most seconds that any step may wait; the whole exchange may take five times as long.
        what: The name of the address in messages.
        most: The most bytes of a response's body.
        trust: A function that returns the TLS context in which certificates are verified.

    Raises:
        AddressRefused: when the address, the proxy or a header can't be used.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        timeout: float,
        what: str,
        trust: Callable[[], ssl.SSLContext] = tls_context,
        most: int = MAX_BODY,
    ) -> None:
        self._timeout, self._most = timeout, most
        self._idle: dict[int, list[Connection]] = {}
        self._under_way: set[socket.socket] = set()
        self._is_cut = False
        parts = address_of(url, what)
        self._host, self._port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = trust() if parts.scheme == "https" else None
        self._proxy, proxy_headers, password = proxy_for(parts, what)
        self.secrets = (password, *secrets_in(parts.query))
        """Secrets besides those in the headers: the proxy's password, and keys in the address."""
        self._resolver = HostAddresses(*(self._proxy or (self._host, self._port)))
        self._before = f"http://{parts.netloc}" if self._proxy is not None and self._tls is None else ""
        query = f"?{quote(parts.query, safe=_PLAIN)}" if parts.query else ""
        self._target = self._before + quote(parts.path or "/", safe=_PLAIN) + query
        own = {"Host": parts.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
        tunnelled = self._tls is not None
        own |= {"Content-Type": "application/json", **headers, **({} if tunnelled else proxy_headers)}
        self._headers = checked_headers(own)
        self._authority = parts.netloc if parts.port else f"{parts.netloc}:{self._port}"
        self._connect = checked_headers({"Host": self._authority, **proxy_headers})

    def post(self, data: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Post a body, `data`, with additional headers to the endpoint's address, and return the response.

        Raises:
            ExchangeError: when there is no response, or it is too long, too slow or not HTTP.
        """
        more = checked_headers({**headers, "Content-Length": f"{len(data)}"})
        return self._request("POST", self._target, more, data)

    def get(self, query: str) -> HttpAnswer:
        """Send a GET request with `query`, already URL-escaped, appended to the endpoint's address, and return the
        response.

        Raises:
            ExchangeError: when there is no response, or it is too long, too slow or not HTTP.
        """
        return self._request("GET", f"{self._target}{'&' if '?' in self._target else '?'}{query}")

    def get_at(self, path: str) -> HttpAnswer:
        """Send a GET request for the path `path` on the endpoint's server, and return the response.

        Raises:
            ExchangeError: when there is no response, or it is too long, too slow or not HTTP.
        """
        return self._request("GET", self._before + quote(path, safe=_PLAIN))

    def _request(self, method: str, target: str, more: Iterable[tuple[str, str]] = (), data: bytes = b"") -> HttpAnswer:
        until = time.monotonic() + 5 * self._timeout
        request = Request(method, target, [*self._headers, *more], data)
        # After a fork, the older connections belong to the parent.
        idle = self._idle.setdefault(os.getpid(), [])
        kept = self._kept(idle)
        if kept is not None:
            try:
                return self._exchange(kept, idle, request, until)
            except (ConnectionError, HungUp) as error:  # the server had just closed it, which is not a failure
                if kept.heard or self._is_cut:
                    raise ExchangeError(_why(error)) from None
        try:
            return self._exchange(self._open(until), idle, request, until)
        except ConnectionError as error:
            raise ExchangeError(_why(error)) from None

    def _exchange(self, connection: Connection, idle: list[Connection], request: Request, until: float) -> HttpAnswer:
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

    def _kept(self, idle: list[Connection]) -> Connection | None:
        while True:
            try:
                connection = idle.pop()
            except IndexError:  # not checked before, since another thread could take the last one in between
                return None
            if connection.is_quiet():
                return connection
            connection.close()

    def _open(self, until: float) -> Connection:
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

    def _opened(self, family: int, place: tuple[str, int], until: float) -> Connection:
        """Return a new connection to one of the host's addresses, through the proxy's tunnel and with TLS where
        needed.

        Args:
            family: The address family of the socket.
            place: The address and port to connect to.
            until: The time of `time.monotonic` by which the whole exchange must be complete.
        """
        stream = socket.socket(family, socket.SOCK_STREAM)
        self._under_way.add(stream)
        try:
            stream.settimeout(self._left(until))
            stream.connect(place)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                if self._proxy is not None:
                    Connection(stream, self._timeout, self._most).tunnel(
                        Request("CONNECT", self._authority, self._connect), until
                    )
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
        return Connection(stream, self._timeout, self._most)

    def _left(self, until: float) -> float:
        """Return the number of seconds that the next step may wait before the time `until`; raise an ExchangeError if
        none are left."""
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
        """Abort all running exchanges at whatever step they are, and refuse new ones."""
        self._is_cut = True
        self._resolver.leave()
        for stream in self._under_way.copy():
            with contextlib.suppress(OSError):  # it has already ended
                socket.socket.shutdown(stream, socket.SHUT_RDWR)


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "Timeout"
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
