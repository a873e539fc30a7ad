"""The protocol of a judge: an object that takes a question (messages, perhaps a schema) and returns a reply.

The rest of this package is written against these few types: the HTTP client, the cache, panels, judge programs,
and the primitives that need a judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from scoring.result import Unscored

Role: TypeAlias = Literal["system", "user", "assistant"]


class JudgeError(Unscored):
    """The error that a judge gave no verdict; the record is then unscored, not failed or scored 0."""


class JudgeUnavailable(JudgeError):
    """The error that the judge could not be reached, after all retries; asking again later may help."""


class JudgeRefused(JudgeError):
    """The error that the judge's server refuses the request itself (key, model, parameters); asking again will not
    help.
    """


class InvalidReply(JudgeError):
    """The error that a reply is not what the question asked for; ``category`` is a one-word name of the fault."""

    def __init__(self, category: str, message: str) -> None:
        super().__init__(f"invalid reply ({category}): {message}")
        self.category = category


class Picture(Struct, frozen=True):
    """An image inside a message.

    Examples:
        >>> Picture(b"not really a PNG").media_type
        'image/png'
    """

    data: bytes
    media_type: str = "image/png"

    @property
    def digest(self) -> str:
        """The SHA-256 of the image's bytes."""
        return hashlib.sha256(self.data).hexdigest()


Part: TypeAlias = str | Picture


class Message(Struct, frozen=True):
    """One message of a chat: the role of the speaker, and strings and pictures in order."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The strings of the message, joined."""
        return "".join(part for part in self.parts if isinstance(part, str))

    def to_json(self) -> dict[str, Any]:
        """Return the message as plain data; a picture is represented by its digest."""
        parts = [
            part if isinstance(part, str) else {"picture": part.digest, "media_type": part.media_type}
            for part in self.parts
        ]
        return {"role": self.role, "parts": parts}


class Question(Struct, frozen=True):
    """The question of one call to a judge: messages, and perhaps a schema that the reply must satisfy.

    ``prompt`` and ``inputs`` are digests of the data that the messages were made from; ``attempt`` counts restarts
    after an invalid reply and ``sample`` repeated opinions, so that each has a separate entry in the cache.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    prompt: str = ""
    inputs: str = ""
    attempt: int = 0
    sample: int = 0
    max_tokens: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return, as plain data, everything in the question that can change the reply: the basis of the cache's key."""
        names = ("schema", "prompt", "inputs", "attempt", "sample", "max_tokens")
        messages = [message.to_json() for message in self.messages]
        return {"messages": messages, **{name: getattr(self, name) for name in names}}


class Usage(Struct, frozen=True):
    """The numbers of tokens that calls used, as reported by the server.

    Examples:
        >>> Usage(10, 2) + Usage(5, 1)
        Usage(prompt_tokens=15, completion_tokens=3)
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


class Reply(Struct, frozen=True):
    """A judge's answer to one question: its text, tokens, model, and the reason for which it ended."""

    text: str
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = "stop"
    cached: bool = False


def finished(reply: Reply) -> Reply:
    """Return the reply unchanged if it is complete.

    Raises:
        JudgeError: when the reply was truncated, or withheld by a content filter.
    """
    if reply.finish_reason in ("length", "content_filter"):
        raise JudgeError(f"the judge's reply is incomplete ({reply.finish_reason})")
    return reply


@runtime_checkable
class Judge(Protocol):
    """The interface of an object that answers questions; it must be safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, for reports and the signature."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings that can change a reply (temperature, seed, …), which are part of the cache's key."""

    def ask(self, question: Question) -> Reply:
        """Return the reply to a question; raise JudgeError if there is none."""
