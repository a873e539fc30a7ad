"""The findings of texts that are opened before pygls is imported: they come before it, are its own, and never late."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from scoring import children
from scoring.extensions.editors.server.early import EarlyFindings
from scoring.extensions.editors.server.serving import SpecServer
from scoring.extensions.editors.server.thinking import NoAnswer, Thinker
from tests.extensions.editors.server.client import NEVER, WITHOUT_PYGLS, LspClient, place, where

WRONG = 'kind: task\nname: x\nscore: replace(old="😀", new="") | eqal\n'
RIGHT = "kind: task\nname: x\nscore: lower | equal\n"
LINES = (
    *("kind: task", "kind: pack", "kind: suite", "name: x", "version: 1.0.0", "score: lower | equal", "fields:"),
    *('  a: replace(old="😀", new="") | eqal', "  b: lower | lower | equal", "  a: equal", "weights: {a: 2}", "\t", ""),
    *(
        "imports: {x: ./x.yaml}",
        "# 𝒳 | y",
        "score: x.near",
        "metrics: [mean, maen]",
        "doc: é\u2028\x85",
        "parse: [",
        "&a *a",
    ),
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=8).flatmap(
    lambda lines: st.sampled_from(("\n", "\r\n", "\r")).map(lambda end: end.join([*lines, ""]))
)
SPECS = st.tuples(st.sampled_from(("", RIGHT, WRONG, "kind: pack\nname: a/b\n")), TEXTS).map("".join)
OBJECTS = st.dictionaries(
    st.sampled_from(("kind", "name", "score", "fields", "doc")), st.sampled_from(("task", "x", "eqal", "😀", 1, {}))
)
NAMES = count()


@pytest.fixture(scope="module")
def early(client: LspClient) -> Iterator[LspClient]:
    """A client of a server whose import of pygls never ends, in the folder of the one that has ended it."""
    client.of("documentSymbol", client.open("first.yaml", RIGHT))  # pygls answers, so it has ended it
    with LspClient(client.folder, program=NEVER, stderr=children.DEVNULL) as found:
        yield found
        found.process.kill()
        found.process.wait()


def test_findings_come_before_pygls_is_there(early: LspClient) -> None:
    wrong, right, other = early.open("w.yaml", WRONG), early.open("r.yaml", RIGHT), early.open("o.yaml", "a: 1\n")
    named = early.open("named.json", '{"kind": "task", "name": "x", "score": "eqal"}', "json")
    (found,) = early.found(wrong)
    assert (found.code, found.range.start) == ("unknown-name", types.Position(**where(WRONG, WRONG.index("eqal"))))
    assert [early.found(right), early.found(other)] == [[], []]
    assert [one.code for one in early.found(named)] == ["unknown-name"]


@settings(deadline=None, max_examples=60)
@given(st.one_of(SPECS.map(lambda text: (text, "yaml")), OBJECTS.map(lambda one: (json.dumps(one), "json"))))
def test_early_findings_are_those_of_pygls(client: LspClient, early: LspClient, text: tuple[str, str]) -> None:
    name = f"drawn{next(NAMES)}.{text[1]}"
    uri = early.open(name, *text)
    assert client.open(name, *text) == uri
    client.found(uri)
    early.found(uri)
    assert early.told[uri] == client.told[uri]
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_nothing_that_is_told_is_older_than_what_was_told_before(tmp_path: Path) -> None:
    with LspClient(tmp_path) as client:
        first, second = client.open("first.yaml", WRONG), client.open("second.yaml", WRONG)
        client.change(first, 2, {"text": RIGHT})
        client.tell("textDocument/didClose", {"textDocument": {"uri": second}})
        assert client.found(first, 2) == []
        assert client.at("hover", first, place(2, 9))["contents"]["value"]
        versions = [one.version for one in client.findings[first]]
        assert versions == sorted(version for version in versions if version)
        assert client.findings[second][-1].diagnostics == ()
        again = client.open("again.yaml", WRONG)
        assert [one.code for one in client.found(again)] == ["unknown-name"]


@pytest.mark.parametrize(("last", "status"), [(("shutdown", "exit"), 0), (("exit",), 1)])
def test_a_server_that_shall_end_at_once_ends(tmp_path: Path, last: tuple[str, ...], status: int) -> None:
    with LspClient(tmp_path) as client:
        client.open("a.yaml", WRONG)
        for method in last:
            client.begin(method, None) if method == "shutdown" else client.tell(method, None)
        assert client.process.wait(60) == status


def test_pygls_is_imported_although_the_editor_says_nothing_more(tmp_path: Path) -> None:
    with LspClient(tmp_path, program=NEVER, stderr=children.PIPE) as client:
        assert client.process.stderr is not None
        assert client.process.stderr.readline() == b"pygls is imported\n"
        client.process.kill()
        client.process.wait()


def test_a_server_without_pygls_ends_while_the_editor_is_still_listening(tmp_path: Path) -> None:
    broken = WITHOUT_PYGLS.format(then="raise ImportError('none here')")
    with LspClient(tmp_path, program=broken, stderr=children.PIPE) as client:
        assert client.process.wait(60) == 2


class _Asked:
    """A checker that answers when a test wants it to."""

    def __init__(self) -> None:
        self.questions: list[tuple[Any, dict[Path, str], Any]] = []
        self.answers: list[Future[Any]] = []

    def queue(self, question: Any, texts: Any, settings: Any) -> Future[Any]:
        self.questions.append((question, {path: one.text for path, one in texts.items()}, settings))
        self.answers.append(Future())
        return self.answers[-1]


def _asked() -> tuple[_Asked, EarlyFindings, io.BytesIO]:
    checker, given = _Asked(), io.BytesIO()
    return checker, EarlyFindings(given, cast(Thinker, checker), "utf-8"), given


def _message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def _opened(path: str, version: Any = 1, text: Any = WRONG, **more: Any) -> bytes:
    document = {"uri": Path(path).absolute().as_uri(), "languageId": "yaml", "version": version, "text": text, **more}
    return _message("textDocument/didOpen", textDocument=document)


def test_each_opened_text_is_asked_about_with_those_before_it() -> None:
    checker, early, given = _asked()
    for message in (_message("initialized"), _opened("/a.yaml"), b'{"jsonrpc": "2.0", "id": 1, "method": "x"}'):
        assert early.look(message)
    assert early.look(_opened("/b.yaml", 7, RIGHT))
    a, b = (Path(name).absolute() for name in ("/a.yaml", "/b.yaml"))
    assert checker.questions == [
        ({"ask": "findings", "path": str(a)}, {a: WRONG}, {"encoding": "utf-8"}),
        ({"ask": "findings", "path": str(b)}, {a: WRONG, b: RIGHT}, {"encoding": "utf-8"}),
    ]
    for answer, found in zip(checker.answers, ([{"code": "x"}], None), strict=True):
        answer.set_result(found)
    told = [json.loads(one.partition(b"\r\n\r\n")[2] or "0") for one in given.getvalue().split(b"Content-Length")[1:]]
    assert [(one["method"], one["params"]) for one in told] == [
        ("textDocument/publishDiagnostics", {"uri": a.as_uri(), "diagnostics": [{"code": "x"}], "version": 1}),
        ("textDocument/publishDiagnostics", {"uri": b.as_uri(), "diagnostics": [], "version": 7}),
    ]


@pytest.mark.parametrize(
    "last",
    [
        *(_message(f"textDocument/{one}") for one in ("didChange", "didClose")),
        *(_message(one) for one in ("shutdown", "exit", "initialize")),
        *(_opened("/a.yaml"), _opened("/b.yaml", "1"), _opened("/b.yaml", 2**31), _opened("/b.yaml", True)),
        *(_opened("/b.yaml", text=None), _opened("/b.yaml", uri=5), _opened("/b.yaml", languageId=None)),
        *(_message("textDocument/didOpen"), _message("textDocument/didOpen", textDocument=[])),
        *(b"no json", b"[" * 60_000, b"[]", b"null", b"1", b"\xff", b'{"jsonrpc": "2.0", "id": 1, "result": null}'),
        b'{"method": "textDocument/didOpen", "params": {}, "more": 1}',
        b'{"method": ["textDocument/didOpen"]}',
        _opened("/b.yaml", text="x" * 4_000_000),
    ],
    ids=lambda last: repr(last[:90]),
)
def test_edits_and_what_is_odd_are_left_to_pygls(last: bytes) -> None:
    checker, early, given = _asked()
    assert early.look(_opened("/a.yaml"))
    assert not early.look(last)
    assert not early.look(_message("initialized"))
    checker.answers[0].set_result([])
    assert (len(checker.questions), given.getvalue()) == (1, b"")


def test_a_check_that_fails_is_left_to_pygls() -> None:
    checker, early, given = _asked()
    for name in ("/a.yaml", "/b.yaml", "/c.yaml"):
        assert early.look(_opened(name))
    checker.answers[0].set_exception(NoAnswer("it took too long"))
    checker.answers[1].cancel()
    assert given.getvalue() == b""
    checker.answers[2].set_result([])
    assert b"c.yaml" in given.getvalue()


def test_nothing_is_told_once_somebody_else_does() -> None:
    checker, early, given = _asked()
    assert early.look(_opened("/a.yaml"))
    early.end()
    checker.answers[0].set_result([])
    assert given.getvalue() == b""
    assert not early.look(_opened("/b.yaml"))


@pytest.mark.parametrize("uri", ["untitled:a.yaml", "git:/a.yaml", "file:a.yaml", "file:///a%00.yaml", "", "\ud800"])
def test_a_text_that_is_no_file_is_passed_over(uri: str) -> None:
    checker, early, _ = _asked()
    assert early.look(_opened("/b.yaml", uri=uri))
    assert checker.questions == []


def test_what_is_usual_is_read_once_the_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Thinker] = []
    monkeypatch.setattr("scoring.extensions.editors.server.serving._IDLE", 0)
    monkeypatch.setattr(Thinker, "prepare", lambda thinker: prepared.append(thinker))
    checker = Thinker(1.0)
    server = SpecServer(Thinker(1.0), checker, Thinker(1.0))

    async def begun() -> None:
        server.protocol.fm.features[types.INITIALIZED](types.InitializedParams())
        await asyncio.sleep(0.01)

    asyncio.run(begun())
    assert prepared == [checker]
