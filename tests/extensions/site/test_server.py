"""The server of `scoring site --serve`: who may ask it, for what, how much, and what it runs."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.net import loopback
from scoring.extensions.processes.child import ChildProcess
from scoring.extensions.site import server as module
from scoring.extensions.site.server import SiteServer
from scoring.extensions.site.verbs import serve
from tests.support.golden import REPOSITORY

PACK = REPOSITORY / "specs" / "rubrics"
QUICK = {
    "kind": "pack",
    "name": "close",
    "version": "1.0.0",
    "scorers": {
        "close_text": {"params": {"threshold": 0.8}, "score": "levenshtein | zero_below(threshold)"},
        "runs": {"score": "run_tests(cases=reference)"},
    },
    "aggregates": {"least": {"aggregate": "min"}},
    "metrics": {"share": {"metric": "accuracy(threshold=0.5)"}},
    "transforms": {"small": {"transform": "lower | strip"}},
}
CLOSE = "packs/close-1.0.0.html#close_text"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "pack.yaml").write_text(json.dumps(QUICK), encoding="utf-8")
    with serve(folder) as found:
        yield found


def asked(
    server: SiteServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """What the server answers to one request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def tried(server: SiteServer, question: Any, **headers: str) -> Any:
    """The answer to a question of a page of the site."""
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Content_Type": "application/json", **headers}
    status, _, body = asked(server, "POST", f"/{server.key}/try", json.dumps(question).encode(), **own)
    assert status == 200, body
    return json.loads(body)


def pair(prediction: str, reference: str, definition: str = CLOSE, **more: Any) -> dict[str, Any]:
    texts = {"prediction": prediction, "reference": reference}
    return {"definition": definition, **{name: {"as": "text", "text": one} for name, one in texts.items()}, **more}


def test_a_definition_runs_with_what_was_given(served: SiteServer) -> None:
    answer = tried(served, pair("harbour", "harbor"))
    assert float(answer["gave"]) == pytest.approx(6 / 7)
    assert [one["name"] for one in answer["stages"]] == ["input", "levenshtein", "zero_below"]
    assert tried(served, pair("harbour", "harbor", params={"threshold": "0.95"}))["gave"] == "0.0"


