"""Servers that speak HTTP badly, slowly or with malice: each costs a bounded time and ends in a reason, never a run."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoring.judge.asking import exchange
from scoring.judge.asking.cache import JudgeCache
from scoring.judge.asking.cached import CachedJudge
from scoring.judge.asking.client import HttpJudge
from scoring.judge.asking.exchange import Endpoint, ExchangeError
from scoring.judge.asking.settings import JudgeSettings
from scoring.judge.protocol import JudgeError, JudgeUnavailable, Message, Question, Reply
from tests.support.waiting import PATIENCE

SECRET = "sk-very-secret-value"
QUESTION = Question((Message("user", ("Is it so?",)),))


def completion(content: object = "yes", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **more}).encode()


def ok(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(*pieces: bytes, end: bytes = b"0\r\n\r\n", headers: bytes = b"") -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + headers + b"\r\n" + body + end


@contextmanager
def server(
    script: bytes, *, drip: float = 0.0, linger: bool = False, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """An address that answers every request with the script, all at once or byte by byte."""
    over = threading.Event()

    def serve(plain: socket.socket) -> None:
        with plain, contextlib.suppress(OSError), tls.wrap_socket(plain, True) if tls else plain as connection:
            while connection.recv(1 << 16) and not over.is_set():
                if drip:
                    for place in range(len(script)):
                        connection.sendall(script[place : place + 1])
                        if over.wait(drip):
                            return
                else:
                    connection.sendall(script)
                if not linger:
                    return

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)


def ask(url: str, timeout: float = PATIENCE) -> Reply:
    settings = JudgeSettings(url, "m", retries=1, backoff=0.001, longest_wait=0.01, timeout=timeout)
    with closing(HttpJudge(settings)) as judge:
        return judge.ask(QUESTION)


def cached(url: str, folder: Path) -> CachedJudge:
    settings = JudgeSettings(url, "m", retries=0, timeout=PATIENCE)
    return CachedJudge(JudgeCache(folder / "judge.db"), HttpJudge(settings))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", SECRET)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


@dataclass(frozen=True)
class Good:
    name: str
    script: bytes


GOOD = [
    Good("plain", ok(completion())),
    Good("chunked", chunked(completion()[:7], completion()[7:])),
    Good("chunks of one byte", chunked(*(bytes([byte]) for byte in completion()))),
    Good("chunk extensions and trailers", chunked(completion(), end=b"0;a=b\r\nX-Sum: 1\r\n\r\n")),
    Good("until the end", b"HTTP/1.1 200 OK\r\n\r\n" + completion()),
    Good("of the old protocol", b"HTTP/1.0 200 OK\r\n\r\n" + completion()),
    Good("without a reason phrase", ok(completion(), status="200")),
    Good("with bare line feeds", ok(completion()).replace(b"\r\n", b"\n")),
    Good("after going on", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + ok(completion())),
    Good("packed once, unasked", ok(gzip.compress(completion()), "Content-Encoding: gzip")),
    Good("deflated, unasked", ok(zlib.compress(completion()), "Content-Encoding: deflate")),
    Good("headers in capitals", ok(completion()).replace(b"Content-Length", b"CONTENT-LENGTH")),
    Good("a header of many spaces", ok(completion(), "X: y" + " " * 60_000 + "z")),
    Good("many headers", ok(completion(), *(f"X-{number}: y" for number in range(500)))),
    Good("usage of 31 digits", ok(completion(usage={"prompt_tokens": 10**31}))),
    Good("usage of 4,000 digits", ok(completion(usage={"prompt_tokens": 7}).replace(b"7", b"7" * 4_000))),
    Good("usage of 9,000 digits", ok(completion(usage={"prompt_tokens": 7}).replace(b"7", b"7" * 9_000))),
    Good("usage that is no mapping", ok(completion(usage=[1]))),
    Good("usage in texts", ok(completion(usage={"prompt_tokens": "12"}))),
    Good("an endless count", ok(completion(usage={"prompt_tokens": 7}).replace(b"7", b"Infinity"))),
    Good("a lone surrogate for a model", ok(completion(model="\ud800"))),
    Good("a mapping for a model", ok(completion(model={"a": [1] * 10_000}))),
]  # fmt: skip


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_what_is_odd_and_still_an_answer_is_paid_read_and_kept(case: Good, tmp_path: Path) -> None:
    with server(case.script) as url, closing(cached(url, tmp_path)) as judge:
        assert judge.ask(QUESTION).text == "yes"
        assert judge.ledger.summary()["prompt_tokens"] >= 0
        assert judge.ask(QUESTION).cached


@dataclass(frozen=True)
class Bad:
    name: str
    script: bytes
    said: str = "hung up"


BAD = [
    Bad("nothing", b""),
    Bad("half a head", b"HTTP/1.1 200 OK\r\nContent-Le"),
    Bad("half a body", ok(completion())[:-5]),
    Bad("half a chunk", chunked(completion(), end=b"")[:-9]),
    Bad("no last chunk", chunked(completion(), end=b"")),
    Bad("no protocol", b"hello\r\n\r\n", "no HTTP/1.1"),
    Bad("another protocol", b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "no HTTP/1.1"),
    Bad("a version to come", b"HTTP/2 200 OK\r\n\r\n", "no HTTP/1.1"),
    Bad("a status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n", "no HTTP/1.1"),
    Bad("a header without a colon", b"HTTP/1.1 200 OK\r\nnone\r\n\r\n", "header"),
    Bad("a folded header", b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "header"),
    Bad("a space before the colon", b"HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc", "header"),
    Bad("a head of megabytes", b"HTTP/1.1 200 OK\r\nA: " + b"a" * 2_000_000, "head of the answer is too long"),
    Bad("headers without end", b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 40_000, "head of the answer is too long"),
    Bad("two lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "not clear"),
    Bad("a negative length", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", "not clear"),
    Bad("a length in words", b"HTTP/1.1 200 OK\r\nContent-Length: three\r\n\r\nabc", "not clear"),
    Bad("a length and chunks", chunked(completion(), headers=b"Content-Length: 3\r\n"), "not clear"),
    Bad("a length of gigabytes", b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", "longer than"),
    Bad("a length of many digits", b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", "longer than"),
    Bad("a length of many noughts", b"HTTP/1.1 200 OK\r\nContent-Length: " + b"0" * 5000 + b"2\r\n\r\n{}", "longer"),
    Bad("an endless body", b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 9_000_000, "longer than"),
    Bad("a chunk of gigabytes", chunked(end=b"ffffffff\r\n"), "longer than"),
    Bad("a size of too many digits", chunked(end=b"fffffffff\r\n"), "chunk"),
    Bad("a size that is none", chunked(end=b"0x10\r\n"), "chunk"),
    Bad("a negative size", chunked(end=b"-5\r\n"), "chunk"),
    Bad("a chunk beyond its size", chunked(end=b"3\r\nabcd\r\n0\r\n\r\n"), "longer than it says"),
    Bad("a size line without end", chunked(end=b"1" + b";" * 200_000), "line of the answer is too long"),
    Bad("trailers without end", chunked(end=b"0\r\n" + b"A: b\r\n" * 40_000), "end of the answer is too long"),
    Bad("another transfer coding", chunked(completion()).replace(b": chunked", b": gzip, chunked"), "not clear"),
    Bad("promises", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "again and again"),
    Bad("packed twice", ok(gzip.compress(gzip.compress(b"{}")), "Content-Encoding: gzip, gzip"), "not asked for"),
    Bad("packed in two headers", ok(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip"), "not asked for"),
    Bad("packed by a stranger", ok(completion(), "Content-Encoding: br"), "not asked for"),
    Bad("packed badly", ok(b"not gzip", "Content-Encoding: gzip"), "can't be unpacked"),
    Bad("a bomb", ok(gzip.compress(b"x" * 50_000_000), "Content-Encoding: gzip"), "longer than"),
    Bad("packed nothing", ok(gzip.compress(b""), "Content-Encoding: gzip"), "no completion"),
    Bad("deep JSON", ok(b"[" * 1_000_000), "no completion"),
    Bad("a text for a message", ok(b'{"choices": [{"message": "yes"}]}'), "no completion"),
    Bad("a number for choices", ok(b'{"choices": 5}'), "no completion"),
    Bad("a list in a list", ok(b'[[["choices"]]]'), "no completion"),
    Bad("bytes that are no text", ok(b"\xff\xfe{}"), "no completion"),
    Bad("no content", b"HTTP/1.1 204 No Content\r\n\r\n", "refuses the request (204)"),
    Bad("a redirect", ok(b"", "Location: http://127.0.0.1:9/", status="307 Elsewhere"), "refuses the request (307)"),
]  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_what_is_no_answer_ends_in_a_reason(case: Bad) -> None:
    with server(case.script) as url, pytest.raises(JudgeError) as error:
        ask(url)
    assert case.said in str(error.value)


@dataclass(frozen=True)
class Slow:
    name: str
    script: bytes
    drip: float = 0.0


SLOW = [
    Slow("says nothing", b""),
    Slow("drips a header", b"HTTP/1.1 200 OK\r\nA: " + b"a" * 60_000, drip=0.05),
    Slow("drips a body", ok(b"x" * 60_000), drip=0.05),
    Slow("drips chunks", chunked(*[b"x"] * 60_000), drip=0.05),
    Slow("drips promises", b"HTTP/1.1 100 Continue\r\n\r\n" * 7 + b"H" * 60_000, drip=0.01),
]


@pytest.mark.parametrize("case", SLOW, ids=lambda case: case.name)
def test_a_whole_exchange_has_one_deadline(case: Slow) -> None:
    with server(case.script, drip=case.drip, linger=True) as url, pytest.raises(JudgeUnavailable, match="Timeout"):
        ask(url, timeout=0.2)


def test_packed_nothing_without_end_is_given_up() -> None:
    empty = gzip.compress(b"")
    script = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + empty * (9_000_000 // len(empty))
    with server(script) as url, pytest.raises(JudgeUnavailable, match="longer than"):
        ask(url)


LEAKS = {
    "plain": SECRET,
    "after a long preface": "x" * 190 + SECRET + "x" * 190,
    "in base64": base64.b64encode(f"Bearer {SECRET}".encode()).decode(),
    "in base64 elsewhere": base64.b64encode(f"key {SECRET}!".encode()).decode(),
    "in base64 at the end": base64.urlsafe_b64encode(f"ab{SECRET}".encode()).decode(),
    "in hexadecimal digits": SECRET.encode().hex().upper(),
    "in a URL": SECRET.replace("-", "%2D"),
    "in JSON inside JSON": json.dumps(SECRET).replace("s", "\\u0073"),
    "in HTML": SECRET.replace("v", "&#118;").replace("k", "&#x6B;"),
}


def shows(text: str) -> bool:
    """Whether a text shows so much of the key that the rest can be guessed."""
    forms = [SECRET, *LEAKS.values()]
    return any(
        form[place : place + 14] in text
        for form in forms
        for place in range(len(form) - 13)
        if "x" * 9 not in form[place : place + 14]
    )


@pytest.mark.parametrize("said", LEAKS.values(), ids=LEAKS)
@pytest.mark.parametrize("status", ["401 No", "503 Later"])
def test_a_key_is_hidden_in_reasons_before_they_are_cut(said: str, status: str) -> None:
    for body in (json.dumps({"error": {"message": said}}).encode(), f"<p>{said}</p>".encode()):
        with server(ok(body, status=status)) as url, pytest.raises(JudgeError) as error:
            ask(url)
        assert not shows(str(error.value)), str(error.value)


def test_a_key_of_one_sign_leaves_a_message_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "x")
    with (
        server(ok(b"no room, x", status="507 Full")) as url,
        pytest.raises(JudgeError, match=r"\(507\): no room, \[key\]"),
    ):
        ask(url)


@pytest.mark.parametrize("said", LEAKS.values(), ids=LEAKS)
def test_a_key_in_a_reply_comes_into_no_cache(said: str, tmp_path: Path) -> None:
    with server(ok(completion(f"It is {said}.", model=said))) as url, closing(cached(url, tmp_path)) as judge:
        assert "[key]" in judge.ask(QUESTION).text
    assert not shows((tmp_path / "judge.db").read_bytes().decode("latin-1"))


def test_a_word_for_a_key_may_stand_in_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "EMPTY")
    with server(ok(completion("The box is EMPTY."))) as url:
        assert ask(url).text == "The box is EMPTY."


def test_what_a_server_says_before_it_has_read_everything_is_heard() -> None:
    question = Question((Message("user", ("x" * 20_000_000,)),))
    with (
        server(ok(b"too long", status="413 Too Large")) as url,
        closing(HttpJudge(JudgeSettings(url, "m"))) as judge,
        pytest.raises(JudgeError, match=r"refuses the request \(413\): too long"),
    ):
        judge.ask(question)


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
        monkeypatch.setattr(exchange, "time", SimpleNamespace(monotonic=lambda: -next(left, 5 * PATIENCE)))
        with closing(Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/", {}, PATIENCE)) as endpoint:
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

    with server(ok(completion())) as url, closing(Endpoint(url, {}, PATIENCE)) as endpoint:
        monkeypatch.setattr(endpoint, "_idle", {os.getpid(): Snatched()})
        assert endpoint.post(b"{}", {}).status == 200


@pytest.mark.parametrize(
    ("query", "sent"), [("a b", b"a%20b"), ("k=é&l=%41+1/?", b"k=%C3%A9&l=%41+1/?"), ("\x01", b"%01")]
)
def test_a_query_is_sent_as_a_request_line_can_carry_it(query: str, sent: bytes) -> None:
    assert requested("http://{}/v1?" + query).startswith(b"POST /v1?" + sent + b" HTTP/1.1\r\n")


@pytest.mark.parametrize(("url", "said"), [("http://judge/v1#part", "`#`"), ("http://judge:0/v1", "port 0")])
def test_what_no_request_can_say_of_an_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(JudgeError, match=said):
        HttpJudge(JudgeSettings(url, "m"))


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
        with closing(Endpoint(address.format(place), {}, PATIENCE)) as endpoint, contextlib.suppress(ExchangeError):
            endpoint.post(b"{}", {})
        thread.join(PATIENCE)
    return heard[0]


def test_a_connection_is_used_again_and_one_that_the_server_closed_is_not() -> None:
    for linger in (True, False):
        with (
            server(ok(completion()), linger=linger) as url,
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
    with server(ok(completion()), linger=True, tls=context) as plain:
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
