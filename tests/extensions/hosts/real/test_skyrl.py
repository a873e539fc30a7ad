"""Rewards in SkyRL's own gym: an environment that is registered, made and stepped as its generator does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case

skyrl_gym = pytest.importorskip("skyrl_gym")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostCase]:
    found = host_case(request.param, tmp_path, "texts")
    with found.replaying():
        yield found


def test_the_environments_rewards_are_the_scores(case: HostCase) -> None:
    gym, metrics = pytest.importorskip("skyrl_gym.envs.registration"), pytest.importorskip("skyrl_gym.metrics")
    gym.register(id="scored", entry_point=scoring.rewards.skyrl(case.spec, references_as="json"))
    try:
        steps, figures = [], []
        for one in case.records:
            truth = None if one.reference is MISSING else json.dumps(one.reference)
            extras = {"reward_spec": {"method": "rule", "ground_truth": truth}, "max_turns": 1}
            env = skyrl_gym.make("scored", env_config={}, extras=extras)
            env.init([{"role": "user", "content": "What do you see?"}])
            steps.append(env.step(one.response))
            figures.append(env.get_metrics())
            env.close()
        shares = metrics.aggregate_for_environment("scored", figures)
    finally:
        gym.deregister("scored")
    assert [step["reward"] for step in steps] == [score or 0.0 for score in case.scores]
    assert all(step["done"] and step["observations"] == [] for step in steps)
    assert [step["metadata"]["status"] for step in steps] == [line["status"] for line in case.lines]
    assert [step["metadata"]["reason"] for step in steps] == [line.get("reason") for line in case.lines]
    assert shares["unparsed"] == sum(line["status"] == "unparsed" for line in case.lines) / 200
