"""Rewards in verifiers' own scoring of a task: plugged by name in its config, over traces of messages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case

vf = pytest.importorskip("verifiers.v1")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


class SeenData(vf.TaskData):  # type: ignore[misc,name-defined]
    """A row of the task set, with the reference."""

    wanted: Any = None


class SeenTask(vf.Task[SeenData]):  # type: ignore[misc,name-defined]
    """A task whose rewards are plugged."""


def trace_of(task: Any, answer: str | None) -> Any:
    """The trace of one answer."""
    said = vf.MessageNode(message=vf.AssistantMessage(content=answer), sampled=True)
    asked = vf.MessageNode(message=vf.UserMessage(content="What do you see?"))
    return vf.Trace(
        task=vf.TraceTask(type="SeenTask", data=task.data),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        nodes=[asked, said],
    )


@pytest.mark.parametrize("trainer", ["verifiers", "prime_rl"])
def test_the_tasks_rewards_are_the_scores(case: HostCase, trainer: str, tmp_path: Path) -> None:
    file = tmp_path / "rewards.py"
    text = f"import scoring\nscore = scoring.rewards.{trainer}({str(case.spec)!r}, reference='wanted')\n"
    file.write_text(text, encoding="utf-8")
    config = vf.TaskConfig(rewards={"score": vf.RewardFunctionConfig(fn=f"{file}:score")})
    rows = [one for one in case.records if one.response is not None]
    tasks = [
        SeenTask(SeenData(prompt="?", wanted=None if one.reference is MISSING else one.reference), config)
        for one in rows
    ]
    traces = [trace_of(task, one.response) for task, one in zip(tasks, rows, strict=True)]

    async def all_of_them() -> list[Any]:
        given = (task.score(trace) for task, trace in zip(tasks, traces, strict=True))
        return await asyncio.gather(*given, return_exceptions=True)

    errors = asyncio.run(all_of_them())
    lines = {line["id"]: line for line in case.lines}
    for one, trace, error in zip(rows, traces, errors, strict=True):
        score = lines[one.id].get("score")
        assert trace.info["scoring"]["status"] == lines[one.id]["status"]
        assert trace.info["scoring"]["reason"] == lines[one.id].get("reason")
        if score is not None:
            assert (trace.rewards["score"].score, trace.reward, error) == (score, score, None)
        elif trainer == "verifiers":
            assert ("score" in trace.rewards, error) == (False, None)
        else:
            assert isinstance(error, vf.TaskError)
            assert trace.rewards["score"] is None
