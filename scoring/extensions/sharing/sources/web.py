"""Download of files over HTTP, with limits on bytes and time.

A few redirects within the same server are followed, and no others. A user name and a password are only taken from
``.netrc``, for exactly the host that it names, and only sent over HTTPS or to this machine.
"""

from __future__ import annotations

import base64
import contextlib
import netrc
import os
from contextlib import closing
from pathlib import Path
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.net.address import AddressRefused
from scoring.extensions.net.connection import ExchangeError, HttpAnswer
from scoring.extensions.net.http import Endpoint
from scoring.extensions.sharing.sources.limits import MOST_REDIRECTS, TIMEOUT

_HERE = ("localhost", "127.0.0.1", "::1")
_SAID = {
    401: "it requires a name and a password; give them in ~/.netrc, which is read only for https",
    403: "it denies access; check ~/.netrc",
    407: "the proxy requires a name and a password",
    429: "it gets too many requests; try again later",
}


def get(url: str, most: int) -> bytes | None:
    """Fetch a file over HTTP and return its bytes; None if the server has no such file.

    Args:
        url: The URL.
        most: The largest number of bytes.

    Raises:
        InputError: when the file can't be fetched or is larger, or the server redirects to another one.
    """
    start = urlsplit(url)
    try:
        endpoint = Endpoint(f"{start.scheme}://{start.netloc}/", _headers(start), TIMEOUT, shown(url), most=most)
    except AddressRefused as error:
        raise InputError(f"{url} can't be reached: {error}") from None
    place = urljoin(url, start.path or "/")
    with closing(endpoint):
        for _ in range(MOST_REDIRECTS + 1):
            try:
                answer = endpoint.get_at(unquote(urlsplit(place).path))
            except (ExchangeError, AddressRefused) as error:
                raise InputError(f"{url} can't be fetched: {error}") from None
            if answer.status not in (301, 302, 303, 307, 308):
                return _body(url, answer)
            place = _next(url, start, place, answer)
    raise InputError(f"{url} redirects more than {MOST_REDIRECTS} times")


def _headers(parts: SplitResult) -> dict[str, str]:
    headers = {"Accept": "*/*", "User-Agent": "scoring-dsl"}
    if parts.scheme != "https" and parts.hostname not in _HERE:
        return headers
    path = Path(os.environ.get("NETRC", "~/.netrc")).expanduser()
    with contextlib.suppress(OSError, netrc.NetrcParseError, UnicodeError, KeyError):  # no credentials for this host
        login, _, password = netrc.netrc(str(path)).hosts[parts.hostname or ""]
        words = f"{login}:{password or ''}".encode()
        headers["Authorization"] = "Basic " + base64.b64encode(words).decode("ascii")
    return headers


def _next(url: str, start: SplitResult, place: str, answer: HttpAnswer) -> str:
    """Return the URL to which a server redirects, after checking that it is on the same server.

    Args:
        url: The URL that was requested first.
        start: The parts of that URL.
        place: The URL of the present request.
        answer: The response that redirects.

    Raises:
        InputError: when the target is on another server.
    """
    try:
        found = urlsplit(urljoin(place, answer.headers.get("location", "")))
        same = (found.scheme, found.hostname, found.port) == (start.scheme, start.hostname, start.port)
    except ValueError:
        found, same = start, False
    if not same or found.username is not None:
        there = shown(found.hostname or "nowhere")
        raise InputError(f"{url} redirects to another server, {there}; write that address if it is intended")
    return found.geturl()


def _body(url: str, answer: HttpAnswer) -> bytes | None:
    if answer.status in (404, 410):
        return None
    if answer.status != 200:
        why = _SAID.get(answer.status, "try again later, or check the address")
        raise InputError(f"{url} can't be fetched: status {answer.status}; {why}")
    return answer.body
