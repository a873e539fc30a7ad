"""What judges say: bytes of servers, replies of models, and caches of both that others wrote."""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import json
import os
import socket
import sqlite3
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.judge.asking.cache import JudgeCache, call_key
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import JudgeError, Message, Question, Reply, Usage, use_judge
from scoring.extensions.judge.verbs import export_calls, import_calls, list_calls, prune_calls
from tests.fuzz import codec, drawing
from tests.fuzz.generators import mutate, values
from tests.fuzz.target import Fault, Subject, Target, Told, reason_faults, told_outcome
from tests.fuzz.targets.scratch import Scratch

SECRET = "sk-fuzz-0123456789-secret"
QUESTION = Question((Message("user", ("Is it so?",)),), {"type": "object"}, prompt="p", inputs="i")
KEYS = ("choices", "message", "content", "usage", "model", "error", "finish_reason", "prompt_tokens", "text", "")
COMPLETION: dict[str, Any] = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "9"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    "model": "m-1",
}
HEADS = (
    "Content-Length: {n}", "Content-Length: 0", "Content-Length: -1", "Content-Length: 99999999999",
    "Content-Length: 1",
    "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Content-Encoding: gzip", "Connection: close",
    "Content-Encoding: gzip, gzip", "Content-Type: application/json", "Retry-After: 0", "Retry-After: x",
    "X: " + "a" * 900,
    "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT", "Location: http://127.0.0.1:1/", "Set-Cookie: a=b", " folded", ":",
    "",
)  # fmt: skip
STATUSES = ("200 OK", "200", "100 Continue", "204 No", "206 Part", "301 Moved", "400 Bad", "401 No", "404 Not",
            "429 Slow",
            "500 Oh", "503 Busy", "999 What", "2000 OK", "OK")  # fmt: skip


def body_of(random: Random) -> bytes:
    """What a server says: nearly a completion, nearly an error, or nothing of the kind."""
    kind = random.randrange(10)
    if kind < 5:
        data: Any = COMPLETION
        for _ in range(random.randrange(3)):
            data = mutate.value(random, data, KEYS)
        return json.dumps(data).encode()
    if kind < 7:
        shown = random.choice((SECRET, base64.b64encode(SECRET.encode()).decode(), SECRET.upper(), SECRET[::-1]))
        pad = "x" * random.choice((0, 5, 150, 190))
        return json.dumps({"error": {"message": f"{pad}your key {shown} is bad", "code": None}}).encode()
    if kind < 8:
        return drawing.content(random, json.dumps(COMPLETION).encode())
    return values.text(random)[:3000].encode("utf-8", "surrogatepass")


def answer_of(random: Random) -> bytes:
    """The bytes of one answer."""
    body = body_of(random)
    if random.randrange(3) == 0:
        chunks = [body[at : at + 7] for at in range(0, len(body), 7)]
        framed = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in chunks) + b"0\r\n\r\n"
        heads = ["Transfer-Encoding: chunked"]
        body = framed if random.randrange(2) else drawing.content(random, framed)
    else:
        heads = [f"Content-Length: {len(body)}"]
    if random.randrange(2):
        heads = [random.choice(HEADS).format(n=len(body)) for _ in range(random.randrange(4))] + heads[
            : random.randrange(2)
        ]
    status = random.choice(STATUSES) if random.randrange(3) == 0 else "200 OK"
    whole = f"HTTP/1.1 {status}\r\n{''.join(head + chr(13) + chr(10) for head in heads)}\r\n".encode() + body
    return drawing.content(random, whole) if random.randrange(4) == 0 else whole


class Servers(Target):
    """The bytes that a judge's server sends to a call and to its one retry."""

    name = "servers"
    weight = 0.1
    together = 8
    short = 6

    def setup(self, random: Random) -> Any:
        return random.choice(("auto", "json_schema", "off"))

    def given(self, random: Random, setup: Any) -> Any:
        return [answer_of(random) for _ in range(random.choice((1, 1, 2, 3)))]

    def open(self, setup: Any) -> Subject:
        return _Server(setup)


