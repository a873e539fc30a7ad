"""The answer to the first request: it comes before pygls is imported, is what pygls answers, and comes once."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder

from scoring.extensions.editors.server.bounded_input import BoundedInput
from scoring.extensions.editors.server.greeting import Greeting, greet, server_capabilities
from scoring.extensions.editors.server.serving import SpecServer
from scoring.extensions.editors.server.thinking import Thinker
from tests.extensions.editors.server.client import LspClient

CONVERTER = converters.get_converter()
ENCODINGS = ["utf-8", "utf-16", "utf-32", "utf-7"]
CLIENTS = st.fixed_dictionaries(
    {},
    optional={
        "general": st.fixed_dictionaries(
            {}, optional={"positionEncodings": st.lists(st.sampled_from(ENCODINGS), unique=True)}
        ),
        "textDocument": st.fixed_dictionaries(
            {},
            optional={
                "rename": st.fixed_dictionaries({}, optional={"prepareSupport": st.booleans()}),
                "synchronization": st.just({"willSave": True, "willSaveWaitUntil": True, "didSave": False}),
            },
        ),
        "workspace": st.just({"fileOperations": {"didCreate": True, "willRename": True}}),
        "notebookDocument": st.just({"synchronization": {}}),
    },
)


def _message(content: object) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"Content-Length: %d\r\nContent-Type: x\r\n\r\n" % len(body) + body


def _initialize(key: object = 1, **params: Any) -> dict[str, Any]:
    params = {"processId": None, "rootUri": None, "capabilities": {}, **params}
    return {"jsonrpc": "2.0", "id": key, "method": "initialize", "params": params}


@pytest.fixture(scope="module")
def server() -> SpecServer:
    return SpecServer(Thinker(1.0), Thinker(1.0), Thinker(1.0))


@given(CLIENTS)
def test_an_editor_is_told_what_pygls_tells_it(server: SpecServer, capabilities: dict[str, Any]) -> None:
    client, features = CONVERTER.structure(capabilities, types.ClientCapabilities), server.protocol.fm
    built = ServerCapabilitiesBuilder(
        client,
        {*features.features, *features.builtin_features},
        features.feature_options,
        [*features.commands],
        types.TextDocumentSyncKind.Incremental,
        None,
        ServerCapabilitiesBuilder.choose_position_encoding(client),
    ).build()
    answer = CONVERTER.unstructure(built)
    for absent in ("willSave", "willSaveWaitUntil"):  # false is what it is without the key
        assert not answer["textDocumentSync"].pop(absent, False)
    assert server_capabilities(capabilities) == answer


def test_the_first_message_is_read_again_by_who_comes_next() -> None:
    taken, given = BoundedInput(io.BytesIO(_message(_initialize("a")) + _message([]))), io.BytesIO()
    assert greet(taken, given) == Greeting("a", "utf-16")
    answer = json.loads(given.getvalue().partition(b"\r\n\r\n")[2])
    assert (answer["id"], answer["result"]["serverInfo"]["name"]) == ("a", "scoring")
    left = io.BytesIO(_message(_initialize("a")) + _message([]))
    assert taken.readline() == left.readline()
    assert (taken.readline(), left.readline(), left.readline()) == (b"\r\n", b"Content-Type: x\r\n", b"\r\n")
    size = len(json.dumps(_initialize("a")))
    assert taken.read(size) == left.read(size)
    assert [taken.readline() for _ in range(3)] == [left.readline() for _ in range(3)]
    assert (taken.read(2), taken.readline()) == (b"[]", b"")


@pytest.mark.parametrize(
    "first",
    [
        b"no json",
        b"[" * 60_000,
        [],
        None,
        {"jsonrpc": "2.0", "id": 1, "method": "shutdown"},
        {**_initialize(), "method": "textDocument/hover"},
        {**_initialize(), "jsonrpc": "1.0"},
        _initialize([1]),
        _initialize(True),
        _initialize(None),
        _initialize(capabilities=None),
        _initialize(capabilities={"general": 5}),
        _initialize(capabilities={"general": {"positionEncodings": 5}}),
        _initialize(capabilities={"textDocument": {"rename": []}}),
    ],
    ids=lambda first: repr(first)[:60],
)
def test_what_is_no_such_request_is_left_to_pygls(first: object) -> None:
    given = io.BytesIO()
    assert greet(BoundedInput(io.BytesIO(_message(first))), given) is None
    assert given.getvalue() == b""


def _noted(seen: list[bytes], message: bytes) -> bool:
    seen.append(message)
    return True


def test_what_is_read_ahead_is_read_again_in_its_order() -> None:
    sent = [_message(content) for content in ([1], b"no json", [2], [3])]
    taken, seen = BoundedInput(io.BytesIO(b"".join(sent))), list[bytes]()
    taken.read_ahead(lambda message: _noted(seen, message) and message != b"[2]")
    for body in (b"[1]", b"no json", b"[2]"):
        assert [taken.readline(), taken.readline()] == [b"Content-Length: %d\r\n" % len(body), b"\r\n"]
        assert taken.read(len(body)) == body
    assert [taken.readline() for _ in range(3)] == [b"Content-Length: 3\r\n", b"Content-Type: x\r\n", b"\r\n"]
    assert (taken.read(3), taken.readline(), seen) == (b"[3]", b"", [b"[1]", b"no json", b"[2]"])


def test_no_more_is_read_ahead_than_a_message_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.editors.server.bounded_input.MOST_BYTES", 10)
    taken, seen = BoundedInput(io.BytesIO(b"".join(_message([number]) for number in range(9)))), list[bytes]()
    taken.read_ahead(partial(_noted, seen))
    for number in range(9):
        while taken.readline() != b"\r\n":
            pass
        assert taken.read(3) == b"[%d]" % number
    assert seen == [b"[%d]" % number for number in range(4)]


def test_the_first_of_two_lengths_counts_as_for_pygls() -> None:
    taken = BoundedInput(io.BytesIO(b"Content-Length: 2\r\nContent-Length: 1\r\n\r\n[]"))
    assert taken.first_message() == b"[]"


def test_an_input_that_ends_ends_what_is_read_ahead() -> None:
    for sent in (b"", b"\r\n", b"Content-Length: 9\r\n", b"Content-Length: 9\r\n\r\n[]"):
        taken, seen = BoundedInput(io.BytesIO(sent)), list[bytes]()
        taken.read_ahead(partial(_noted, seen))
        lines = [taken.readline() for _ in range(2)]
        assert (seen, lines[1]) == ([b"[]"], b"\r\n") if sent.endswith(b"[]") else ([], b"")


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"Content-Length: 0\r\n\r\n", b"Content-Length: 9\r\n\r\n{}"])
def test_an_input_that_ends_has_no_first_message(sent: bytes) -> None:
    assert greet(BoundedInput(io.BytesIO(sent)), io.BytesIO()) is None


def test_there_is_one_answer_to_each_request(tmp_path: Path) -> None:
    with LspClient(tmp_path) as client:
        sent = [client.begin(method, {}) for method in ("no/such", "initialize", "no/such")]
        assert all(client.answer(number) for number in sent)  # the client refuses a second one


def test_pygls_is_not_imported_before_the_editor_has_its_answer() -> None:
    late = "{'pygls', 'lsprotocol', 'asyncio'}"
    code = f"import scoring.extensions.editors.server.verbs, sys; print({late} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
