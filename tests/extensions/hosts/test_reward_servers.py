"""Rewards for what must be a class of the trainer's own: held here by stand-ins, and by the real ones in `real`."""

from __future__ import annotations

import asyncio
import inspect
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import scoring
from tests.support import stand_ins

TOWNS = {"kind": "task", "name": "demo/towns", "fields": {"town": "lower | equal"}, "parse": "json"}
RIGHT = {"town": "paris"}


def verified(said: str, wanted: Any, monkeypatch: pytest.MonkeyPatch, spec: Any = TOWNS) -> dict[str, Any]:
    """The answer of a resources server of NeMo Gym."""
    standing = stand_ins.nemo_gym()
    for name, module in standing.items():
        monkeypatch.setitem(sys.modules, name, module)
    verify = scoring.rewards.nemo_gym(spec, reference="wanted")
    assert list(inspect.signature(verify).parameters) == ["self", "body"]
    request = inspect.signature(verify).parameters["body"].annotation
    assert issubclass(request, standing["nemo_gym.base_resources_server"].BaseVerifyRequest)
    assert request.model_config == {"extra": "allow"}
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
    reply = asyncio.run(verify(None, request(response={"output": [message]}, wanted=wanted)))
    assert isinstance(reply, inspect.signature(verify).return_annotation)
    found: dict[str, Any] = reply.model_dump()
    return found


def test_nemo_gym_is_given_components(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verified('{"town": "Paris"}', RIGHT, monkeypatch)
    assert (found["reward"], found["reward_components"], found["mask_sample"]) == (1.0, {"town": 1.0}, False)
    assert (found["status"], found["reason"], found["wanted"]) == ("scored", None, RIGHT)
    assert (found["score"], found["task"]) == (1.0, "demo/towns")
    assert found["meaning"] == scoring.load(TOWNS).signature.meaning
    assert "failure_kind" not in found


def test_nemo_gym_is_told_what_it_should_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verified('{"town": "Paris"}', None, monkeypatch)
    assert (found["reward"], found["reward_components"], found["mask_sample"]) == (0.0, {"town": 0.0}, True)
    assert found["failure_kind"] == "scoring:unscored"
    assert found["failure_reason"] == found["reason"]
    unparsed = verified("no JSON", RIGHT, monkeypatch)
    assert (unparsed["status"], unparsed["mask_sample"], "failure_kind" in unparsed) == ("unparsed", True, False)


def test_skyrl_is_given_a_class_of_its_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    standing = stand_ins.skyrl()
    for name, module in standing.items():
        monkeypatch.setitem(sys.modules, name, module)
    kind = scoring.rewards.skyrl(TOWNS)
    assert issubclass(kind, standing["skyrl_gym.envs.base_text_env"].BaseTextEnv)
    env = kind(env_config={}, extras={"reward_spec": {"ground_truth": RIGHT}})
    assert (env.turns, env.get_metrics()) == (0, {})
    step = env.step('{"town": "Paris"}')
    metadata = {"status": "scored", "reason": None, "meaning": scoring.load(TOWNS).signature.meaning}
    assert step == {"observations": [], "reward": 1.0, "done": True, "metadata": metadata}
    chat = [{"role": "assistant", "content": "no JSON"}]
    assert (env.step(chat)["reward"], env.get_metrics()) == (0.0, {"unparsed": 1.0, "unscored": 0.0})
    assert scoring.rewards.skyrl(TOWNS, reference="gold")(extras={"gold": RIGHT}).step("[]")["reward"] == 0.0


def test_openrlhf_is_given_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(float=float, tensor=lambda column, dtype: (dtype, column))
    monkeypatch.setitem(sys.modules, "torch", torch)
    reward = scoring.rewards.openrlhf({"kind": "task", "name": "t", "score": "equal", "reward": {"range": [-1, 1]}})
    assert reward(["a b", "a c"], ["a ", "a "], ["b", "b"], more=1) == {
        "rewards": (float, [1.0, -1.0]),
        "scores": (float, [1.0, 0.0]),  # what it filters by lies from 0 to 1
        "extra_logs": {"unparsed": (float, [0.0, 0.0]), "unscored": (float, [0.0, 0.0])},
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nemo_gym", "a resources server of NeMo Gym needs nemo_gym.base_resources_server: pip install 'nemo-gym'"),
        ("skyrl", "an environment of SkyRL needs skyrl_gym.envs.base_text_env: pip install 'skyrl-gym'"),
    ],
)
def test_what_is_not_installed_is_named(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nemo_gym", "skyrl_gym"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(scoring.InputError) as told:
        getattr(scoring.rewards, name)(TOWNS)
    assert str(told.value) == message
