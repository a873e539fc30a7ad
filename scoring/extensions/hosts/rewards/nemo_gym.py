"""Rewards for NeMo Gym: ``verify = scoring.rewards.nemo_gym("spec.yaml")`` in the class of a resources server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.rewards.trainer import TrainerReward
from scoring.extensions.processes.threads import in_thread


def nemo_gym(
    spec: SpecSource | Task, *, reference: str | None = None, references_as: ReferencesAs = "values"
) -> Callable[..., Any]:
    """Return the method ``verify`` of a task for a resources server of NeMo Gym.

    Its answer has the reward, and the score of each field among ``reward_components``. Where there is no reward, it has
    the least one and ``mask_sample``, which keeps the sample out of figures (NeMo Gym 0.7; earlier ones ignore it).

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The path of the reference in the row of the data set, which is the request; by default where the
            spec says.
        references_as: ``json`` if the references are JSON texts.

    Raises:
        InputError: when NeMo Gym is not installed.
    """
    server = require("a resources server of NeMo Gym", "nemo_gym.base_resources_server", "nemo-gym")
    rewarding = TrainerReward(spec, reference=reference, references_as=references_as)
    settings = {"model_config": {"extra": "allow"}}
    # Rows have keys of their own, such as the reference, which the base classes would drop.
    request = type("ScoredRequest", (server.BaseVerifyRequest,), dict(settings))
    response = type("ScoredResponse", (server.BaseMultiRewardVerifyResponse,), dict(settings))

    async def verify(self: Any, body: Any) -> Any:
        row = body.model_dump()
        (result,) = await in_thread(rewarding.results, [answer_of(row["response"])], [row])
        status, reason = result.outcome.status, result.outcome.reason
        reward = rewarding.rule.reward_of(result)
        said: dict[str, Any] = {"task": rewarding.task.name, "meaning": rewarding.meaning, "score": result.score}
        said |= {"status": status, "reason": reason, "mask_sample": reward is None}
        if status in ("unscored", "not_applicable"):  # what is unparsed is the answer's own fault
            said |= {"failure_kind": f"scoring:{status}", "failure_reason": reason}
        components = rewarding.rule.components(result)
        rewarded = {"reward": rewarding.reward_or_least(result), "reward_components": components}
        return response(**{**row, **said, **rewarded})

    verify.__annotations__ = {"body": request, "return": response}  # by which the server reads requests
    return verify


def answer_of(response: Mapping[str, Any]) -> str:
    """Return the text of the last message in a response of the OpenAI API; empty if it has no message.

    Examples:
        >>> said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Paris"}]}
        >>> answer_of({"output": [{"type": "reasoning", "summary": []}, said]}), answer_of({"output": []})
        ('Paris', '')
    """
    messages = [one for one in response.get("output") or () if one.get("type", "message") == "message"]
    content = messages[-1].get("content") if messages else ""
    if isinstance(content, str):
        return content
    return "".join(one.get("text") or "" for one in content or () if isinstance(one, Mapping))
