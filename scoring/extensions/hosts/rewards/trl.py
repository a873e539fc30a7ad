"""Rewards for TRL: ``GRPOTrainer(reward_funcs=scoring.rewards.trl("spec.yaml"))``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.rewards.trainer import TrainerReward
from scoring.result import RecordResult

_OWN = frozenset({"trainer_state", "log_extra", "log_metric", "environments"})


class TrlReward(TrainerReward):
    """The reward function of TRL's trainers: a reward for each completion, or None, which they leave out."""

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[Any], completion_ids: Any = None, **columns: Any
    ) -> list[float | None]:
        """Return the rewards of a batch.

        Args:
            prompts: The prompts, as texts or as chat messages.
            completions: The answers, likewise.
            completion_ids: Their tokens, which are not read.
            columns: The other columns of the data set, and the trainer's own functions.
        """
        own = {name: columns.pop(name) for name in _OWN & columns.keys()}
        known = {"prompt": list(prompts), **columns}
        rows = [
            self.row_of({name: column[place] for name, column in known.items()}) for place in range(len(completions))
        ]
        results = self.results(completions, rows)
        if "log_extra" in own and "log_metric" in own:
            _log(results, self.meaning, own)
        return [self.rule.reward_of(one) for one in results]


def trl(spec: SpecSource | Task, *, reference: str | None = None, references_as: ReferencesAs = "values") -> TrlReward:
    """Return the reward function of a task for TRL's trainers, such as ``GRPOTrainer``.

    Args:
        spec: The task: a loaded one, the path of its file, or its content as plain data.
        reference: The column of the data set that holds the references; by default where the spec says, as a row of
            the data set is its record.
        references_as: ``json`` if that column holds JSON texts.

    Examples:
        >>> reward = trl({"kind": "task", "name": "towns", "score": "lower | equal"}, reference="answer")
        >>> said = [[{"role": "assistant", "content": "Paris"}], [{"role": "assistant", "content": "Rome"}]]
        >>> reward(prompts=["Of France?", "Of Spain?"], completions=said, answer=["paris", "madrid"])
        [1.0, 0.0]
    """
    return TrlReward(spec, reference=reference, references_as=references_as)


def _log(results: Sequence[RecordResult], meaning: str, own: Mapping[str, Any]) -> None:
    own["log_extra"]("status", [one.outcome.status for one in results])
    own["log_extra"]("reason", [one.outcome.reason or "" for one in results])
    own["log_extra"]("meaning", [meaning] * len(results))
    counts = Counter(one.outcome.status for one in results)
    for status in ("unparsed", "unscored"):
        own["log_metric"](status, counts[status] / max(1, len(results)))
