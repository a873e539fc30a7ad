"""Plain responses, which are read without h11: what is made of them is what h11 makes."""

from __future__ import annotations

import gzip
import math
import socket
import threading
import time
from collections.abc import Iterable
from contextlib import closing

import h11
import pytest

from scoring.extensions.net.connection import Connection, ExchangeError, HttpAnswer, Request
from tests.support.waiting import PATIENCE

REQUEST = Request("POST", "/v1", [("Host", "it"), ("Content-Length", "2")], b"{}")
PACKED = gzip.compress(b"yes")


def whole(*fields: bytes, status: bytes = b"HTTP/1.1 200 OK", body: bytes = b"yes", length: bytes = b"3") -> bytes:
    return b"\r\n".join([status, b"Content-Length: " + length, *fields, b"", body])


RESPONSES = {
    "plain": whole(),
    "no reason": whole(status=b"HTTP/1.1 200"),
    "refused": whole(status=b"HTTP/1.1 429 Too Many", body=b"no", length=b"2"),
    "fields": whole(b"X-A:  b \t", b"x-a: c", b"X-Empty:", b"Connection: Keep-Alive"),
    "no body": whole(body=b"", length=b"0"),
    "long": whole(body=b"y" * 300_000, length=b"300000"),
    "packed": whole(b"Content-Encoding: gzip", body=PACKED, length=b"%d" % len(PACKED)),
    "packed badly": whole(b"Content-Encoding: gzip"),
    "closes": whole(b"Connection: close"),
    "closes among others": whole(b"Connection: keep-alive, close"),
    "more than its length": whole(body=b"yes and no"),
    "less than its length": whole(body=b"y"),
    "too long": whole(length=b"9000000"),
    "a number beyond all": whole(length=b"9" * 5_000),
    "signed": whole(length=b"+3"),
    "no digits": whole(length="²".encode("latin-1")),
    "two lengths": whole(b"Content-Length: 4"),
    "twice the length": whole(b"Content-Length: 3"),
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
    "chunks and a length": whole(b"Transfer-Encoding: chunked"),
    "until the end": b"HTTP/1.1 200 OK\r\n\r\nyes",
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "no content": whole(status=b"HTTP/1.1 204 No Content", body=b"", length=b"0"),
    "a length of no content": whole(status=b"HTTP/1.1 204 No Content"),
    "not modified": whole(status=b"HTTP/1.1 304 Not Modified"),
    "interim": b"HTTP/1.1 100 Continue\r\n\r\n" + whole(),
    "old": whole(status=b"HTTP/1.0 200 OK"),
    "a status beyond all": whole(status=b"HTTP/1.1 700 OK"),
    "bare line ends": whole().replace(b"\r\n", b"\n"),
    "a folded field": whole(b"X: a", b" b"),
    "a space before the colon": whole(b"X : a"),
    "a control character": whole(b"X: a\x00b"),
    "an escape": whole(b"X: a\x1bb"),
    "Latin-1": whole(b"X: \xe9"),
    "another protocol": b"SSH-2.0-OpenSSH\r\n",
}


def outcome(sent: Iterable[bytes]) -> tuple[HttpAnswer | str, bool]:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):

        def serve() -> None:
            theirs.recv(1 << 16)
            for part in sent:
                theirs.sendall(part)
                time.sleep(0.005)
            theirs.shutdown(socket.SHUT_WR)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            return Connection(ours, PATIENCE, 8_000_000).exchange(REQUEST, math.inf)
        except ExchangeError as error:
            return f"{type(error).__name__}: {error}", False
        finally:
            thread.join()


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("cut", [None, 10, -1])
def test_a_response_is_what_h11_makes_of_it(name: str, cut: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a response in one piece or two, then with h11 alone its status, headers, body and error are the same."""
    response = RESPONSES[name]
    parts = [response] if cut is None else [response[:cut], response[cut:]]
    found = outcome(parts)
    monkeypatch.setattr(Connection, "_plain", lambda _: (b"", None))
    assert found == outcome(parts)


def test_a_plain_response_needs_no_h11(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(h11, "Connection", None)
    assert outcome([RESPONSES["fields"]]) == (
        HttpAnswer(
            200, {"content-length": "3", "x-a": "b, c", "x-empty": "", "connection": "Keep-Alive"}, b"yes"
        ),
        True,
    )  # fmt: skip


@pytest.mark.parametrize("target", ["/a b", "/\r\nX: y", "/é", ""])
def test_a_request_that_no_line_can_carry_is_not_sent(target: str) -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs), pytest.raises(h11.LocalProtocolError):
        Connection(ours, PATIENCE, 100).exchange(REQUEST._replace(target=target), math.inf)
