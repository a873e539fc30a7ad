"""Chat messages where a text is expected: the text of the assistant's last message is what is scored."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

USER = {"role": "user", "content": "The capital of France?"}


def messages(text: Any, **more: Any) -> list[dict[str, Any]]:
    return [USER, {"role": "assistant", "content": "Let me think."}, {"role": "assistant", "content": text, **more}]


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "thinking", "thinking": "Hm."}, *({"type": "text", "text": text} for text in texts)]


def task(**spec: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", **spec})


SPECS: list[tuple[dict[str, Any], str, Any]] = [
    ({"score": "equal"}, "Paris", "Paris"),
    ({"score": "lower | equal"}, "PARIS", "paris"),
    ({"parse": "json", "fields": {"a": "equal", "b": "equal"}}, '{"a": 1, "b": 2}', {"a": 1, "b": 2}),
    ({"parse": "json", "fields": {"a": "equal"}, "on_unparsed": "zero"}, '{"a": 1}', {"a": 1}),
    ({"values": {"l": r'prediction | find(r"[A-D]")'}, "fields": {"f": {"prediction": "l", "score": "equal"}}},
     "(B)", "B"),
    ({"fields": {"f": {"prediction": "prediction | json | value_at('a')", "reference": "reference", "score": "equal"}}},
     '{"a": 1}', 1),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "text", "reference"), SPECS)
@pytest.mark.parametrize(
    "chat",
    [
        messages,
        lambda text: [{"role": "assistant", "content": text}],
        lambda text: messages(blocks(text[:2], text[2:])),
        lambda text: blocks(text),
        lambda text: tuple(messages(text)),
        lambda text: messages(text, tool_calls=None, name="a"),
        lambda text: [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, *messages(text)],
    ],
)
def test_the_text_that_the_assistant_said_last_is_scored(
    spec: dict[str, Any], text: str, reference: Any, chat: Any
) -> None:
    one, response = task(**spec), chat(text)
    record = {"id": 1, "response": response, "reference": reference}
    for result in (
        one.score(record),
        one.score_parts(response, reference),
        one.score_lists([response], [reference], [None], [1], [None])[0],
        one.evaluate([record]).records[0],
    ):
        assert (result.score, result.status) == (1.0, "scored"), result


def test_a_reference_that_is_messages_is_read_alike() -> None:
    for response in ("Paris", messages("Paris")):
        one = task(score="equal")
        record = {"id": 1, "response": response, "reference": messages("Paris")}
        assert one.score(record).score == one.evaluate([record]).records[0].score == 1.0
        assert one.score_parts(response, messages("Paris")).score == 1.0
        assert one.score_lists([response], [messages("Paris")], [None], [1], [None])[0].score == 1.0


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ([USER], "the response is chat messages, and none of them is of the assistant"),
        (messages(None, tool_calls=[{"id": "1"}]), "the last message of the assistant has no text"),
        (messages([{"type": "tool_use", "id": "1"}]), "the last message of the assistant has no text"),
    ],
)
def test_messages_without_an_answer_are_unparsed(response: Any, reason: str) -> None:
    one = task(score="equal", on_unparsed="unscored")
    lists = one.score_lists([response], ["Paris"], [None], [1], [None])
    for result in (one.score_parts(response, "Paris"), lists[0]):
        assert (result.score, result.status, result.reason) == (None, "unparsed", reason)
    assert task(score="equal", on_unparsed="zero").score_parts(response, "Paris").score == 0.0


def test_a_spec_that_goes_into_the_messages_has_them() -> None:
    fields = {"f": {"prediction": "parsed[-1].content", "score": "equal"}}
    assert task(fields=fields).score_parts(messages("Paris"), "Paris").score == 1.0
    by_path = {"f": {"prediction": "prediction[1].content", "score": "equal"}}
    assert task(fields=by_path).score_parts(messages("Paris"), "Let me think.").score == 1.0
    assert task(score="sides(prediction=length) | equal").score_parts(messages("Paris"), 5).score == 1.0


@pytest.mark.parametrize(
    "response",
    [[{"role": "owner", "content": "x"}], [{"type": "box", "text": "x"}], [{"role": "user"}, "x"], [{"a": 1}], []],
)
def test_other_lists_stay_what_they_are(response: Any) -> None:
    assert task(score="equal").score_parts(response, response).score == 1.0
