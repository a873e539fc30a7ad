"""Whatever is sent, it is answered with a clear message or closed, without a trace of what is inside."""

from __future__ import annotations

import hmac
import json
import socket
import threading
from hmac import compare_digest
from pathlib import Path

import pytest

from scoring.extensions.serving.verbs import scoring_service
from tests.extensions.serving.asking import asked, request, said, status_of

PATH = "/tasks/demo/towns/score"
GOOD = json.dumps({"response": '{"town": "rome", "zip": 1}', "reference": {"town": "rome", "zip": 1}}).encode()

BODIES = {
    "nothing": (b"", 400, "not JSON"),
    "cut": (b'{"response": ', 400, "not JSON"),
    "NaN": (b'{"response": NaN}', 400, "NaN is not JSON"),
    "infinity": (b'{"response": -Infinity}', 400, "-Infinity is not JSON"),
    "deep": (b'{"response": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", 400, "nested deeper than"),
    "open brackets": (b"[" * 100_000, 400, "nested deeper than"),
    "a huge number": (b'{"response": ' + b"9" * 10_000 + b"}", 400, "more than 4300 digits"),
    "a key twice": (b'{"response": 1, "response": 2}', 400, "the key `response` appears twice"),
    "another encoding": ('{"response": "é"}'.encode("latin-1"), 400, "not UTF-8"),
    "a list": (b"[1]", 422, "a body is an object, not a list"),
    "another key": (b'{"responce": 1}', 422, "has the key `responce`"),
    "no list of rows": (b'{"rows": 3}', 422, "`rows` is a list, not a number"),
    "a row that is none": (b'{"rows": [{"response": "a"}, null]}', 422, "rows[1] is an object, not null"),
    "a record that is none": (b'{"record": [1]}', 422, "`record` of the body is an object"),
    "no part": (b"{}", 422, "the body has no `response`"),
    "too many rows": (b'{"rows": [' + b'{"response": 1},' * 1_000 + b'{"response": 1}]}', 413, "at most 1,000 rows"),
    "UTF-16": (GOOD.decode().encode("utf-16"), 400, "not UTF-8"),
    "UTF-32": (GOOD.decode().encode("utf-32-le"), 400, "not JSON"),
    "an overlong slash": (b'{"response": "\xc0\xaf"}', 400, "not UTF-8"),
    "a surrogate in UTF-8": (b'{"response": "\xed\xa0\x80"}', 400, "not UTF-8"),
    "zero bytes": (b"\0" * 100, 400, "not JSON"),
    "a zero byte in a text": (b'{"response": "a\0b"}', 400, "not JSON"),
    "a comment": (b'{"response": 1 /* one */}', 400, "not JSON"),
    "a comma too many": (b'{"response": 1,}', 400, "not JSON"),
    "single quotes": (b"{'response': 1}", 400, "not JSON"),
    "two values": (GOOD + GOOD, 400, "not JSON"),
    "a form": (b"response=1&reference=1", 400, "not JSON"),
    "a key twice below": (b'{"response": 1, "record": {"a": {"b": 1, "b": 2}}}', 400, "the key `b` appears twice"),
    "a key twice in a row": (b'{"rows": [{"response": 1, "id": 1, "id": 2}]}', 400, "the key `id` appears twice"),
    "a key twice, escaped": (b'{"response": 1, "\\u0072esponse": 2}', 400, "the key `response` appears twice"),
    "NaN below": (b'{"response": {"a": [NaN]}}', 400, "NaN is not JSON"),
    "deep objects": (b'{"response": ' + b'{"a":' * 9_000 + b"1" + b"}" * 9_000 + b"}", 400, "nested deeper than"),
    "a deep record": (b'{"record": {"a": ' + b"[" * 3_000 + b"]" * 3_000 + b"}}", 400, "nested deeper than"),
    "null": (b"null", 422, "a body is an object, not null"),
    "a number": (b"1", 422, "a body is an object, not a number"),
    "a text": (b'"a"', 422, "a body is an object, not a text"),
    "a truth value": (b"true", 422, "a body is an object, not a truth value"),
    "rows beside a key": (b'{"rows": [], "response": 1}', 422, "beside `rows` a body has no other key"),
    "rows in rows": (b'{"rows": [{"rows": []}]}', 422, "rows[0] has the key `rows`"),
    "a key of the second row": (
        b'{"rows": [{"response": 1}, {"response": 1, "gold": 2}]}',
        422,
        "rows[1] has the key `g",
    ),
    "an empty key": (b'{"response": 1, "": 2}', 422, "the body has the key ``"),
    "a long key": (b'{"response": 1, "' + b"k" * 100_000 + b'": 2}', 422, "the body has the key `kkk"),
    "a key of Python's": (b'{"response": 1, "__class__": 2}', 422, "has the key `__class__`"),
    "a record beside parts": (b'{"record": {}, "id": 1}', 422, "the body has no `response`"),
    "too large": (b'{"response": "' + b"a" * 1_000_001 + b'"}', 413, "at most 1,000,000 bytes"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_none_is_refused_with_a_reason(port: int, name: str) -> None:
    body, status, why = BODIES[name]
    found, _, reply = asked(port, PATH, body)
    assert found == status
    assert why in reply["error"]
    assert "\n" not in reply["error"]
    assert "Traceback" not in reply["error"]


@pytest.mark.parametrize(
    ("wire", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(50), 400),  # a client that wants TLS
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (request(b"{}", "Content-Length: -1"), 400),
        (request(b"{}", "Content-Length: 99999999999999999999999"), 400),
        (request(b"{}", "Content-Length: 99999999999", path=PATH), 413),
        (request(b"{}", "Content-Length: 2", "Transfer-Encoding: chunked"), 400),
        (request(b"{} ", "Content-Length: 2", "Content-Length: 3"), 400),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000, 431),
        (request(b"{}", "Content-Encoding: gzip", path=PATH), 415),
        # What two programs in a row would not read alike.
        (request(b"0\r\n\r\n", "Transfer-Encoding: chunked", "Content-Length: 5"), 400),
        (request(b"0\r\n\r\n", "Transfer-Encoding: xchunked", path=PATH), 400),
        (request(b"0\r\n\r\n", "Transfer-Encoding : chunked"), 400),
        (request(b"zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked", path=PATH), 400),
        (request(b"-2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked", path=PATH), 400),
        (request(b"fffffffffffffffff\r\n{}", "Transfer-Encoding: chunked", path=PATH), 400),
        (request(b"{}", "Content-Length: +2"), 400),
        (request(b"{}", "Content-Length: 0x2"), 400),
        (request(b"{}", "Content-Length: 2, 2"), 400),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n folded: a\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX\x00Y: a\r\n\r\n", 400),
        (b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n", 431),
        (b"GET /" + b"a" * 200_000, 431),
        (b"GET /tasks HTTP/1.1\r\nConnection: close\r\n\r\n", 421),
    ],
)
def test_what_is_no_request_of_ours_is_refused(port: int, wire: bytes, status: int) -> None:
    reply = said(port, wire)
    assert status_of(reply) == status
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["error"]


def test_other_names_addresses_and_types_are_refused(port: int) -> None:
    assert asked(port, "/tasks", host="evil.example")[0] == 421  # a page that has its name point to this machine
    assert asked(port, PATH, b"{}", headers={"Content-Type": "text/plain"})[0] == 415  # what a page may send unasked
    assert asked(port, PATH, b"{}", headers={})[0] == 415
    assert asked(port, f"{PATH}?x=1", b"{}")[0] == 422
    assert asked(port, f"{PATH}?references_as=xml", b"{}")[0] == 422
    told = "the address has `reference`; it may have references_as, end"
    assert asked(port, f"{PATH}?reference=a", b"{}")[2]["error"] == told  # which has an effect for Vertex alone
    told = "the address has `references_as` twice; give it once"
    assert asked(port, f"{PATH}?references_as=json&references_as=values", b"{}")[2]["error"] == told
    _, _, found = asked(port, "/tasks/demo/towns/get_reward", {"query": ["a"], "label": ["b"]})
    assert found["error"] == "the body has the key `label`; it has query, prompts, labels"
    for path in ("/tasks/../score", "/tasks/%2e%2e/%2e%2e/etc/passwd/score", "/tasks/demo%00towns/score", "/%ff"):
        assert asked(port, path, b"{}")[0] == 404
    assert asked(port, "/nothing", b"{}")[0] == 404
    status, headers, found = asked(port, PATH)
    assert (status, headers["allow"], found["error"]) == (405, "POST", "this address takes POST, not GET")


def test_who_has_finished_sending_is_answered(port: int) -> None:
    reply = said(port, request(GOOD, path=PATH, close=False), ends=True)
    assert status_of(reply) == 200
    assert said(port, request(GOOD, path=PATH)[:-5], ends=True) == b""


def test_requests_in_a_row_are_answered_in_a_row(port: int) -> None:
    wire = b"".join(request(GOOD[:-1] + f', "id": {at}}}'.encode(), path=PATH, close=False) for at in range(40))
    reply = said(port, wire + request(GOOD, path=PATH))
    assert reply.count(b"HTTP/1.1 200") == 41
    places = [reply.index(f'"id":{at},'.encode()) for at in range(40)]
    assert places == sorted(places)
    assert said(port, wire + b"garbage\r\n\r\n").count(b"HTTP/1.1 200") == 40
    assert said(port, wire, ends=True).count(b"HTTP/1.1 200") == 40


@pytest.mark.parametrize("cut", [0, 20, -5])
def test_nobody_holds_a_connection_by_sending_nothing_more(port: int, cut: int) -> None:
    assert status_of(said(port, request(GOOD, path=PATH)[:cut])) == 408


def test_others_are_answered_beside_who_is_slow(port: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        for one in slow:
            one.sendall(b"POST /score HTTP/1.1\r\nX: a")
        found: list[int] = []
        asking = [threading.Thread(target=lambda: found.append(asked(port, PATH, GOOD)[0])) for _ in range(20)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        assert found == [200] * 20
    finally:
        for one in slow:
            one.close()


def test_nothing_is_held_in_the_end(port: int) -> None:
    for _ in range(5):
        said(port, request(GOOD, path=PATH)[:-5], ends=True)
    _, _, text = asked(port, "/metrics")
    assert "\nscoring_held_bytes 0\n" in text
    assert "\nscoring_waiting_rows 0\n" in text


def test_half_of_a_character_that_can_not_be_written_is_answered(port: int) -> None:
    body = b'{"response": "{}", "id": "\\ud800", "reference": {"town": "\\udfff", "zip": 1}}'
    status, _, found = asked(port, PATH, body)
    assert (status, found["id"], found["score"]) == (200, "\ud800", 0.0)
    status, _, found = asked(port, "/tasks/demo/towns/verify", b'{"response": {"output": []}, "a": "\\ud800"}')
    assert (status, found["a"]) == (200, "\ud800")
    status, _, found = asked(port, PATH, b'{"\\ud800": 1}')
    assert (status, "error" in found) == (422, True)


def test_a_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch, towns: Path) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def counted(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return compare_digest(one, other)

    monkeypatch.setenv("SCORING_SERVE_TOKEN", "a-token-of-thirty-two-characters")
    monkeypatch.setattr(hmac, "compare_digest", counted)
    bad = ["", "a", "a-token-of-thirty-two-character", "a-token-of-thirty-two-charactersx", "\xe9" * 32, "x" * 50_000]
    with scoring_service(towns, port=0, processes=1) as service:
        for one in bad:
            assert asked(service.port, "/tasks", headers={"Authorization": f"Bearer {one}"})[0] == 401
        assert asked(service.port, "/tasks", headers={"Authorization": "a-token-of-thirty-two-characters"})[0] == 401
    assert len(compared) == len(bad)  # each goes through the comparison that takes the same time for all of a length
