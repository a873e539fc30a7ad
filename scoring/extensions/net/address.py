"""Addresses of servers, proxies and certificates, and the resolution of host names."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import ssl


class AddressRefused(ValueError):
    """The exception for an address, a proxy or a header that can't be used; the message is the reason."""


_SECRET = lazy_pattern("key|token|secret|pass|sig|auth|code", re.IGNORECASE)


class HostAddresses:
    """A resolver of one host name in a separate thread, so that waiting can be limited: the system's resolver has no
    time-out."""

    def __init__(self, host: str, port: int) -> None:
        self._host_and_port = host, port
        self._lock = threading.Lock()
        self._process = 0
        self._waiting: Future[list[tuple[int, Any]]] = Future()

    def addresses(self, longest: float) -> list[tuple[int, Any]]:
        """Return the host's address families and addresses, waiting at most `longest` seconds.

        Raises:
            OSError: when there are none; TimeoutError when the resolver does not answer in time.
        """
        with contextlib.suppress(socket.gaierror):
            return _addresses(*self._host_and_port, socket.AI_NUMERICHOST)  # a numeric address needs no resolver
        with self._lock:  # concurrent callers wait for the same answer
            if self._waiting.done() or self._process != os.getpid():  # threads don't survive a fork
                self._process, self._waiting = os.getpid(), Future()
                threading.Thread(target=self._ask, args=(self._waiting,), name="resolver", daemon=True).start()
            waiting = self._waiting
        return waiting.result(longest)

    def _ask(self, waiting: Future[list[tuple[int, Any]]]) -> None:
        with contextlib.suppress(InvalidStateError):  # `leave` has already set a result
            try:
                waiting.set_result(_addresses(*self._host_and_port))
            except OSError as error:
                waiting.set_exception(error)
            except UnicodeError:
                waiting.set_exception(OSError("the name of the host is none"))

    def leave(self) -> None:
        """Make all threads that wait for the resolver's answer continue with an empty list of addresses."""
        with contextlib.suppress(InvalidStateError):  # there is an answer already
            self._waiting.set_result([])


def _addresses(host: str, port: int, flags: int = 0) -> list[tuple[int, Any]]:
    found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, flags)
    return [(family, place) for family, _, _, _, place in found]


def address_of(url: str, what: str) -> SplitResult:
    """Return the parts of the address `url`, with a non-ASCII host name in IDNA encoding.

    Args:
        url: The address.
        what: The name of the address in messages.

    Raises:
        AddressRefused: when it is not a valid http or https address.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # also raised by `idna`
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[0-9a-z.:_-]+", host):
        raise AddressRefused(f"{what} should be http://… or https://… with a host")
    if parts.fragment or port == 0:
        raise AddressRefused(
            f"{what} has {'a `#`, which is sent nowhere' if parts.fragment else 'the port 0, which is none'}"
        )
    place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    return parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}@{place}" if "@" in parts.netloc else place)


def secrets_in(query: str) -> list[str]:
    """Return the values in a URL's query string whose parameter names, such as `api-key`, show that they are secrets.

    Examples:
        >>> secrets_in("api-version=2024-02-15&api-key=abc")
        ['abc']
    """
    return [value for name, value in parse_qsl(query) if _SECRET.search(name)]


def proxy_for(parts: SplitResult, what: str) -> tuple[tuple[str, int] | None, dict[str, str], str]:
    """Return the proxy that the environment variables name for an address: host and port, None if there is none; the
    headers for the proxy, and the password in these.

    Args:
        parts: The parts of the address.
        what: The name of the address in messages.

    Raises:
        AddressRefused: when the address contains a user name or password, or the proxy can't be used.
    """
    from urllib.request import getproxies, proxy_bypass

    if parts.username is not None:
        raise AddressRefused(f"{what} holds a name or a password, which nobody is sent")
    found = getproxies()
    url = found.get(parts.scheme) or found.get("all")
    if not url or proxy_bypass(parts.netloc):
        return None, {}, ""
    proxy = address_of(url if "://" in url else f"http://{url}", "the proxy's address")
    if proxy.scheme != "http":
        raise AddressRefused("only a proxy at http://… can be used; NO_PROXY names hosts that need none")
    headers, password = {}, unquote(proxy.password or "")
    if proxy.username is not None:
        words = f"{unquote(proxy.username)}:{password}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(words.encode()).decode()
    return (proxy.hostname or "", proxy.port or 80), headers, password


def tls_context() -> ssl.SSLContext:
    """Return the TLS context with which certificates of servers are verified."""
    import ssl

    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        try:
            import certifi
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())  # for systems without certificates of their own
    return context


def checked_headers(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return headers as pairs, after checking that no value could inject another header.

    Raises:
        AddressRefused: when a value contains a line end or another character that is not printable ASCII.
    """
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            raise AddressRefused(f"`{name}` holds a line end or another sign that no header can carry")
    return [(name, value.strip()) for name, value in headers.items()]
