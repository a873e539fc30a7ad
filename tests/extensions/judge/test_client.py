"""The HTTP client against a server that behaves badly in every way we know."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest

from scoring.extensions.judge.asking.client import HttpJudge, read_completion
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.protocol import (
    JudgeError,
    JudgeRefused,
    JudgeUnavailable,
    Message,
    Picture,
    Question,
    finished,
)
from tests.support.judge_server import JudgeServer, Plan, no_faults
from tests.support.waiting import PATIENCE

SECRET = "sk-very-secret-value"
SCHEMA = {"type": "object", "required": ["verdict"], "properties": {"verdict": {"type": "string", "enum": ["yes"]}}}


def question(text: str = "Is it so?", **more: Any) -> Question:
    return Question((Message("system", ("You judge.",)), Message("user", (text,))), **more)


@contextmanager
def judge(server: JudgeServer, **more: Any) -> Iterator[HttpJudge]:
    settings = {"backoff": 0.001, "longest_wait": 0.01, "retries": 3, "timeout": PATIENCE, **more}
    with closing(HttpJudge(JudgeSettings(server.url, "some-model", **settings))) as client:
        yield client


def first(fault: str, times: int = 1) -> Plan:
    return lambda number, _body: fault if number < times else None


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", SECRET)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_call_carries_what_the_settings_say() -> None:
    with JudgeServer(lambda _: "yes") as server, judge(server, seed=7, max_tokens=50, extra={"top_p": 0.5}) as client:
        reply = client.ask(question(schema=SCHEMA, attempt=2, sample=1))
    assert reply.text == "yes"
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 10)
    (body,) = server.requests
    assert body["model"] == "some-model"
    assert (body["temperature"], body["seed"], body["max_tokens"], body["top_p"]) == (0.0, 1009, 50, 0.5)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["messages"][1] == {"role": "user", "content": "Is it so?"}
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("fault", ["429", "500", "503", "408", "malformed", "drop", "half"])
def test_a_passing_fault_is_survived(fault: str) -> None:
    with JudgeServer(lambda _: "yes", first(fault, 2)) as server, judge(server) as client:
        assert client.ask(question()).text == "yes"
        assert client.ledger.summary()["retries"] == 2
    assert server.number == 3
    assert len({headers["idempotency-key"] for headers in server.headers}) == 1, "retries are one call"


@pytest.mark.parametrize("fault", ["500", "malformed", "drop"])
def test_a_lasting_fault_gives_up_after_the_retries(fault: str) -> None:
    with JudgeServer(plan=first(fault, 99)) as server, judge(server) as client:
        with pytest.raises(JudgeUnavailable, match="4 tries"):
            client.ask(question())
        assert client.ledger.summary()["failed"] == 1
    assert server.number == 4


def test_many_retries_end_as_few_do() -> None:
    settings = JudgeSettings("http://127.0.0.1:9/v1", "m", backoff=0.0, retries=1_100)
    with closing(HttpJudge(settings)) as client, pytest.raises(JudgeUnavailable, match="1101 tries"):
        client.ask(question())


def test_nobody_listens() -> None:
    with (
        closing(HttpJudge(JudgeSettings("http://127.0.0.1:9/v1", "m", backoff=0.001, retries=1))) as client,
        pytest.raises(JudgeUnavailable, match="ConnectError"),
    ):
        client.ask(question())


def test_where_nobody_ever_answered_the_tries_are_made_for_one_call_only() -> None:
    settings = JudgeSettings("http://127.0.0.1:9/v1", "m", backoff=0.001, retries=3)
    with closing(HttpJudge(settings)) as client:
        for _ in range(5):
            with pytest.raises(JudgeUnavailable, match=r"4 tries; the last: ConnectError \(Connection refused\)"):
                client.ask(question())
        assert client.ledger.summary()["retries"] == 3


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_times_that_make_no_sense_are_refused_before_anything_is_asked(seconds: float) -> None:
    for name in ("timeout", "grace"):
        if (name, seconds) != ("grace", 0.0):
            wrong: dict[str, Any] = {name: seconds}
            with pytest.raises(JudgeError, match="`timeout` and `grace` are seconds"):
                HttpJudge(JudgeSettings("http://127.0.0.1:9/v1", "m", **wrong))


def test_many_calls_of_a_server_that_refuses_hold_nothing_of_one_another() -> None:
    """Given refusals for good, then each is an exception of its own: one that is raised again grows with each call."""
    with JudgeServer(plan=first("401", 99)) as server, judge(server) as client:
        found = []
        for number in range(3):
            with pytest.raises(JudgeRefused) as error:
                client.ask(question(str(number)))
            found.append(error.value)
    assert len({id(one) for one in found}) == 3
    assert len({str(one) for one in found}) == 1


def test_a_server_that_went_silent_has_one_try_for_each_call_until_it_answers() -> None:
    """Given three calls in a row without any answer, then the next ones are not tried again and again."""
    with JudgeServer(lambda _: "yes", first("drop", 3 * 4 + 2)) as server, judge(server) as client:
        for tries in ("4 tries", "4 tries", "4 tries", "1 try;", "1 try;"):
            with pytest.raises(JudgeUnavailable, match=tries):
                client.ask(question(tries))
        assert client.ask(question("and now?")).text == "yes"
        server.plan = first("500", 99)
        with pytest.raises(JudgeUnavailable, match="4 tries"):
            client.ask(question("as before?"))


def test_a_slow_server_is_waited_for_only_so_long() -> None:
    with JudgeServer() as server, judge(server, timeout=0.2, retries=1) as client:
        server.hold_at = 0  # it never answers, so that whoever waits for it would never end
        with pytest.raises(JudgeUnavailable, match="Timeout"):
            client.ask(question())
        assert client.ledger.summary()["retries"] == 1


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_refusal_for_good_stops_further_calls(status: str) -> None:
    with JudgeServer(plan=first(status, 99)) as server, judge(server) as client:
        for _ in range(3):
            with pytest.raises(JudgeRefused, match=status):
                client.ask(question())
    assert server.number == 1


def test_a_refused_question_does_not_stop_the_others() -> None:
    with JudgeServer(lambda _: "yes", first("400")) as server, judge(server) as client:
        with pytest.raises(JudgeRefused, match="fault 400"):
            client.ask(question("too long"))
        assert client.ask(question("short")).text == "yes"


def test_a_server_without_schemas_is_asked_in_a_simpler_way_from_then_on() -> None:
    def refuses_schemas(_number: int, body: dict[str, Any]) -> str | None:
        return "400" if body.get("response_format", {}).get("type") == "json_schema" else None

    with JudgeServer(lambda _: "{}", refuses_schemas) as server, judge(server) as client:
        for text in ("one", "two"):
            assert client.ask(question(text, schema=SCHEMA)).text == "{}"
    kinds = [body["response_format"]["type"] for body in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object"]


def test_a_format_that_was_asked_for_is_not_given_up() -> None:
    with (
        JudgeServer(plan=first("400", 9)) as server,
        judge(server, structured="json_schema") as client,
        pytest.raises(JudgeRefused, match="400"),
    ):
        client.ask(question(schema=SCHEMA))
    assert server.number == 1


def test_no_more_calls_are_open_than_allowed() -> None:
    with JudgeServer(lambda _: "yes", delay=0.02) as server, judge(server, concurrency=3) as client:
        pool = ThreadPoolExecutor(12)
        list(pool.map(lambda n: client.ask(question(str(n))), range(24)))
        pool.shutdown()
    assert server.most_open == 3


def test_pictures_are_sent_as_data() -> None:
    picture = Picture(b"\x89PNG fake")
    with JudgeServer(lambda _: "yes") as server, judge(server) as client:
        client.ask(Question((Message("user", ("What is it?", picture)),)))
    text, image = server.requests[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBORyBmYWtl")


def test_the_account_knows_tokens_and_money() -> None:
    with JudgeServer(lambda _: "yes") as server, judge(server, input_price=1.0, output_price=10.0) as client:
        for number in range(4):
            client.ask(question(str(number)))
        summary = client.ledger.summary()
    assert (summary["calls"], summary["prompt_tokens"], summary["completion_tokens"]) == (4, 400, 40)
    assert summary["cost"] == pytest.approx(0.0008)


@pytest.mark.parametrize("leak", [lambda c: repr(c), lambda c: repr(c.settings), lambda c: repr(vars(c)), str])
def test_the_key_is_shown_nowhere(leak: Callable[[HttpJudge], str]) -> None:
    with JudgeServer() as server, judge(server) as client:
        assert SECRET not in leak(client)
        with pytest.raises(TypeError):
            pickle.dumps(client)


def test_a_server_that_repeats_the_key_does_not_get_it_into_a_reason() -> None:
    class Echo(JudgeServer):
        async def _reply(self, number: int, body: Any, key: str, writer: Any) -> bool:
            from tests.support.judge_server import _send

            await _send(writer, 400, json.dumps({"error": {"message": f"bad key {SECRET}"}}).encode())
            return True

    with Echo(plan=no_faults) as server, judge(server) as client, pytest.raises(JudgeRefused) as refused:
        client.ask(question())
    assert SECRET not in str(refused.value)
    assert "[key]" in str(refused.value)


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_cut_is_no_verdict(reason: str) -> None:
    reply = read_completion({"choices": [{"message": {"content": "ye"}, "finish_reason": reason}]})
    with pytest.raises(JudgeError, match="incomplete"):
        finished(reply)


@pytest.mark.parametrize(
    "answer", [{}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"content": 5}}]}, [], None, 3]
)
def test_what_is_no_completion_is_refused(answer: Any) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, IndexError)):
        read_completion(answer)


def test_an_empty_content_is_an_empty_reply() -> None:
    assert read_completion({"choices": [{"message": {"content": None}}], "usage": {"prompt_tokens": -3}}).text == ""
