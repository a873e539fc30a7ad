"""The description of a service in OpenAPI 3.1, made of its endpoints and tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.extensions.serving.endpoints import ENDPOINTS, ServedEndpoint
from scoring.version import VERSION

_REFUSED = {
    "400": "The body is not JSON, or the request not HTTP",
    "401": "The token is missing or wrong",
    "404": "There is no such task",
    "408": "The request did not arrive in time",
    "413": "The body, or the number of its rows, is beyond the limit",
    "415": "The body is declared to be something else than JSON",
    "421": "The service has another name",
    "422": "The body has another form, or the task can't take it",
    "429": "Too much is waiting; try again after the seconds of `Retry-After`",
    "503": "The service is starting or ending; try again after the seconds of `Retry-After`",
}
_QUERY = {
    "references_as": ({"enum": ["values", "json"]}, "`json`: references are given as JSON text"),
    "end": ({"type": "string"}, "what is removed from the end of responses, such as an end-of-text mark"),
    "reference": ({"type": "string"}, "which of several references counts"),
}
_TEXT_PLAIN = {"text/plain": {"schema": {"type": "string"}}}


def openapi_document(tasks: Sequence[str], has_token: bool) -> dict[str, Any]:
    """Return the description of a service of the tasks with these names.

    Args:
        tasks: The names; if there is one, its endpoints are at the root, too.
        has_token: Whether requests need a token.
    """
    paths: dict[str, Any] = {
        "/health": {"get": _plain_operation("health", "Tell that the process lives", {"status": {"type": "string"}})},
        "/ready": {"get": _plain_operation("ready", "Tell whether rows are scored", {"ready": {"type": "boolean"}})},
        "/metrics": {
            "get": {
                **_operation("metrics", "Count what was done, for Prometheus"),
                "responses": {
                    "200": {"description": "The counters", "content": _TEXT_PLAIN},
                    **_refusals("401", "421"),
                },
            }
        },
        "/openapi.json": {"get": _plain_operation("openapi", "Describe the service", {})},
        "/tasks": {"get": _plain_operation("tasks", "List the tasks", {"tasks": {"type": "array"}})},
        "/reverify_mode": {
            "get": {
                **_operation("reverify_mode", "Tell NeMo Gym that rows can be verified again"),
                "responses": {
                    "200": {
                        "description": "The mode",
                        "content": {"application/json": {"schema": {"const": "stateless"}}},
                    },
                    **_refusals("401", "421"),
                },
            }
        },
        "/seed_session": _session("seed_session", "Begin a session of NeMo Gym, which needs none", {}),
        "/aggregate_metrics": _session(
            "aggregate_metrics",
            "Return the mean reward of rollouts of NeMo Gym",
            {"verify_responses": {"type": "array"}},
        ),
    }
    for endpoint in ENDPOINTS:
        if len(tasks) == 1:
            paths[f"/{endpoint.path}"] = {"post": _scoring(endpoint, ())}
        parameter = {"name": "task", "in": "path", "required": True, "schema": {"enum": list(tasks)}}
        paths[f"/tasks/{{task}}/{endpoint.path}"] = {"post": _scoring(endpoint, (parameter,))}
    scheme = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "scoring", "version": VERSION, "summary": "Scores of answers by tasks in files."},
        "paths": paths,
        "components": {"schemas": {"Refused": _ERROR}, **({"securitySchemes": scheme} if has_token else {})},
        **({"security": [{"token": []}]} if has_token else {}),
    }


_ERROR = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}


def _operation(name: str, summary: str) -> dict[str, Any]:
    return {"operationId": name, "summary": summary}


def _refusals(*codes: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}
    return {code: {"description": _REFUSED[code], "content": content} for code in codes}


def _plain_operation(name: str, summary: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": list(properties), "properties": dict(properties)}
    replied = {"200": {"description": summary, "content": {"application/json": {"schema": schema}}}}
    return {**_operation(name, summary), "responses": {**replied, **_refusals("401", "421", "503")}}


def _session(name: str, summary: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the path of an operation of NeMo Gym that scores no row."""
    body = {"type": "object", "required": list(properties), "properties": dict(properties)}
    replied = {"200": {"description": summary, "content": {"application/json": {"schema": {"type": "object"}}}}}
    return {
        "post": {
            **_operation(name, summary),
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": {**replied, **_refusals(*_REFUSED)},
        }
    }


def _scoring(endpoint: ServedEndpoint, above: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    query = [
        {"name": name, "in": "query", "required": False, "schema": schema, "description": about}
        for name, (schema, about) in _QUERY.items()
        if name in endpoint.options
    ]
    name = f"{endpoint.path}_of_task" if above else endpoint.path
    return {
        **_operation(name, endpoint.summary),
        "parameters": [*above, *query],
        "requestBody": {"required": True, "content": {"application/json": {"schema": endpoint.body}}},
        "responses": {
            "200": {"description": "The reply", "content": {"application/json": {"schema": endpoint.replied}}},
            **_refusals(*_REFUSED),
        },
    }
