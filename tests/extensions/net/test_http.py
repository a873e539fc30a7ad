"""What goes over the wire, and connections that are kept; hostile servers stand in `tests/extensions/judge`."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from contextlib import closing
from types import SimpleNamespace

import pytest

from scoring.extensions.net import connection as connections
from scoring.extensions.net import http
from scoring.extensions.net.connection import ExchangeError
from scoring.extensions.net.http import Endpoint
from tests.extensions.judge.hostile_servers import completion, ok
from tests.support.servers import server
from tests.support.waiting import PATIENCE


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_slow_answer_leaves_its_connection_all_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given an answer that comes a second before its deadline, then the next one on it has the whole time."""
    left = iter([5 * PATIENCE, 1.0, 1.0])

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            for pause in (0.0, 1.5):
                connection.recv(1 << 16)
                time.sleep(pause)
                connection.sendall(ok(b"%d" % pause))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        clock = SimpleNamespace(monotonic=lambda: -next(left, 5 * PATIENCE))
        for module in (http, connections):
            monkeypatch.setattr(module, "time", clock)
        with closing(Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/", {}, PATIENCE, "it")) as endpoint:
            assert [endpoint.post(b"{}", {}).body for _ in range(2)] == [b"0", b"1"]


def test_connections_that_the_server_closed_are_thrown_away_by_many_threads_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Given a thread that takes the last idle connection between another one's look and grasp, then both go on."""

    class Snatched(list[object]):
        def __bool__(self) -> bool:
            return True

        def __len__(self) -> int:
            return 1

    with server(ok(completion("yes"))) as url, closing(Endpoint(url, {}, PATIENCE, "it")) as endpoint:
        monkeypatch.setattr(endpoint, "_idle", {os.getpid(): Snatched()})
        assert endpoint.post(b"{}", {}).status == 200


@pytest.mark.parametrize(
    ("query", "sent"), [("a b", b"a%20b"), ("k=é&l=%41+1/?", b"k=%C3%A9&l=%41+1/?"), ("\x01", b"%01")]
)
def test_a_query_is_sent_as_a_request_line_can_carry_it(query: str, sent: bytes) -> None:
    assert requested("http://{}/v1?" + query).startswith(b"POST /v1?" + sent + b" HTTP/1.1\r\n")


def test_a_proxy_is_told_an_address_of_numbers_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://{}")
    assert requested("https://[2001:db8::1]/v1").startswith(
        b"CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443"
    )


def requested(address: str) -> bytes:
    """What comes to a server, or to the proxy, whose place stands for `{}`."""
    heard: list[bytes] = []

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(1 << 16))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        if "https_proxy" in os.environ:
            os.environ["https_proxy"] = os.environ["https_proxy"].format(place)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with (
            closing(Endpoint(address.format(place), {}, PATIENCE, "it")) as endpoint,
            contextlib.suppress(ExchangeError),
        ):
            endpoint.post(b"{}", {})
        thread.join(PATIENCE)
    return heard[0]
