"""Ask a service that a test runs, as plain HTTP and over bare sockets."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

for _module in ("starlette", "uvicorn", "httptools"):
    pytest.importorskip(_module, reason="a service needs the extra `serve`")

JSON = {"Content-Type": "application/json"}


def asked(
    port: int, path: str, body: Any = None, *, method: str = "", headers: Mapping[str, str] = JSON, host: str = ""
) -> tuple[int, dict[str, str], Any]:
    """The status, the headers and the value of the reply to a request; a body that is no bytes is sent as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    more = {"Host": host} if host else {}
    try:
        with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has all, and take no more
            connection.request(method or ("GET" if data is None else "POST"), path, data, {**headers, **more})
        reply = connection.getresponse()
        text = reply.read()
        kind = reply.headers.get_content_type()
        found = json.loads(text) if kind == "application/json" else text.decode()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, found
    finally:
        connection.close()


def request(body: bytes, *more: str, path: str = "/score", close: bool = True) -> bytes:
    """The bytes of a request that posts a body."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        *(["Connection: close"] if close else []),
        *more,
    ]
    if not any(line.startswith(("Content-Length", "Transfer-Encoding")) for line in more):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def said(port: int, wire: bytes, *, ends: bool = False) -> bytes:
    """All that a service answers to some bytes until it closes the connection; ``ends``: nothing more is sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        try:
            connection.sendall(wire)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has answered before it had all
        found = b""
        try:
            while block := connection.recv(65_536):
                found += block
        except ConnectionResetError:
            pass
        return found


def status_of(reply: bytes) -> int:
    """The status of the first response in what was said."""
    return int(reply.split(b" ", 2)[1])