class _Server:
    many = None

    def __init__(self, structured: Any) -> None:
        self.structured = structured
        self.script: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        weakref.finalize(self, self._listener.close)
        threading.Thread(target=_serve, args=(self._listener, self.script), daemon=True).start()
        self.port = self._listener.getsockname()[1]
        os.environ["SCORING_JUDGE_KEY"] = SECRET

    def one(self, given: list[bytes]) -> Told:
        """What the client makes of the answers: a reply, or why there is none, and never the key."""
        self.script[:] = given
        settings = JudgeSettings(
            f"http://127.0.0.1:{self.port}/v1", "m", retries=1, backoff=0.0, longest_wait=0.0, timeout=2.0,
            structured=self.structured, grace=0.1,
        )  # fmt: skip
        with contextlib.closing(HttpJudge(settings)) as judge:
            try:
                reply = judge.ask(QUESTION)
                text = codec.write([reply.text, reply.model, reply.finish_reason, list(_tokens(reply.usage))])
                faults = [Fault("range", "tokens", text)] if min(_tokens(reply.usage)) < 0 else []
            except JudgeError as error:
                text, faults = str(error), reason_faults(str(error))
            tokens = judge.ledger.summary()["prompt_tokens"]
        text = text.replace(str(self.port), "PORT")
        if SECRET.lower() in text.lower() or base64.b64encode(SECRET.encode()).decode()[:16] in text:
            faults.append(Fault("bare", "the key is shown", text))
        if not 0 <= tokens < 1 << 62:
            faults.append(Fault("range", "tokens in the account", str(tokens)))
        return Told(text, tuple(faults))


def _tokens(usage: Usage) -> tuple[int, int]:
    return usage.prompt_tokens, usage.completion_tokens


def _serve(listener: socket.socket, script: list[bytes]) -> None:
    """Each connection is answered with the next of the script, the last for all that follow, and ended."""
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                _read_request(connection)
                connection.sendall(script[0] if len(script) == 1 else script.pop(0))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass


def _read_request(connection: socket.socket) -> None:
    got = b""
    while b"\r\n\r\n" not in got:
        got += connection.recv(1 << 16)
    head, _, rest = got.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(rest) < length:
        rest += connection.recv(1 << 16)


REPLIES = (
    '{"statements": ["a", "b"]}', '{"claims": ["a"]}', '{"opinions": []}', '{"verdicts": [{"verdict": "yes"}]}',
    "**Score**: 7",
    '{"verdicts": [{"analysis": "x", "verdict": "no"}, {"analysis": "y", "verdict": "yes"}]}', "4", "5.", "yes", "No",
    "{}",
    '{"score": 3, "reason": "fine"}', '```json\n{"rating": 4}\n```', '{"contradictions": [1, 2]}', "NaN", "9" * 5000,
    "[1]",
)  # fmt: skip
JUDGED = ("answer_correctness", "answer_relevance", "bias", "toxicity", "context_precision", "context_recall",
          "context_relevance", "faithfulness", "hallucination", "summary_coherence")  # fmt: skip


@functools.cache
def _programs() -> tuple[tuple[str, scoring.Scorer], ...]:
    """Every judge program that ships, and the primitives that ask by themselves, by name."""
    found: list[tuple[str, scoring.Scorer]] = []
    for expression in ("judge_rating", 'judge_rating(criteria="good")', "megabench/judge_same_drawing"):
        found.append((expression, scoring.scorer(expression)))
    for name in JUDGED:
        with contextlib.suppress(SpecError):
            found.append((name, scoring.scorer(f"valor-llm@1:{name}")))
    return tuple(found)


