"""Rewards for verifiers, and for prime-rl, which trains on its environments: async functions of a task and a trace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import plain_verdict
from scoring.extensions.hosts.rewards.trainer import TrainerReward
from scoring.extensions.processes.threads import in_thread
from scoring.result import RecordResult

TraceReward: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""An async function from the data of a task and the trace of an attempt to a reward."""


def verifiers(
    spec: SpecSource | Task, *, reference: str | None = None, references_as: ReferencesAs = "values"
) -> TraceReward:
    """Return the reward of a task for verifiers, to be plugged by name or decorated with ``vf.reward``.

    It returns a number, or an empty mapping where there is no reward: then nothing is recorded, and the trace says why
    in its ``info``, with score, fields and meaning.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The path of the reference in the task's data; by default where the spec says.
        references_as: ``json`` if the references are JSON texts.

    Examples:
        >>> import asyncio
        >>> from types import SimpleNamespace
        >>> reward = verifiers({"kind": "task", "name": "towns", "score": "lower | equal"}, reference="answer")
        >>> data = SimpleNamespace(model_dump=lambda: {"prompt": "Of France?", "answer": "paris"})
        >>> asyncio.run(reward(data, SimpleNamespace(root_reply="Paris", info={})))
        1.0
    """
    rewarding = TrainerReward(spec, reference=reference, references_as=references_as)

    async def reward(task: Any, trace: Any) -> Any:
        found = rewarding.rule.reward_of(await _result(rewarding, task, trace))
        return {} if found is None else found

    reward.__name__ = rewarding.__name__
    return reward


def prime_rl(
    spec: SpecSource | Task, *, reference: str | None = None, references_as: ReferencesAs = "values"
) -> TraceReward:
    """Return the reward of a task for environments of verifiers on which prime-rl trains.

    prime-rl takes a trace without a reward for one of 0, and leaves out one with an error; so where there is no reward,
    the function raises `InputError` with the reason.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The path of the reference in the task's data; by default where the spec says.
        references_as: ``json`` if the references are JSON texts.

    Examples:
        >>> import asyncio
        >>> from types import SimpleNamespace
        >>> reward = prime_rl({"kind": "task", "name": "towns", "score": "lower | equal"}, reference="answer")
        >>> data = SimpleNamespace(model_dump=lambda: {"prompt": "Of France?", "answer": None})
        >>> asyncio.run(reward(data, SimpleNamespace(root_reply="Paris", info={})))
        Traceback (most recent call last):
        scoring.errors.InputError: towns gives no reward: the record has no reference
    """
    rewarding = TrainerReward(spec, reference=reference, references_as=references_as)

    async def reward(task: Any, trace: Any) -> float:
        result = await _result(rewarding, task, trace)
        found = rewarding.rule.reward_of(result)
        if found is None:
            raise InputError(f"{rewarding.task.name} gives no reward: {result.outcome.reason or result.outcome.status}")
        return found

    reward.__name__ = rewarding.__name__
    return reward


async def _result(rewarding: TrainerReward, task: Any, trace: Any) -> RecordResult:
    (result,) = await in_thread(rewarding.results, [_reply(trace)], [task.model_dump()])
    verdict = plain_verdict(result, rewarding.task.name, rewarding.meaning)
    trace.info["scoring"] = {**verdict, "status": result.outcome.status, "reason": result.outcome.reason}
    return result


def _reply(trace: Any) -> Any:
    """Return the last answer in a trace, with the space around it, which ``last_reply`` takes off."""
    if trace.root_reply is not None:
        return trace.root_reply
    said = trace.assistant_messages
    return (said[-1].content or "") if said else ""
