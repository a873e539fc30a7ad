"""Two hundred edits of one text, hostile ones among them, and hostile messages between them."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from scoring.extensions.editors.server.texts import EditedText
from scoring.extensions.editors.server.thinking import NoAnswer, Thinker
from tests.extensions.editors.server.client import LspClient, place, units
from tests.support.golden import REPOSITORY

_EDITS = 200
_LINE = re.compile("\r\n|\n|\r")
_HOSTILE = (
    "[" * 300,
    "{a: " * 200,
    "any_of(" * 100,
    "\u2028\x0c\x85\x0b",
    "😀" * 50,
    "\ud83d",
    "&a [*a, *a]\n",
    '"never closed',
    "- : ? | > ! & * %\n",
    "a" * 20_000,
    "\r",
    "\r\n\r\n",
    "\x00",
    "!!python/object:os.system x\n",
    "<<: *x\n",
    " | ".join(["lower"] * 300),
    "scores:\n" + "".join(f"  s{at}: lowr | eqal\n" for at in range(60)),
)
_ORDINARY = ("lower", " | ", "x", "\n", "  near: equal\n", "(", ")", '"', "#", ":", "[0, 1]", "house.near", "", "")
_ASKED = (
    "hover",
    "completion",
    "definition",
    "prepareRename",
    "documentSymbol",
    "foldingRange",
    "semanticTokens/full",
    "codeLens",
)
_OF_POSITIONS = ("hover", "completion", "definition", "prepareRename")


def _at(text: str, offset: int) -> dict[str, int]:
    """Return the position of an offset, by the lines that the protocol defines."""
    ends = [found.end() for found in _LINE.finditer(text, 0, offset)]
    if ends and ends[-1] == offset and text[offset - 1 : offset + 1] == "\r\n":
        ends.pop()  # between the two signs of one line end
    return place(len(ends), units(text[ends[-1] if ends else 0 : offset]))


def _spot(text: str, rng: random.Random) -> int:
    """Return an offset of a text, none between the two signs of a line end, where no cursor stands."""
    offset = rng.randint(0, len(text))
    return offset + 1 if text[offset - 1 : offset + 1] == "\r\n" else offset


def test_two_hundred_edits_leave_the_server_with_the_text_of_the_editor(client: LspClient) -> None:
    rng = random.Random(31)
    text = (REPOSITORY / "specs/megabench/pack.yaml").read_text(encoding="utf-8")[:6_000]
    uri, version, before = client.open("edited.yaml", text), 1, client.requests
    asked: list[int] = []
    for number in range(_EDITS):
        start, end = sorted((_spot(text, rng), _spot(text, rng)))
        end = _whole(text, min(end, start + rng.choice((0, 0, 1, 5, 40))))
        new = _HOSTILE[number // 5 % len(_HOSTILE)] if number % 5 == 4 else rng.choice(_ORDINARY)
        version += 1
        client.change(uri, version, {"range": {"start": _at(text, start), "end": _at(text, end)}, "text": new})
        text = text[:start] + new + text[end:]
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        method = _ASKED[number % len(_ASKED)]
        document: dict[str, Any] = {"textDocument": {"uri": uri}}
        position = {"position": _at(text, start)} if method in _OF_POSITIONS else {}
        asked.append(client.begin(f"textDocument/{method}", {**document, **position}))
        if number % 7 == 0:
            client.tell("$/cancelRequest", {"id": asked[-1]})
        if len(text) > 60_000:  # an author who gives up on what is there
            version, text = version + 1, text[:4_000].rstrip("\r")
            client.change(uri, version, {"text": text})
    answers = [client.answer(one) for one in asked]
    failed = [one["error"] for one in answers if "error" in one and one["error"]["code"] not in (-32800, -32803)]
    assert failed == []
    assert client.requests - before == _EDITS  # each was answered once, or it was cancelled
    fresh = client.open("fresh.yaml", text)
    for method in ("semanticTokens/full", "foldingRange", "documentSymbol"):
        assert client.of(method, uri) == client.of(method, fresh)
    own, other = client.found(uri, version), client.found(fresh)
    assert [(one.code, one.range) for one in own] == [(one.code, one.range) for one in other]
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def _whole(text: str, offset: int) -> int:
    return offset + 1 if text[offset - 1 : offset + 1] == "\r\n" else offset


def test_what_is_no_message_is_passed_over_and_what_is_none_of_ours_is_refused(client: LspClient) -> None:
    client.raw(b"Content-Length: 9\r\n\r\nnot json!")
    client.raw(b"X-Header: " + b"x" * 100_000 + b"\r\ncontent-length: 2\r\nContent-Type: x\r\n\r\n[]")
    client.raw(b"Content-Length: 4\r\n\r\nnull")
    client.raw(b"Content-Length: 60000\r\n\r\n" + b"[" * 60_000)
    for broken in (
        {"jsonrpc": "2.0", "id": 9_001, "method": "textDocument/hover", "params": {"textDocument": 1}},
        {"jsonrpc": "2.0", "id": "nine", "method": "textDocument/hover", "params": None},
    ):
        client.send(broken)
        assert client.answer(broken["id"])["error"]["code"] in (-32602, -32603)
    client.send({"jsonrpc": "2.0", "id": 9_003, "method": "no/such", "params": {}})
    assert client.answer(9_003)["error"]["code"] == -32601
    client.tell("textDocument/didChange", {"textDocument": {"uri": "file:///none.yaml", "version": 1}})
    client.send({"jsonrpc": "1.0", "id": 9_004, "method": "textDocument/hover"})
    client.send({"id": [1], "method": 7})
    client.tell(
        "textDocument/didOpen",
        {"textDocument": {"uri": "git:/a.yaml", "languageId": "yaml", "version": 1, "text": "x"}},
    )
    uri = client.open("after.yaml", "kind: task\nname: x\nscore: eqal\n")
    assert [one.code for one in client.found(uri)] == ["unknown-name"]
    odd = {"start": place(7_000_000, 5), "end": place(0, 4_000_000_000)}
    answer = client.answer(client.begin("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": odd}))
    assert answer.get("result") == [] or "error" in answer


def test_long_and_deep_texts_are_refused_and_others_are_still_answered(client: LspClient) -> None:
    big = client.open("big.yaml", "kind: task\nname: x\ndoc: " + "x" * 3_000_000 + "\n")
    assert [one.code for one in client.found(big)] == ["too-large"]
    deep = client.open("deep.json", '{"kind": "task", "a": ' + "[" * 100_000, "json")
    assert client.found(deep) != []
    for uri in (big, deep):
        client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    uri = client.open("small.yaml", "kind: task\nname: x\nscore: equal\n")
    assert client.at("hover", uri, place(2, 9))["contents"]["value"]


def test_a_text_that_takes_too_long_is_told_so_and_costs_no_other_text(client: LspClient) -> None:
    many = "kind: pack\nname: a/b\nversion: 1.0.0\nscorers:\n"
    many += "".join(f"  s{at}: lowr | stripp | eqal(tolerence={at})\n" for at in range(9_000))
    slow = client.open("slow.yaml", many)
    uri = client.open("quick.yaml", "kind: task\nname: x\nscore: lower | equal\n")
    assert client.at("hover", uri, place(2, 9))["contents"]["value"]  # while that is checked
    version = 1
    for version in range(2, 40):  # who goes on writing does not wait for the check of what stood there before
        client.change(slow, version, {"text": "kind: task\nname: x\nscore: eqal\n"})
        time.sleep(0.1)
    assert [one.code for one in client.found(slow, version)] == ["unknown-name"]


def test_a_question_that_takes_too_long_has_no_answer_and_the_next_one_has(tmp_path: Path) -> None:
    thinker = Thinker(0.3)
    names = "".join(f"  s{at}: lowr | stripp | eqal\n" for at in range(9_000))
    slow, quick = tmp_path / "slow.yaml", tmp_path / "quick.yaml"
    texts = {slow: EditedText(f"kind: pack\nname: a/b\nversion: 1.0.0\nscorers:\n{names}")}
    settings: dict[str, Any] = {"encoding": "utf-16", "folders": []}

    async def asked() -> list[Any]:
        with pytest.raises(NoAnswer, match=r"more than 0\.3 s of a processor"):
            await thinker.ask({"ask": "findings", "path": str(slow)}, texts, settings)
        short = {quick: EditedText("kind: task\nname: x\nscore: eqal\n")}
        found: list[Any] = await thinker.ask({"ask": "findings", "path": str(quick)}, short, settings)
        return found

    try:
        assert [one["code"] for one in asyncio.run(asked())] == ["unknown-name"]
        assert thinker.starts == 2
    finally:
        thinker.close()


def test_no_answer_is_markup_that_a_spec_has_written(client: LspClient) -> None:
    doc = "<img src=x onerror=alert(1)> [a](command:evil) ![b](http://x/y.png)"
    text = "kind: pack\nname: a/b\nversion: 1.0.0\nscorers:\n"
    text += f"  near: {{doc: {json.dumps(doc)}, score: equal}}\n  other: near\n"
    uri = client.open("markup.yaml", text)
    told = client.at("hover", uri, place(5, 11))["contents"]["value"]
    assert "<img" not in told.replace("\\<", "")
    assert "](" not in told.replace("\\](", "").replace("\\]\\(", "")