class Replies(Target):
    """What models reply to the judge programs that ship."""

    name = "replies"
    weight = 0.4
    together = 12
    short = 12

    def setup(self, random: Random) -> Any:
        return random.randrange(len(_programs()))

    def member(self, setup: Any) -> str:
        return _programs()[setup][0]

    def given(self, random: Random, setup: Any) -> Any:
        replies = [_reply(random) for _ in range(random.randrange(1, 6))]
        record = {"query": values.text(random)[:50], "contexts": ["a", "b"], "groundtruth": "x", "question": "q"}
        record = mutate.value(random, record) if random.randrange(4) == 0 else record
        return [replies, values.text(random)[:80], random.choice(("x", "x", ["a", "b"], None, 3)), record]

    def open(self, setup: Any) -> Subject:
        return _Program(_programs()[setup][1])


def _reply(random: Random) -> str | int:
    """A text, or the number from which one is drawn that has the form that was asked for, or nearly."""
    kind = random.randrange(12)
    if kind < 5:
        return random.randrange(1 << 30)
    if kind < 8:
        return mutate.text(random, random.choice(REPLIES), REPLIES)
    return random.choice(REPLIES) if kind < 11 else values.text(random)


def _as_asked(question: Question, number: int) -> str:
    """A reply of the form that a question asks for; one in three has something changed."""
    random = Random(number)
    data = _instance(random, question.schema or {"type": "string"})
    data = mutate.value(random, data, REPLIES) if random.randrange(3) == 0 else data
    return json.dumps(data) if question.schema else f"**Score**: {random.randrange(12)}"


