"""Who may ask a studio, for what, and how much."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.extensions.studio import files as module
from scoring.extensions.studio.server import StudioServer
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import SPEC, asked, request, settled, write_files


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with open_studio(*write_files(tmp_path_factory.mktemp("studio"))) as studio:
        settled(studio)
        yield studio


def test_only_who_has_the_key_and_our_name_gets_anything(served: StudioServer) -> None:
    status, headers, _ = request(served, "GET", f"/{served.key}/index.html")
    assert status == 200
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for path in ("/", "/index.html", f"/{served.key[:-1]}/ask", f"/{served.key}/towns.yaml", f"/{served.key}/../x"):
        status, _, body = request(served, "GET", path)
        assert status == 404
        assert served.key.encode() not in body
    for host in ("evil.example", f"evil.example:{served.port}", ""):
        assert request(served, "GET", f"/{served.key}/index.html", Host=host)[0] == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Length": str(module.MOST_BYTES + 1)}, 413),
    ],
)
def test_a_question_of_others_is_refused_unread(served: StudioServer, headers: dict[str, str], status: int) -> None:
    own = {"Origin": f"http://127.0.0.1:{served.port}", "Content_Type": "application/json", **headers}
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.putrequest("POST", f"/{served.key}/ask")
    for name, value in own.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()


ODD: list[Any] = [
    [],
    None,
    "edit",
    {"ask": "nothing"},
    {"ask": ["edit"]},
    {"ask": "edit"},
    {"ask": "edit", "text": 1},
    {"ask": "save", "text": "x", "spec": "/etc/passwd"},
    {"ask": "save", "text": "x", "path": "/etc/passwd", "file": 0},
    {"ask": "save", "text": "x", "file": 1},  # the spec is one task, so there is no other file
    {"ask": "edit", "text": "x", "file": -1},
    {"ask": "open", "file": "../x"},
    {"ask": "open", "file": True},
    {"ask": "edit", "text": "x", "texts": {"/etc/passwd": "x"}},
    {"ask": "rows", "limit": "9"},
    {"ask": "rows", "offset": True},
    {"ask": "record", "row": 1.5},
    {"ask": "cut"},
    {"ask": "complete", "text": "x", "position": {"line": "1"}},
    {"ask": "rows", "task": 1},
    {"ask": "rows", "having": ["score"]},
    {"ask": "audit", "text": "x", "task": {}},
    {"ask": "hover", "text": "x"},
]


@pytest.mark.parametrize("question", ODD, ids=range(len(ODD)))
def test_a_question_that_is_none_is_told_so(served: StudioServer, question: Any) -> None:
    found = json.loads(served.answered(json.dumps(question).encode()))
    assert list(found) == ["problem"]
    assert "bug" not in found["problem"]


def test_odd_values_break_nothing(served: StudioServer) -> None:
    huge = 10**400
    for question in (
        {"ask": "rows", "offset": -5, "limit": -5, "sort": "field:../x", "moved": "sideways", "status": "x"},
        {"ask": "rows", "offset": huge, "from": 1e308, "to": -1e308},
        {"ask": "rows", "search": "\ud800\x00", "against": "nobody"},
        {"ask": "record", "row": -1},
        {"ask": "record", "row": 0, "task": "nobody's"},
        {"ask": "rows", "having": "nothing", "task": "\ud800"},
        {"ask": "report", "task": None},
        {"ask": "record", "row": huge},
        {"ask": "cut", "threshold": 1e308, "label": [{}, [1], "x"]},
        {"ask": "cut", "threshold": huge},
        {"ask": "complete", "text": "kind: task\n", "position": {"line": -9, "character": huge}},
        {"ask": "edit", "text": "\x00kind: task\nname: \ud800"},
        {"ask": "edit", "text": "kind: pack\nname: p\nversion: 1.0.0\n"},
        {"ask": "edit", "text": "[" * 100_000},
    ):
        found = json.loads(served.answered(json.dumps(question).encode()))
        assert "bug" not in str(found.get("problem", "")), question
    too_long = json.dumps({"ask": "edit", "text": "x" * (module.LONGEST_TEXT + 1)}).encode()
    assert "at most 1,000,000 can be edited" in json.loads(served.answered(too_long))["problem"]
    assert json.loads(served.answered(b"{"))["problem"]
    version = asked(served, "edit", text=SPEC + "# well\n")["version"]
    assert settled(served)["version"] == version