def test_it_gives_what_the_api_gives(served: SiteServer, tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(json.dumps(QUICK), encoding="utf-8")
    scorer = scoring.scorer(f"{tmp_path / 'pack.yaml'}:close_text", threshold=0.3)
    for one, other in [("a", "b"), ("abcd", "abce"), ("", ""), ("kitten", "sitting")]:
        answer = tried(served, pair(one, other, params={"threshold": "0.3"}))
        assert float(answer["gave"]) == scorer.score(one, other).value


@pytest.mark.parametrize(
    ("name", "text", "gave"),
    [("least", '{"a": 1, "b": 0.25}', "0.25"), ("share", "[1, 0.5, 0, 0]", "0.5"), ("small", '" AB "', '"ab"')],
)
def test_every_role_runs(served: SiteServer, name: str, text: str, gave: str) -> None:
    question = {"definition": f"packs/close-1.0.0.html#{name}", "prediction": {"as": "json", "text": text}}
    assert tried(served, question)["gave"] == gave


@pytest.mark.parametrize(
    ("change", "message", "where", "underlined"),
    [
        ({"expression": "lower | equals"}, "nothing is called `equals`", "expression", "equals"),
        ({"expression": "lower |"}, "", "expression", None),
        ({"params": {"threshold": "0.5.1"}}, "not JSON", "param threshold", "."),
        ({"params": {"thresold": "1"}}, "has no parameter `thresold`", "param thresold", None),
        ({"params": {"threshold": "7"}}, "at most 1", "", "threshold"),
        ({"record": {"as": "json", "text": "[1]"}}, "`record` is a mapping", "record", None),
        ({"prediction": {"as": "json", "text": "{]"}}, "not JSON", "prediction", "]"),
        ({"prediction": 3}, "`prediction` is a text", "prediction", None),
        ({"params": [1]}, "parameters are a mapping", "", None),
        ({"definition": "packs/close-1.0.0.html#nothing"}, "no such definition on this site", "", None),
        ({"definition": 1}, "names a definition", "", None),
        ({"expression": 1}, "an expression is a text", "expression", None),
    ],
)
def test_a_mistake_is_told_with_its_place(
    served: SiteServer, change: dict[str, Any], message: str, where: str, underlined: str | None
) -> None:
    found = tried(served, {**pair("a", "b"), **change})["findings"]
    assert message in found[0]["message"]
    assert found[0]["where"] == where
    if underlined is not None:
        start, end = found[0]["span"]
        assert found[0]["text"][start:end] == underlined


@pytest.mark.parametrize(
    "question", [None, [], "x", 1, {}, {"definition": {}}, {"definition": CLOSE, "prediction": []}]
)
def test_a_question_that_is_none_is_told_so(served: SiteServer, question: Any) -> None:
    assert tried(served, question)["findings"][0]["message"]


def test_programs_run_only_where_that_was_allowed(served: SiteServer) -> None:
    answer = tried(served, {**pair("print(1)", "[]", "packs/close-1.0.0.html#runs")})
    assert answer["findings"][0]["message"] == "it runs programs; start again with `--allow programs`"
    answer = tried(served, pair("a", "b", expression="run_tests(cases=reference)"))
    assert "runs programs" in answer["findings"][0]["message"], "nor through another expression"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_programs_run_where_that_was_allowed(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(json.dumps(QUICK), encoding="utf-8")
    with serve(tmp_path, allow=["programs"]) as server:
        cases = {"as": "json", "text": '[{"input": "", "expected": "7"}]'}
        right = {**pair("print(7)", "", "packs/close-1.0.0.html#runs"), "reference": cases}
        assert tried(server, right)["gave"] == "1.0"
        assert tried(server, {**right, "prediction": {"as": "text", "text": "print(8)"}})["gave"] == "0.0"


def test_only_who_has_the_key_gets_anything(served: SiteServer) -> None:
    assert asked(served, "GET", f"/{served.key}/packs/close-1.0.0.html")[0] == 200
    for path in ("/", "/index.html", "/x/index.html", f"/{served.key[:-1]}/index.html", f"//{served.key}x/", "/%00/"):
        status, _, body = asked(served, "GET", path)
        assert status == 404
        assert b"nothing is here" in body
        assert served.key.encode() not in body


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "packs/../../x", "site.json", "packs", "a\\b"]
)
def test_no_path_leads_out_of_the_site(served: SiteServer, path: str) -> None:
    assert asked(served, "GET", f"/{served.key}/{path}")[0] == 404


def test_another_name_of_the_machine_is_refused(served: SiteServer) -> None:
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1:{served.port + 1}", ""):
        assert asked(served, "GET", f"/{served.key}/index.html", Host=host)[0] == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "٣"}, 411),
        ({"Content_Length": str(module.MOST_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 30}, 411),
    ],
)
def test_a_request_of_others_is_refused(served: SiteServer, headers: dict[str, str], status: int) -> None:
    own = {"Origin": f"http://127.0.0.1:{served.port}", "Content_Type": "application/json"}
    given = {name.replace("_", "-"): value.encode() for name, value in {**own, **headers}.items()}
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.putrequest("POST", f"/{served.key}/try")
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()


def test_a_request_without_a_length_is_refused(served: SiteServer) -> None:
    own = {
        "Origin": f"http://127.0.0.1:{served.port}",
        "Content_Type": "application/json",
        "Transfer_Encoding": "chunked",
    }
    assert asked(served, "POST", f"/{served.key}/try", b"2\r\n{}\r\n0\r\n\r\n", **own)[0] == 411


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_do_nothing(served: SiteServer, method: str) -> None:
    status, headers, _ = asked(served, method, f"/{served.key}/try")
    assert status == 501
    assert "access-control-allow-origin" not in headers


