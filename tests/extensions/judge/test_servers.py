"""How a server is reached: addresses, names, proxies, certificates, kept connections; and leaving one that hangs."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import JudgeError, JudgeUnavailable, Message, Question, Reply
from tests.extensions.judge.hostile_servers import SECRET, completion, listening, ok, silent
from tests.support.servers import server
from tests.support.waiting import PATIENCE

QUESTION = Question((Message("user", ("Is it so?",)),))


def ask(url: str, timeout: float = PATIENCE) -> Reply:
    settings = JudgeSettings(url, "m", retries=1, backoff=0.001, longest_wait=0.01, timeout=timeout)
    with closing(HttpJudge(settings)) as judge:
        return judge.ask(QUESTION)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", SECRET)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_name_that_nobody_resolves_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a resolver that never says anything, then a call ends in its time, and one question waits for all."""
    asked: list[object] = []
    never = threading.Event()

    def resolve(host: str, *more: object) -> list[object]:
        if more[-1] == socket.AI_NUMERICHOST:
            raise socket.gaierror
        asked.append(host)
        never.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(JudgeUnavailable, match=r"ConnectError \(Timeout\)"):
        ask("http://judge.invalid/v1", timeout=0.05)
    assert asked == ["judge.invalid"]
    never.set()


def test_a_host_of_many_addresses_has_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as full, contextlib.ExitStack() as callers:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # whoever comes after them is not let in
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(full.getsockname())
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", full.getsockname())] * 100_000
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)
        with pytest.raises(JudgeUnavailable, match="Timeout"):
            ask("http://judge.invalid/v1", timeout=0.02)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_hangs_is_left_when_the_judge_is_closed(scheme: str) -> None:
    """Given a server that never answers, and all the time there is, then closing the judge ends the call."""
    with listening(silent) as place:
        judge = HttpJudge(JudgeSettings(f"{scheme}://{place}/v1", "m", timeout=PATIENCE, grace=0.05))
        _closing_ends(judge)


def test_a_name_that_nobody_resolves_is_left_when_the_judge_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()

    def resolve(host: str, *more: object) -> list[object]:
        if more[-1] == socket.AI_NUMERICHOST:
            raise socket.gaierror
        never.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    _closing_ends(HttpJudge(JudgeSettings("http://judge.invalid/v1", "m", timeout=PATIENCE, grace=0.05)))
    never.set()


def test_a_pause_before_the_next_try_is_left_when_the_judge_is_closed() -> None:
    with listening(ok(b"{}", "Retry-After: 99999", status="503 Later")) as place:
        _closing_ends(HttpJudge(JudgeSettings(f"http://{place}/v1", "m", longest_wait=PATIENCE, backoff=PATIENCE)))


def _closing_ends(judge: HttpJudge) -> None:
    said: list[str] = []

    def call() -> None:
        try:
            judge.ask(QUESTION)
        except JudgeError as error:
            said.append(str(error))

    calling = threading.Thread(target=call, daemon=True)
    calling.start()
    time.sleep(0.1)
    judge.close()
    calling.join(PATIENCE)
    assert said == ["the run was stopped"]


def test_what_a_server_says_before_it_has_read_everything_is_heard() -> None:
    question = Question((Message("user", ("x" * 20_000_000,)),))
    with (
        server(ok(b"too long", status="413 Too Large")) as url,
        closing(HttpJudge(JudgeSettings(url, "m"))) as judge,
        pytest.raises(JudgeError, match=r"refuses the request \(413\): too long"),
    ):
        judge.ask(question)


@pytest.mark.parametrize(("url", "said"), [("http://judge/v1#part", "`#`"), ("http://judge:0/v1", "port 0")])
def test_what_no_request_can_say_of_an_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(JudgeError, match=said):
        HttpJudge(JudgeSettings(url, "m"))


def test_a_connection_is_used_again_and_one_that_the_server_closed_is_not() -> None:
    for linger in (True, False):
        with (
            server(ok(completion("yes")), linger=linger) as url,
            closing(HttpJudge(JudgeSettings(url, "m", retries=0))) as judge,
        ):
            for number in range(3):
                assert judge.ask(Question((Message("user", (str(number),)),))).text == "yes"
                time.sleep(0.02)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_server_behind_tls_is_asked_if_its_certificate_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = [str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", pair[0], "-out", pair[1]]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair[1], pair[0])
    with server(ok(completion("yes")), linger=True, tls=context) as plain:
        url = plain.replace("http://127.0.0.1", "https://localhost")
        with pytest.raises(JudgeUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
            ask(url)
        monkeypatch.setenv("SSL_CERT_FILE", pair[1])
        with closing(HttpJudge(JudgeSettings(url, "m", timeout=PATIENCE))) as judge:
            assert [judge.ask(QUESTION).text for _ in range(3)] == ["yes"] * 3


def test_a_proxy_of_the_environment_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    with server(ok(completion("by the proxy"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert ask("http://judge.invalid/v1").text == "by the proxy"
        monkeypatch.setenv("no_proxy", "judge.invalid")
        with pytest.raises(JudgeUnavailable, match="ConnectError"):
            ask("http://judge.invalid/v1")
