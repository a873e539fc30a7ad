"""A judge behind an OpenAI-compatible chat endpoint."""

from __future__ import annotations

import atexit
import base64
import threading
import time
from collections.abc import Mapping
from typing import Any, Never
from weakref import WeakSet

from msgspec.structs import replace

from scoring.extensions.judge.asking.cache import LONGEST_WORD, MOST_TOKENS
from scoring.extensions.judge.asking.ledger import Ledger
from scoring.extensions.judge.asking.settings import LONGEST_TIMEOUT, JudgeSettings, key_from_environment
from scoring.extensions.judge.asking.transport import HOPELESS, BadRequest, Transport, printable
from scoring.extensions.judge.calls import JudgeError, Message, Part, Question, Reply, Usage
from scoring.extensions.net.secret import LEAST

# Seconds to wait for calls to end after their connections were cut.
_MOMENT = 1.0
_FORMATS = ("json_schema", "json_object", "off")


class HttpJudge:
    """A judge that asks a model over HTTP; safe to use from several threads.

    The API key comes from the environment and is kept by the HTTP client alone: it is in no message, no cache and no
    ``repr``, and the judge can't be pickled.

    Args:
        settings: The endpoint and how it is called.

    Raises:
        JudgeError: when the address, the key or a timeout is invalid.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        if not 0 < settings.timeout <= LONGEST_TIMEOUT or not 0 <= settings.grace <= LONGEST_TIMEOUT:
            raise JudgeError(f"the judge's `timeout` and `grace` are seconds, at most {LONGEST_TIMEOUT:,.0f}")
        self.settings = settings
        self.name, self.parameters, self.restarts = settings.model, settings.parameters, settings.restarts
        self.ledger = Ledger(settings.input_price, settings.output_price)
        key = key_from_environment()
        self._transport = Transport(settings, key, self.ledger)
        self._hide_in_reply = self._transport.hider(LEAST)
        self._slots = threading.BoundedSemaphore(settings.concurrency)
        self._format: str = "json_schema" if settings.structured == "auto" else settings.structured
        self._refused: tuple[int, str] | None = None
        _open.add(self)

    def __repr__(self) -> str:
        return f"HttpJudge({self.settings.model!r} at {self.settings.base_url.partition('?')[0]!r})"

    def __reduce__(self) -> Never:
        raise TypeError("a judge with an open connection and a key is not copied; make a new one from its settings")

    def close(self) -> None:
        """Close the connections after waiting for the calls in progress, so that paid replies are kept.

        The wait lasts at most ``settings.grace`` seconds, and an interrupt (Ctrl-C) ends it early.
        """
        if self._transport.stopped:
            return
        self._transport.stop()
        ended = 0
        try:
            ended = self._wait_for(self.settings.concurrency, self.settings.grace)
        finally:
            if ended < self.settings.concurrency:
                self._transport.cut()
                ended += self._wait_for(self.settings.concurrency - ended, _MOMENT)
            self._transport.close()
            self._slots.release(ended)  # callers that came too late get an error instead of waiting for ever

    def _wait_for(self, calls: int, longest: float) -> int:
        """Wait until as many calls as `calls` have ended, at most for `longest` seconds; return how many have ended."""
        until = time.monotonic() + longest
        for ended in range(calls):
            if not self._slots.acquire(timeout=max(0.0, until - time.monotonic())):
                return ended
        return calls

    def ask(self, question: Question) -> Reply:
        """Return the model's reply to a question; the call is retried when it fails.

        Raises:
            JudgeUnavailable: when the server can't be reached or keeps failing.
            JudgeRefused: when the server refuses; after a permanent refusal (key, model) no further call is made.
        """
        with self._slots:
            while True:
                if self._refused is not None:
                    raise BadRequest(*self._refused)
                used = self._format
                try:
                    return self._call(question, used)
                except BadRequest as error:
                    if error.status in HOPELESS:
                        self._refused = error.status, error.said
                        raise
                    if question.schema is None or not self._step_down(used):
                        raise

    def _call(self, question: Question, used: str) -> Reply:
        call = f"{question.prompt} {question.inputs} {question.attempt} {question.sample}"
        reply: Reply = self._transport.post(request_body(self.settings, question, used), call, read_completion)
        self.ledger.paid(reply.usage)
        hide = self._hide_in_reply
        model, reason = _word(hide(reply.model)), _word(hide(reply.finish_reason))
        return replace(reply, text=hide(reply.text), model=model, finish_reason=reason)

    def _step_down(self, used: str) -> bool:
        """Switch to the next simpler JSON mode after the server refused a schema sent in the mode `used`; return False
        if the settings allow no other mode.
        """
        if self.settings.structured != "auto" or used == "off":
            return False
        if self._format == used:
            self._format = _FORMATS[_FORMATS.index(used) + 1]
        return True


_open: WeakSet[HttpJudge] = WeakSet()


@atexit.register
def _close_all() -> None:
    """Close all judges at exit, so that calls in daemon threads (of abandoned event loops) get their grace period."""
    for judge in list(_open):
        judge.close()


def request_body(settings: JudgeSettings, question: Question, structured: str) -> dict[str, Any]:
    """Return the body of the request that asks a question; `structured` is the mode in which its reply schema
    is sent.
    """
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": [_message(message) for message in question.messages],
        **settings.extra,
    }
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.seed is not None:
        body["seed"] = settings.seed + question.attempt + 1_000 * question.sample
    longest = question.max_tokens or settings.max_tokens
    if longest is not None:
        body["max_tokens"] = longest
    if question.schema is not None and structured != "off":
        body["response_format"] = {"type": structured}
        if structured == "json_schema":
            body["response_format"]["json_schema"] = {"name": question.schema_name[:64], "schema": question.schema}
    return body


def _message(message: Message) -> dict[str, Any]:
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": message.text}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def read_completion(answer: Any) -> Reply:
    """Return the reply, with its numbers of tokens, in the server's answer (a chat completion).

    Raises:
        ValueError: when the answer is not a completion (also KeyError, TypeError, IndexError).
    Examples:
        >>> read_completion({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}).text
        'yes'
    """
    choice = answer["choices"][0]
    content = choice["message"].get("content")
    if content is not None and not isinstance(content, str):
        raise ValueError("the content is not a text")
    usage = Usage(_tokens(answer, "prompt_tokens"), _tokens(answer, "completion_tokens"))
    return Reply(content or "", usage, str(answer.get("model", "")), str(choice.get("finish_reason") or "stop"))


def _tokens(answer: Mapping[str, Any], name: str) -> int:
    """Return the count of tokens under the key `name`, such as `prompt_tokens`, in the ``usage`` of the server's
    answer; 0 if it is missing or implausible.
    """
    usage = answer.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0
    return int(value) if 0 <= value <= MOST_TOKENS else 0


def _word(text: str) -> str:
    """Return a name from the server's answer, such as the model's, in the form that is stored: shortened if it is too
    long, and without unprintable characters.
    """
    return text if len(text) < LONGEST_WORD and text.isprintable() else printable(text)[:LONGEST_WORD]