def test_every_answer_forbids_what_a_page_does_not_need(served: SiteServer) -> None:
    for path in (f"/{served.key}/index.html", f"/{served.key}/try.js", "/"):
        _, headers, _ = asked(served, "GET", path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "python" not in headers["server"].lower()


def test_it_listens_on_this_machine_alone(served: SiteServer) -> None:
    assert served._server.server_address[0] == "127.0.0.1"
    assert served.address.startswith(f"http://127.0.0.1:{served.port}/")


def test_what_runs_too_long_is_ended_and_the_next_one_runs(served: SiteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    tried(served, pair("a", "a"))  # a process is ready
    send = ChildProcess.send

    def to_one_that_stands_still(child: ChildProcess, questions: Any) -> None:
        os.kill(child.process.pid, signal.SIGSTOP)
        send(child, questions)

    monkeypatch.setattr(ChildProcess, "send", to_one_that_stands_still)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    assert "no answer within 0 s" in tried(served, pair("a", "a"))["findings"][0]["message"]
    monkeypatch.undo()
    assert tried(served, pair("a", "a"))["gave"] == "1.0"


def test_questions_at_once_all_have_their_own_answer(served: SiteServer) -> None:
    answers: dict[int, str] = {}

    def ask(number: int) -> None:
        answers[number] = tried(served, pair("a" * number, "a" * 10, params={"threshold": "0"}))["gave"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: round(float(one), 9) for number, one in answers.items()} == {n: n / 10 for n in range(1, 9)}


def test_a_connection_that_says_nothing_holds_nobody_up(served: SiteServer) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as silent:
        silent.sendall(b"GET / HT")
        assert tried(served, pair("a", "a"))["gave"] == "1.0"


def test_a_byte_now_and_then_holds_no_place_of_others(served: SiteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "PATIENCE", 0.5)
    head = f"POST /{served.key}/try HTTP/1.1\r\nHost: {served.hosts[0]}\r\nOrigin: http://{served.hosts[0]}\r\n"
    for text in ("GET /x HTTP/1.1\r\n", f"{head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=60) as slow:
            slow.sendall(text.encode())
            for _ in range(1_000):
                try:
                    slow.sendall(b"X")
                except OSError:
                    break
                time.sleep(0.02)
            else:
                raise AssertionError("it is listened to for ever")
    assert tried(served, pair("a", "a"))["gave"] == "1.0"


def test_a_file_that_changed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text(json.dumps({**QUICK, "scorers": {"close_text": {"score": "equal"}}}), encoding="utf-8")
    server = serve(path)
    path.write_text(json.dumps({**QUICK, "scorers": {"close_text": {"score": "lower | equal"}}}), encoding="utf-8")
    with server as running:
        assert "has changed since" in tried(running, pair("a", "A"))["findings"][0]["message"]


def test_a_port_that_is_taken_is_one_line(served: SiteServer, tmp_path: Path) -> None:
    with pytest.raises(scoring.InputError, match="another program is listening there"), serve(PACK, port=served.port):
        pass


@pytest.mark.parametrize("port", [-1, 65_536, True, "80"])
def test_a_port_is_a_number(port: Any) -> None:
    with pytest.raises(scoring.InputError, match="port"):
        serve(PACK, port=port)


def test_connections_that_say_nothing_make_way_for_an_honest_page(
    served: SiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loopback, "PATIENCE", 10_000.0)  # so none of them ends by itself
    monkeypatch.setattr(loopback._Handler, "timeout", 10_000.0)
    silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(loopback.MOST_CONNECTIONS)]
    try:
        for _ in range(5):
            assert asked(served, "GET", f"/{served.key}/index.html")[0] == 200
    finally:
        for one in silent:
            one.close()
