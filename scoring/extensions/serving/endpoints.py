"""The endpoints at which rows are scored: how each reads a request, and what it replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.extensions.serving.answering import ServedAnswer, ServedRow
from scoring.extensions.serving.reading import RequestQuery, nemo_gym_rows, openrlhf_rows, own_rows, vertex_rows
from scoring.extensions.serving.replies import nemo_gym_reply, openrlhf_reply, own_reply, vertex_reply

Asked: TypeAlias = tuple[Sequence[ServedRow], bool]
"""The rows of a request, and whether they are a batch."""


class ServedEndpoint(Struct, frozen=True):
    """An address at which rows are scored.

    Args:
        path: Its path below that of a task.
        summary: What it does, for people and for the description of the service.
        read: Returns the rows of a body.
        reply: Returns the reply, as JSON, given the body, whether it was a batch, the answers, and what is told of the
            task.
        body, replied: The JSON Schemas of both.
        options: The options that the address may have.
    """

    path: str
    summary: str
    read: Callable[[Any, RequestQuery], Asked]
    reply: Callable[[Any, bool, Sequence[ServedAnswer], Mapping[str, Any]], str]
    body: Mapping[str, Any]
    replied: Mapping[str, Any]
    options: tuple[str, ...] = ("references_as", "end")


_Schema: TypeAlias = Mapping[str, Any]
_TEXT: _Schema = {"type": "string"}
_ANY: _Schema = {}
_OBJECT: _Schema = {"type": "object"}
_NUMBER_OR_NULL = {"type": ["number", "null"]}
_ABOUT = {"task": _TEXT, "meaning": {**_TEXT, "description": "What the task means; equal meanings give equal scores."}}
_STATUS = {"enum": ["scored", "unscored", "unparsed", "not_applicable"]}
_ROW: _Schema = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "description": "An answer by its parts, or `record` alone, in which the task finds them by its own paths.",
    "properties": {
        "response": {"description": "The raw response of the model, or chat messages."},
        "reference": {"description": "What it is compared with."},
        "context": {"description": "What expressions read as `context`."},
        "id": {"description": "The id of the result."},
        "record": {"type": ["object", "null"], "description": "What paths such as `record.kind` read."},
    },
    "anyOf": [
        {"required": ["response"]},
        {"required": ["record"], "maxProperties": 1, "properties": {"record": _OBJECT}},
    ],
}
_RESULT: _Schema = {
    "type": "object",
    "required": ["id", "score", "status", "fields"],
    "properties": {
        "id": _ANY,
        "score": _NUMBER_OR_NULL,
        "status": _STATUS,
        "reason": _TEXT,
        "passed": {"type": "boolean"},
        "fields": _OBJECT,
    },
}
_ALL = {
    "type": "object",
    "additionalProperties": False,
    "required": ["rows"],
    "properties": {"rows": {"type": "array", "items": _ROW}},
}
_REPLIED_ALL = {
    "type": "object",
    "required": ["task", "meaning", "rows", "counted", "results"],
    "properties": {
        **_ABOUT,
        "rows": {"type": "integer"},
        "counted": {"type": "integer", "description": "How many have a score that counts."},
        "results": {"type": "array", "items": _RESULT},
    },
}
_TOLD = {"score": _NUMBER_OR_NULL, "status": _STATUS, "reason": {"type": ["string", "null"]}}


def _object(required: Sequence[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": dict(properties)}


_MESSAGES = {"output": {"type": "array", "items": _ANY}}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_TEXTS, _TEXTS_OR_NULL = {"type": "array", "items": _TEXT}, {"type": ["array", "null"], "items": _TEXT}

ENDPOINTS = (
    ServedEndpoint(
        "score",
        "Score one answer, or many in `rows`",
        own_rows,
        lambda body, is_batch, answers, about: own_reply(answers, about, is_batch),
        {"oneOf": [_ROW, _ALL]},
        {"anyOf": [{**_RESULT, "properties": {**_ABOUT, **_RESULT["properties"]}}, _REPLIED_ALL]},
    ),
    ServedEndpoint(
        "verify",
        "Verify a rollout, as NeMo Gym asks its resources servers",
        lambda body, query: (nemo_gym_rows(body, query), False),
        lambda body, is_batch, answers, about: nemo_gym_reply(body, answers[0], about),
        _object(["response"], {"response": _object(["output"], _MESSAGES)}),
        _object(
            ["reward", "reward_components", "mask_sample", "status", "meaning"],
            {
                "reward": {"type": "number"},
                "reward_components": _OBJECT,
                "mask_sample": {"type": "boolean", "description": "Whether there is no reward, so none to train on."},
                **_ABOUT,
                **_TOLD,
            },
        ),
    ),
    ServedEndpoint(
        "get_reward",
        "Reward texts, as OpenRLHF asks `remote_rm_url`",
        lambda body, query: (openrlhf_rows(body, query), True),
        lambda body, is_batch, answers, about: openrlhf_reply(answers, about),
        {
            **_object(
                ["query"],
                {"query": _TEXTS, "prompts": _TEXTS_OR_NULL, "labels": {"type": ["array", "null"], "items": _ANY}},
            ),
            "additionalProperties": False,
        },
        _object(
            ["rewards", "scores", "extra_logs", "meaning"],
            {"rewards": _NUMBERS, "scores": _NUMBERS, "extra_logs": _OBJECT, **_ABOUT},
        ),
    ),
    ServedEndpoint(
        "vertex",
        "Reward a response, as Vertex AI's reinforcement tuning asks a service; the reward is within -1 and 1",
        lambda body, query: (vertex_rows(body, query), False),
        lambda body, is_batch, answers, about: vertex_reply(answers[0], about),
        _object(
            ["response", "example"],
            {
                "response": _object([], {"parts": {"type": ["array", "null"], "items": _ANY}}),
                "example": _object([], {"references": {"type": ["object", "null"], "additionalProperties": _TEXT}}),
            },
        ),
        _object(["reward", "meaning"], {"reward": {"type": "number", "minimum": -1, "maximum": 1}, **_ABOUT, **_TOLD}),
        ("references_as", "end", "reference"),
    ),
)
