"""Settings of a judge: the endpoint and how it is called, from the caller or the environment; never the API key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from scoring.extensions.judge.calls import JudgeError

KEYS = ("SCORING_JUDGE_KEY", "OPENAI_API_KEY")

LONGEST_TIMEOUT = 86_400.0
"""Upper limit in seconds on the wait of any step of a call, whatever the settings are."""

Structured = Literal["auto", "json_schema", "json_object", "off"]


class JudgeSettings(Struct, frozen=True):
    """Everything about an OpenAI-compatible endpoint except its key.

    ``model``, ``temperature``, ``seed``, ``max_tokens``, ``structured`` and ``extra`` can change a reply and are part
    of the cache's key; the address, timeouts, retries and prices are not.

    Args:
        base_url: The address up to and including ``/v1``.
        model: The model's name.
        temperature: The sampling temperature; 0 asks for the likeliest reply.
        seed: Sent with every call if given; restarts and further samples count up from it.
        max_tokens: The maximum length of a reply, None for the server's own limit.
        structured: How a reply schema is sent: as ``json_schema``, as ``json_object``, not at all, or the best that the
            server accepts.
        extra: Further fields of every request body, such as ``top_p``.
        timeout: Seconds that any step of a call may wait; a call as a whole may take five times as long.
        grace: Seconds that calls in progress have to finish when a run is stopped, as by Ctrl-C.
        retries: How often a call is retried after a transport error, 429 or 5xx.
        backoff: Seconds before the first retry; doubled each time, with jitter, up to ``longest_wait``.
        longest_wait: The longest pause before a retry, even if the server asks for more.
        restarts: How often a judge program starts again after an invalid reply.
        concurrency: The maximum number of simultaneous calls.
        input_price: Money per million prompt tokens, for the account of costs.
        output_price: Money per million reply tokens.
    """

    base_url: str
    model: str
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    structured: Structured = "auto"
    extra: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 120.0
    grace: float = 5.0
    retries: int = 6
    backoff: float = 0.5
    longest_wait: float = 60.0
    restarts: int = 0
    concurrency: int = 8
    input_price: float = 0.0
    output_price: float = 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings that, besides the question, can change a reply.

        Examples:
            >>> JudgeSettings("http://localhost/v1", "m").parameters
            {'temperature': 0.0, 'seed': None, 'max_tokens': None, 'structured': 'auto', 'extra': {}}
        """
        names = ("temperature", "seed", "max_tokens", "structured")
        return {**{name: getattr(self, name) for name in names}, "extra": dict(self.extra)}


def key_from_environment() -> str | None:
    """Return the API key that SCORING_JUDGE_KEY or else OPENAI_API_KEY contains; None if neither is set, for servers
    that need none.

    Raises:
        JudgeError: when the value can't be a key; the message reveals nothing of it.
    """
    name = next((name for name in KEYS if name in os.environ and (os.environ[name] or name == KEYS[0])), None)
    if name is None:
        return None
    key = os.environ[name]
    if not key:
        raise JudgeError(f"{name} is set but empty; set it to the key, or unset it where the server needs none")
    odd = next((place for place, sign in enumerate(key) if not "!" <= sign <= "~"), None)
    if odd is not None:
        raise JudgeError(
            f"the key can't be sent: `Authorization` would have a character that is not allowed in a header, "
            f"{_kind(key[odd])} as character {odd + 1} of {len(key)} of {name}; "
            f'set it again, as with {name}="$(cat key.txt)"'
        )
    return key


def _kind(sign: str) -> str:
    if sign in "\r\n":
        return "a newline"
    if sign.isspace():
        return "whitespace"
    return "a control character" if sign.isascii() else "a character outside ASCII"
