"""The key of a judge's server stands in nothing that a run writes or says, however the server repeats it."""

from __future__ import annotations

import base64
import json
import logging
import quopri
import traceback
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from scoring.cli.main import main
from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import JudgeError, Message, Question
from tests.extensions.judge.hostile_servers import SECRET, completion, listening, ok
from tests.support.leaks import leaks, leaks_below
from tests.support.waiting import PATIENCE

QUESTION = Question((Message("user", ("Is it so?",)),))
BYTES = SECRET.encode()

ECHOES = {
    "plain": SECRET,
    "after a long preface": "x" * 190 + SECRET + "x" * 190,
    "where a name is cut": "x" * 985 + SECRET,
    "in base64": base64.b64encode(b"Bearer " + BYTES).decode(),
    "in base64 elsewhere": base64.b64encode(b"key " + BYTES + b"!").decode(),
    "in base64 at the end": base64.urlsafe_b64encode(b"ab" + BYTES).decode(),
    "in base64 alone": base64.b64encode(BYTES).decode(),
    "in base64 without its end": base64.b64encode(BYTES).decode().rstrip("="),
    "in base64 of a mail": base64.encodebytes(b"x" * 50 + BYTES + b"y" * 60).decode(),
    "in hexadecimal digits": BYTES.hex(),
    "in large hexadecimal digits": BYTES.hex().upper(),
    "in hexadecimal digits with spaces": BYTES.hex(" "),
    "in hexadecimal digits with colons": BYTES.hex(":"),
    "in a URL": SECRET.replace("-", "%2D"),
    "in a URL of nothing but escapes": "".join(f"%{byte:02x}" for byte in BYTES),
    "in a URL in a URL": quote("".join(f"%{byte:02x}" for byte in BYTES)),
    "in JSON": "".join(f"\\u{byte:04x}" for byte in BYTES),
    "in JSON inside JSON": json.dumps(json.dumps(SECRET).replace("s", "\\u0073")),
    "in JSON inside a URL": quote(SECRET.replace("-", "\\u002d")),
    "in a newer script": SECRET.replace("-", "\\u{2d}"),
    "in an older script": "".join(f"\\x{byte:02x}" for byte in BYTES),
    "in octal digits": "".join(f"\\{byte:03o}" for byte in BYTES),
    "in HTML": SECRET.replace("v", "&#118;").replace("k", "&#x6B;"),
    "in HTML inside HTML": "".join(f"&amp;#{byte};" for byte in BYTES),
    "in a mail": quopri.encodestring(BYTES, quotetabs=True).decode().replace("-", "=2D"),
    "backwards": SECRET[::-1],
    "in capitals": SECRET.upper(),
    "as a title": SECRET.title(),
    "a sign a line": "\n".join(SECRET),
    "over lines": f"{SECRET[:7]}\r\n   {SECRET[7:14]}\n{SECRET[14:]}",
    "over lines that were escaped": f"{SECRET[:7]}\\n{SECRET[7:14]}\\r\\n{SECRET[14:]}",
    "with nothing between": "\u200b".join(SECRET),
    "the first half and more": SECRET[:13] + "…",
    "the second half and more": "…" + SECRET[-13:],
    "again and again": SECRET * 40,
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", SECRET)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


def judge_at(place: str, **more: float) -> HttpJudge:
    return HttpJudge(
        JudgeSettings(f"http://{place}/v1", "m", retries=1, backoff=0.001, longest_wait=0.01, timeout=PATIENCE)
    )


@pytest.mark.parametrize("said", ECHOES.values(), ids=ECHOES)
def test_the_search_for_a_secret_finds_it(said: str) -> None:
    assert leaks(said.encode(), SECRET), "or the other tests would say nothing"


@pytest.mark.parametrize("said", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("status", ["401 No", "503 Later"])
def test_a_key_is_hidden_in_reasons_before_they_are_cut(said: str, status: str) -> None:
    for body in (json.dumps({"error": {"message": said}}).encode(), f"<p>{said}</p>".encode()):
        with (
            listening(ok(body, status=status)) as place,
            closing(judge_at(place)) as judge,
            pytest.raises(JudgeError) as error,
        ):
            judge.ask(QUESTION)
        whole = "".join(traceback.format_exception(error.value))
        assert not leaks(whole.encode(), SECRET), whole


@pytest.mark.parametrize("said", ECHOES.values(), ids=ECHOES)
def test_a_key_in_a_reply_comes_into_no_cache(said: str, tmp_path: Path) -> None:
    answer = {"model": said, "choices": [{"message": {"content": f"It is {said}."}, "finish_reason": said}]}
    with (
        listening(ok(json.dumps(answer).encode())) as place,
        closing(CachedJudge(JudgeCache(tmp_path / "judge.db"), judge_at(place))) as judge,
    ):
        reply = judge.ask(QUESTION)
    assert "[key]" in reply.text
    assert not leaks(repr(reply).encode(), SECRET)
    assert leaks_below(tmp_path, SECRET) == {}


def test_a_key_of_one_sign_leaves_a_message_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "x")
    with (
        listening(ok(b"no room, x", status="507 Full")) as place,
        closing(judge_at(place)) as judge,
        pytest.raises(JudgeError, match=r"\(507\): no room, \[key\]"),
    ):
        judge.ask(QUESTION)


def test_a_key_in_the_address_and_the_password_of_a_proxy_are_hidden_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "no such place: /v1?api-key=sk-of-the-address-0&api-version=2024-02-15 for you:hidden-password"
    with listening(ok(said.encode(), status="404 No")) as place:
        monkeypatch.setenv("http_proxy", f"http://you:hidden-password@{place}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        url = "http://judge.invalid/v1?api-key=sk-of-the-address-0&api-version=2024-02-15"
        with closing(HttpJudge(JudgeSettings(url, "m"))) as judge, pytest.raises(JudgeError) as error:
            judge.ask(QUESTION)
    assert "/v1?api-key=[key]&api-version=2024-02-15 for you:[key]" in str(error.value)
    assert "sk-of" not in repr(judge)


def test_a_word_for_a_key_may_stand_in_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "EMPTY")
    with listening(ok(completion("The box is EMPTY."))) as place, closing(judge_at(place)) as judge:
        assert judge.ask(QUESTION).text == "The box is EMPTY."


def task_of(folder: Path) -> tuple[str, str]:
    """A task that shows what its judge says: it is parsed, scored, and made a reason."""
    read = {"prompt": "What?", "reply": {"text": {}}, "inputs": {"text": "prediction"}, "show": ["text"]}
    rate = {**read, "reply": {"json": {"type": "object"}}, "gives": {"n": "n"}, "score": "n"}
    judges = {"read": {**read, "gives": {"found": "@"}, "value": "found"}, "rate": rate}
    (folder / "judges.yaml").write_text(json.dumps({"kind": "pack", "name": "p", "version": "1.0.0", "judges": judges}))
    fields = {"word": {"score": "levenshtein"}, "number": {"score": "j.rate", "weight": 0}}
    task = {"kind": "task", "name": "t", "imports": {"j": "./judges.yaml"}, "parse": "j.read", "fields": fields}
    (folder / "task.yaml").write_text(json.dumps(task))
    rows = [json.dumps({"id": n, "response": f"text {n}", "reference": "no"}) + "\n" for n in range(2)]
    (folder / "rows.jsonl").write_text("".join(rows))
    return str(folder / "task.yaml"), str(folder / "rows.jsonl")


@pytest.mark.parametrize("status", ["200 OK", "400 No", "401 No"])
def test_nothing_that_the_command_line_writes_shows_the_key(
    status: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    given, made = tmp_path / "given", tmp_path / "made"
    given.mkdir()
    made.mkdir()
    task, rows = task_of(given)
    said = "\n".join(ECHOES.values())
    body = completion(said, model=said, error=said) if status == "200 OK" else json.dumps({"error": said}).encode()
    with listening(ok(body, f"X-Echo: {SECRET}", status=f"{status} {SECRET}")) as place:
        judge = ["--judge-url", f"http://{place}/v1", "--judge-model", "m", "--judge-cache", f"{made}/judge.db"]
        main(["score", task, rows, *judge, "-o", f"{made}/run", "--html", "--min-coverage", "0"])
        main(["explain", task, rows, "--record", "1", *judge])
        main(["audit", task, rows, *judge])
    for arguments in (
        ["judge-cache", "list", f"{made}/judge.db"],
        ["judge-cache", "export", f"{made}/judge.db"],
        ["judge-cache", "export", f"{made}/judge.db", f"{made}/calls.jsonl"],
        ["bundle", f"{made}/run", "-o", f"{made}/run.zip"],
        ["verify", f"{made}/run"],
    ):
        main(arguments)
    assert (made / "run" / "manifest.json").is_file()
    assert leaks_below(made, SECRET) == {}
    told = capfd.readouterr()
    assert not leaks((told.out + told.err + caplog.text).encode(), SECRET)
