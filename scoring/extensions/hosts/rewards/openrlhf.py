"""Rewards for OpenRLHF: a file with ``reward_func = scoring.rewards.openrlhf("spec.yaml")``, or replies by HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.engine.road.evaluate import unscored
from scoring.errors import InputError
from scoring.extensions.hosts.rewards.trainer import ENDS, TrainerReward
from scoring.result import RecordResult

CUT: Final = "the query does not hold its prompt, so where the answer begins is not known"
"""The reason of what begins otherwise than with its prompt, which was cut."""


class OpenRlhfReward(TrainerReward):
    """The function ``reward_func`` of OpenRLHF, and the reply to the requests that it sends to a ``remote_rm_url``."""

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **more: Any
    ) -> dict[str, Any]:
        """Return ``rewards``, ``scores`` from 0 to 1, and ``extra_logs``, as tensors.

        Args:
            queries: Each prompt with its answer behind it.
            prompts: The prompts.
            labels: The references.
            more: What else OpenRLHF passes, which is not read.
        """
        torch = require("the reward function of OpenRLHF", "torch", "torch")
        reply = self.reply({"query": queries, "prompts": prompts, "labels": labels})
        made = {name: torch.tensor(column, dtype=torch.float) for name, column in reply["extra_logs"].items()}
        tensors = {name: torch.tensor(reply[name], dtype=torch.float) for name in ("rewards", "scores")}
        return {**tensors, "extra_logs": made}

    def reply(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to a request to ``remote_rm_url``, as plain data.

        Args:
            payload: The content of the request: lists under ``query``, ``prompts`` and ``labels``.

        Raises:
            InputError: when a list is missing, or has another length.
        """
        columns = [payload.get(name) for name in ("query", "prompts", "labels")]
        if not all(isinstance(one, list | tuple) for one in columns) or len({len(one or ()) for one in columns}) != 1:
            raise InputError("a request has lists of one length under `query`, `prompts` and `labels`")
        queries, prompts, labels = (list(one or ()) for one in columns)
        results = self._results(queries, prompts, labels)
        rewards = [self.reward_or_least(one) for one in results]
        statuses = [one.outcome.status for one in results]
        logs = {name: [float(one == name) for one in statuses] for name in ("unparsed", "unscored")}
        return {"rewards": rewards, "scores": list(map(self.rule.scale.share, rewards)), "extra_logs": logs}

    def _results(self, queries: list[Any], prompts: list[Any], labels: list[Any]) -> list[RecordResult]:
        answers = [behind_prompt(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
        rows: list[dict[str, Any]] = [{"prompt": prompt} for prompt in prompts]
        results = self.results(answers, rows, labels)
        return [
            result if answer is not None else unscored(self.task, None, {}, CUT)
            for answer, result in zip(answers, results, strict=True)
        ]


def openrlhf(
    spec: SpecSource | Task, *, references_as: ReferencesAs = "values", ends: Sequence[str] = ENDS
) -> OpenRlhfReward:
    """Return the function ``reward_func`` of a task for OpenRLHF, whose ``reply`` answers its requests by HTTP.

    OpenRLHF can skip no answer: where there is no reward, it is given the least one.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        references_as: ``json`` if the labels of the data set are JSON texts.
        ends: The tokens that end an answer, which are taken off it.

    Examples:
        >>> reward = openrlhf({"kind": "task", "name": "towns", "score": "lower | equal"})
        >>> reward.reply({"query": ["Of France? Paris</s>"], "prompts": ["Of France? "], "labels": ["paris"]})
        {'rewards': [1.0], 'scores': [1.0], 'extra_logs': {'unparsed': [0.0], 'unscored': [0.0]}}
    """
    return OpenRlhfReward(spec, references_as=references_as, ends=ends)


def behind_prompt(query: Any, prompt: Any) -> Any:
    """Return what stands behind the prompt in a query; None if the prompt is not in it.

    Examples:
        >>> behind_prompt("<s>Of France? Paris", "Of France? "), behind_prompt("France? Paris", "Of France? ")
        ('Paris', None)
    """
    if not (isinstance(query, str) and isinstance(prompt, str)):
        return query
    _, found, answer = query.partition(prompt) if prompt else ("", "", query)
    return answer if found or not prompt else None
