"""The rule by which the result of a record becomes its reward: direction, scale, gate, and the rewards of failures."""

from __future__ import annotations

from typing import Final

from scoring.compiler.tasks.task import CompiledTask
from scoring.errors import InputError
from scoring.extensions.hosts.rewards.section import Failed, RewardRules
from scoring.ranges import Better, ScoreRange
from scoring.result import RecordResult, Status

_FAILED: Final[frozenset[Status]] = frozenset({"unparsed", "unscored", "not_applicable"})


class RewardRule:
    """The rewards of a task's records, as its key `reward` says; without the key its scores, from 0 to 1.

    A score that is worst among the task's scores is mapped to the least reward, one that is best to the greatest. So
    an error, of which less is better, is rewarded where it is small.

    Args:
        task: The task whose results are rewarded.

    Raises:
        InputError: when the scores of the task have no worst or no best, so that no scale holds them.

    Examples:
        >>> import scoring
        >>> task = scoring.load({"kind": "task", "name": "t", "score": "levenshtein", "reward": {"range": [-1, 1]}})
        >>> rule = RewardRule(task)
        >>> rule.reward_of(task.score_parts("Rome", "Rome")), rule.reward_of(task.score_parts("Home", "Rome"))
        (1.0, 0.5)
        >>> rule.reward_of(task.score_parts(None, "Rome")) is None
        True
    """

    def __init__(self, task: CompiledTask) -> None:
        self.rules: RewardRules = task.spec.sections.get("reward") or RewardRules()
        self.scale = ScoreRange(*self.rules.range)
        self._scores, self._better = task.range, task.parts.least.better
        if not self._scores.is_finite:
            raise InputError(
                f"the scores of {task.name} lie in {self._scores}, and rewards in {self.scale}: bound them, "
                "such as by `aggregate: clip(score, 0, 1)`"
            )
        if isinstance(self._better, int | float):
            raise InputError(
                f"the best score of {task.name} is {self._better:g}, and neither end of {self._scores}: rewards need "
                "scores of which higher ones, or lower ones, are better"
            )
        held = {name: (task.ranges[name], task.parts.better.get(name, "higher")) for name in task.field_names}
        self._fields = {
            name: (scores, better)
            for name, (scores, better) in held.items()
            if scores.is_finite and not isinstance(better, int | float)
        }

    @property
    def least(self) -> float:
        """The least reward that an answer can be given."""
        return self.scale.low

    def reward_of(self, result: RecordResult) -> float | None:
        """Return the reward of a record; None if it has none, so that a trainer that can do so skips the record."""
        score = result.outcome.value
        if result.outcome.status in _FAILED:
            return self._of_failure(result.outcome.status, score)
        if score is None:
            return self._of_failure("unscored", None)
        if self.rules.gate == "pass" and not result.passed:
            # Whether it passes may be undecided: then nobody knows what the answer is worth.
            return self.least if result.passed is False else self._of_failure("unscored", None)
        return self._mapped(score, self._scores, self._better)

    def components(self, result: RecordResult) -> dict[str, float]:
        """Return the score of each field on the scale of rewards, the least where it has none.

        A field is left out if no scale holds its scores, or neither higher nor lower ones are better.
        """
        found = {}
        for name, (scores, better) in self._fields.items():
            field = result.fields.get(name)  # what took too long has none
            score = None if field is None else field.outcome.value
            found[name] = self.least if score is None else self._mapped(score, scores, better)
        return found

    def _of_failure(self, status: Status, score: float | None) -> float | None:
        stated: Failed = getattr(self.rules, status)
        if stated == "skip":
            return None
        if stated is not None:
            return stated
        return None if score is None else self._mapped(score, self._scores, self._better)

    def _mapped(self, score: float, scores: ScoreRange, better: Better) -> float:
        share = scores.share(score)
        return self.scale.nearest(self.scale.at(1.0 - share if better == "lower" else share))
