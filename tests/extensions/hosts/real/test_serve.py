"""A served task keeps to its own description: schemathesis draws requests from it, good ones and bad ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

schemathesis: Any = pytest.importorskip("schemathesis")
pytest.importorskip("starlette")
pytest.importorskip("httptools")

from hypothesis import HealthCheck, given, settings  # noqa: E402  # what needs it was looked for first
from hypothesis.errors import Unsatisfiable  # noqa: E402  # likewise

from scoring.extensions.serving.verbs import scoring_service  # noqa: E402  # likewise

TASK = """\
kind: task
name: demo/towns
parse: json
fields: {town: lower | equal, zip: equal}
"""
EXAMPLES = int(os.environ.get("SCORING_SERVE_EXAMPLES", "30"))
"""How many requests are drawn for each operation, good ones and bad ones each."""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a service of one task, by the service."""
    path = tmp_path_factory.mktemp("served") / "towns.yaml"
    path.write_text(TASK, encoding="utf-8")
    with scoring_service(path, port=0, processes=1, seconds=20) as service:
        yield schemathesis.openapi.from_url(f"{service.address}/openapi.json")


def test_the_description_is_of_openapi(described: Any) -> None:
    described.validate()
    assert "/tasks/{task}/score" in described.raw_schema["paths"]


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_every_reply_is_as_described(described: Any, mode: str) -> None:
    tried = 0
    for found in described.get_all_operations():
        operation = found.ok()
        strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))
        drawn: list[int] = []

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=strategy)
        def one(drawn: list[int], case: Any) -> None:
            drawn.append(case.call_and_validate(excluded_checks=EXCLUDED).status_code)

        try:
            one(drawn)
        except Unsatisfiable:
            continue  # nothing of it can be wrong
        tried += len(drawn)
    assert tried > EXAMPLES


# A row may be right by its form and have no score, for which Vertex AI is told 422, or a reference that is no JSON.
EXCLUDED = [schemathesis.checks.positive_data_acceptance]
