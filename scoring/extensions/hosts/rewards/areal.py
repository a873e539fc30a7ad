"""Rewards for AReaL: ``RLVRWorkflow(reward_fn=scoring.rewards.areal("spec.yaml"), …)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.rewards.trainer import ENDS, TrainerReward


class ArealReward(TrainerReward):
    """The function ``reward_fn`` of AReaL's workflows: the reward of one answer, computed in their processes."""

    def __call__(
        self, prompt: Any, completions: Any, prompt_ids: Any = None, completion_ids: Any = None, **columns: Any
    ) -> float:
        """Return the reward of one answer.

        Args:
            prompt: The prompt.
            completions: The answer, with the tokens that end it.
            prompt_ids: The prompt's tokens, which are not read.
            completion_ids: The answer's tokens, likewise.
            columns: The row of the data set.
        """
        row = self.row_of({"prompt": prompt, **columns})
        return self.reward_or_least(self.results([completions], [row])[0])


def areal(
    spec: SpecSource | Task,
    *,
    reference: str | None = None,
    references_as: ReferencesAs = "values",
    ends: Sequence[str] = ENDS,
) -> ArealReward:
    """Return the function ``reward_fn`` of a task for AReaL's workflows.

    AReaL can skip no answer: where there is no reward, it is given the least one. It makes 0 of what takes longer than
    15 seconds four times, so state ``seconds`` in the spec's ``reward``.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The column of the data set that holds the references; by default where the spec says.
        references_as: ``json`` if that column holds JSON texts.
        ends: The tokens that end an answer, which are taken off it.

    Examples:
        >>> reward = areal({"kind": "task", "name": "towns", "score": "lower | equal"}, reference="answer")
        >>> reward("Of France?", "Paris<|im_end|>", [1, 2], [3, 4], answer="paris")
        1.0
    """
    return ArealReward(spec, reference=reference, references_as=references_as, ends=ends)
