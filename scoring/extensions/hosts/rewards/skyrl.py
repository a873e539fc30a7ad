"""Rewards for SkyRL: ``register("invoices", entry_point=scoring.rewards.skyrl("spec.yaml"))`` of its gym."""

from __future__ import annotations

from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.rewards.trainer import TrainerReward


def skyrl(
    spec: SpecSource | Task,
    *,
    reference: str | None = "reward_spec.ground_truth",
    references_as: ReferencesAs = "values",
) -> Any:
    """Return a class of environments for SkyRL's gym, in which one answer ends an episode and is rewarded.

    SkyRL can skip no answer: where there is no reward, it is given the least one.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The path of the reference in the row of the data set; None for where the spec says.
        references_as: ``json`` if the references are JSON texts.

    Raises:
        InputError: when skyrl-gym is not installed.
    """
    base = require("an environment of SkyRL", "skyrl_gym.envs.base_text_env", "skyrl-gym")
    rewarding = TrainerReward(spec, reference=reference, references_as=references_as)

    class RewardedAnswer(base.BaseTextEnv):  # type: ignore[misc, name-defined]
        """An environment of one answer, which is scored by a task."""

        def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
            super().__init__()
            self._row = dict(extras or {})
            self._figures: dict[str, Any] = {}

        def step(self, action: str) -> Any:
            """Return the reward of an answer, and why it is so."""
            (result,) = rewarding.results([action], [rewarding.row_of(self._row)])
            status, reason = result.outcome.status, result.outcome.reason
            self._figures = {name: float(status == name) for name in ("unparsed", "unscored")}
            reward = rewarding.reward_or_least(result)
            metadata = {"status": status, "reason": reason, "meaning": rewarding.meaning}
            return base.BaseTextEnvStepOutput(observations=[], reward=reward, done=True, metadata=metadata)

        def get_metrics(self) -> dict[str, Any]:
            """Return whether the answer was unparsed or unscored, of which SkyRL logs the means."""
            return self._figures

    return RewardedAnswer