def _instance(random: Random, schema: Any) -> Any:
    if "enum" in schema:
        return random.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {name: _instance(random, part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        return [_instance(random, schema.get("items", {})) for _ in range(random.randint(least, max(least, most)))]
    if kind in ("integer", "number"):
        return random.randint(int(schema.get("minimum", 0)), int(schema.get("maximum", 9)))
    return random.choice(("a", "", "yes", "x" * 50, values.text(random)[:40]))


class _Program:
    many = None

    def __init__(self, scorer: scoring.Scorer) -> None:
        self.scorer = scorer

    def one(self, given: Any) -> Told:
        """The outcome with a judge that says these things, again and again."""
        replies, response, reference, record = given
        asked: list[Any] = []

        def answer(question: Question) -> str:
            asked.append(question)
            reply = replies[(len(asked) - 1) % len(replies)]
            return _as_asked(question, reply + len(asked)) if isinstance(reply, int) else str(reply)

        with use_judge(ScriptedJudge(answer)):
            told = told_outcome(self.scorer.score(response, reference, record=record), self.scorer.range)
        if len(asked) > 200:
            return Told(told.text, (*told.faults, Fault("hang", "more than 200 calls for one record", str(len(asked)))))
        return told


@functools.cache
def _cache_bytes() -> bytes:
    """A cache with two calls, as a file."""
    scratch = Scratch()
    path = scratch.path / "cache.sqlite"
    with contextlib.closing(JudgeCache(path)) as cache:
        for inputs in ("i", "j"):
            question = Question(QUESTION.messages, QUESTION.schema, prompt="p", inputs=inputs)
            cache.put(call_key("m", {}, question), "m", {}, question, Reply("9", Usage(3, 1), "m-1"))
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("UPDATE calls SET created = 1.0")
        plain.execute("PRAGMA journal_mode=DELETE")
        plain.commit()
    return path.read_bytes()


COLUMNS = ("key", "model", "parameters", "prompt", "inputs", "question", "reply", "finish_reason", "answered_by",
           "prompt_tokens", "completion_tokens", "created")  # fmt: skip
CELLS = (
    None,
    0,
    -1,
    1 << 62,
    1.5,
    "",
    '"9"',
    "9",
    "[" * 3000,
    '{"a": 1}',
    b"\xff\x00",
    "\x00",
    "x" * 2000,
    '"\\ud800"',
)


class Caches(Target):
    """Judge caches that others wrote: bytes of the file, cells of its rows, statements, exported lines."""

    name = "caches"
    weight = 0.03
    together = 6
    short = 8

    def setup(self, random: Random) -> Any:
        return random.choice(("bytes", "cells", "claims", "lines"))

    def member(self, setup: Any) -> str:
        return str(setup)

    def given(self, random: Random, setup: Any) -> Any:
        if setup == "bytes":
            return drawing.content(random, _cache_bytes(), b"CREATE VIEW calls AS WITH RECURSIVE x(n) AS (SELECT 1")
        if setup == "cells":
            return [[random.choice(COLUMNS), random.choice(CELLS)] for _ in range(random.randrange(1, 4))]
        if setup == "claims":
            return [[random.choice(CELLS), random.choice(CELLS), random.choice(CELLS)] for _ in range(3)]
        return [_line(random) for _ in range(random.randrange(3))]

    def open(self, setup: Any) -> Subject:
        return _Cache(setup)


def _line(random: Random) -> str:
    line = {name: random.choice(CELLS[:-1]) if random.randrange(6) == 0 else "1" for name in COLUMNS}
    line = {name: cell if not isinstance(cell, bytes) else "b" for name, cell in line.items()}
    data = mutate.value(random, line, COLUMNS) if random.randrange(2) else line
    text = json.dumps(data)
    return mutate.text(random, text) if random.randrange(3) == 0 else text


class _Cache:
    many = None

    def __init__(self, kind: str) -> None:
        self.kind, self.scratch = kind, Scratch()

    def one(self, given: Any) -> Told:
        """What every use of the cache comes to."""
        path = self.scratch.path / "cache.sqlite"
        for old in self.scratch.path.iterdir():
            old.unlink()
        path.write_bytes(given if self.kind == "bytes" else _cache_bytes())
        if self.kind in ("cells", "claims"):
            self._write(path, given)
        told, faults = [], []
        for name, use in _USES:
            lines = given if self.kind == "lines" else []
            text = _used(functools.partial(use, path, lines))
            found = reason_faults(text)
            if text.startswith("refused") and "cache" not in text and "line" not in text:
                found.append(Fault("bare", "a refusal without its place", text))
            faults += found
            told.append(f"{name}: {self.scratch.shown(text)}")
        return Told("\n".join(told), tuple(faults))

    def _write(self, path: Path, given: Any) -> None:
        with contextlib.closing(sqlite3.connect(path)) as plain, contextlib.suppress(sqlite3.Error):
            for row in given:
                with contextlib.suppress(sqlite3.IntegrityError, UnicodeError):
                    if self.kind == "cells":
                        plain.execute(f"UPDATE calls SET {row[0]} = ?", (row[1],))
                    else:
                        plain.execute("INSERT INTO claims VALUES (?, ?, ?)", row)
            plain.commit()


def _used(use: Callable[[], Any]) -> str:
    try:
        return codec.write(use())
    except (scoring.InputError, JudgeError) as error:
        return f"refused: {error}"


def _replayed(path: Path, _lines: list[str]) -> Any:
    with contextlib.closing(JudgeCache(path, read_only=True)) as cache:
        return CachedJudge(cache, None, name="m", parameters={}).ask(QUESTION).text


def _asked(path: Path, _lines: list[str]) -> Any:
    inner = ScriptedJudge(lambda question: "8", name="m")
    with contextlib.closing(JudgeCache(path)) as cache:
        return CachedJudge(cache, inner).ask(QUESTION).text


_USES: tuple[tuple[str, Callable[[Path, list[str]], Any]], ...] = (
    ("list", lambda path, lines: list_calls(path).to_json()),
    ("replay", _replayed),
    ("export", lambda path, lines: export_calls(path, io.StringIO())),
    ("ask", _asked),
    ("import", lambda path, lines: import_calls(path, lines)),
    ("prune", lambda path, lines: prune_calls(path, model="other")),
)
