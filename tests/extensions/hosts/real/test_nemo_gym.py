"""Rewards in a resources server of NeMo Gym, asked over its own routes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case

server = pytest.importorskip("nemo_gym.base_resources_server")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


def client_of(verify: Any) -> Any:
    """A client of a server with this method."""
    fastapi, utils = pytest.importorskip("fastapi.testclient"), pytest.importorskip("nemo_gym.server_utils")
    kind = type("ScoredServer", (server.SimpleResourcesServer,), {"verify": verify, "__module__": __name__})
    config = server.BaseResourcesServerConfig(host="127.0.0.1", port=8080, entrypoint="", name="scored")
    return fastapi.TestClient(kind(config=config, server_client=MagicMock(spec=utils.ServerClient)).setup_webserver())


def request_of(answer: str, wanted: Any) -> dict[str, Any]:
    """A request to verify an answer, as a rollout makes it."""
    text = {"annotations": [], "text": answer, "type": "output_text"}
    message = {"id": "m", "content": [text], "role": "assistant", "status": "completed", "type": "message"}
    response = {"id": "r", "created_at": 0.0, "model": "none", "object": "response", "output": [message]}
    given = {"input": [{"role": "user", "content": "What do you see?"}]}
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {"responses_create_params": given, "response": {**response, **more}, "wanted": wanted}


def test_the_servers_rewards_are_the_scores(case: HostCase) -> None:
    client = client_of(scoring.rewards.nemo_gym(case.spec, reference="wanted"))
    rows = [one for one in case.records if one.response is not None]
    lines = {line["id"]: line for line in case.lines}
    with client:
        for one in rows:
            wanted = None if one.reference is MISSING else one.reference
            reply = client.post("/verify", json=request_of(one.response, wanted))
            assert reply.status_code == 200, reply.text
            found, line = reply.json(), lines[one.id]
            assert found["reward"] == (line.get("score") or 0.0)
            assert (found["status"], found["reason"]) == (line["status"], line.get("reason"))
            assert found["mask_sample"] == (line.get("score") is None)
            assert set(found["reward_components"]) == set(line["fields"])
            scores = {name: field.get("score") or 0.0 for name, field in line["fields"].items()}
            assert found["reward_components"] == scores


def test_a_response_without_a_message_is_an_empty_answer() -> None:
    spec = {"kind": "task", "name": "demo/towns", "score": "lower | equal"}
    request = request_of("", "paris")
    request["response"]["output"] = []
    with client_of(scoring.rewards.nemo_gym(spec, reference="wanted")) as client:
        assert client.post("/verify", json=request).json()["reward"] == 0.0
