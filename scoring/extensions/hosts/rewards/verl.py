"""Rewards for verl: a file with ``compute_score = scoring.rewards.verl("spec.yaml")``, named as its reward function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.rewards.trainer import TrainerReward


class VerlReward(TrainerReward):
    """The function ``compute_score`` of verl: the reward of one answer, with why it is so."""

    def __call__(
        self, data_source: Any, solution_str: Any, ground_truth: Any, extra_info: Any = None, **more: Any
    ) -> dict[str, Any]:
        """Return the reward as ``score``, and beside it columns that verl logs, the same for every answer.

        Args:
            data_source: The name of the data set.
            solution_str: The answer.
            ground_truth: The reference.
            extra_info: What else the data set has of the row.
            more: What else verl passes, which is not read.
        """
        row = {**(extra_info if isinstance(extra_info, Mapping) else {}), "data_source": data_source}
        (result,) = self.results([solution_str], [self.row_of(row)], [ground_truth])
        status = result.outcome.status
        return {
            "score": self.reward_or_least(result),
            "status": status,
            "reason": result.outcome.reason or "",
            "meaning": self.meaning,
            # Texts are not averaged there, and numbers are.
            "unparsed": float(status == "unparsed"),
            "unscored": float(status == "unscored"),
        }


def verl(spec: SpecSource | Task, *, references_as: ReferencesAs = "values") -> VerlReward:
    """Return the function ``compute_score`` of a task for verl.

    verl can skip no answer: where there is no reward, it is given the least one. It makes 0.0 of what takes longer than
    its own limit, or fails, so state ``seconds`` in the spec's ``reward``.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        references_as: ``json`` if the data set's ``ground_truth`` is a JSON text.

    Examples:
        >>> compute_score = verl({"kind": "task", "name": "towns", "score": "lower | equal"})
        >>> found = compute_score(data_source="towns", solution_str="Paris", ground_truth="paris", extra_info={})
        >>> found["score"], found["status"]
        (1.0, 'scored')
    """
    return VerlReward(spec, references_as=references_as)
