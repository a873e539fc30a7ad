"""Langfuse: a task as an evaluator of experiments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def langfuse(
    spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values"
) -> Callable[..., Any]:
    """Return a task as an evaluator for ``langfuse.run_experiment(…, evaluators=[…])``.

    An evaluation of Langfuse always has a value. So an answer without a score has no evaluation called ``NAME``, but
    one called ``NAME.status`` in the categories of statuses, with the reason as its comment. A task with ``pass:`` also
    gives ``NAME.passed``.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the evaluations; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when langfuse is not installed.
    """
    evaluation = require("scoring.platforms.langfuse", "langfuse", "langfuse>=3").Evaluation
    scorer = FeedbackScorer.of(spec, name, references_as)

    async def score(*, input: Any, output: Any, expected_output: Any = None, **_: Any) -> list[Any]:
        found = await scorer.feedback_later(output, expected_output, input)
        told = {"comment": found["reason"], "metadata": dict(found)}
        if found["value"] is None:
            given = [evaluation(name=f"{scorer.name}.status", value=found["status"], data_type="CATEGORICAL", **told)]
        else:
            given = [evaluation(name=scorer.name, value=found["value"], **told)]
        if found["passed"] is not None:
            given.append(evaluation(name=f"{scorer.name}.passed", value=int(found["passed"]), data_type="BOOLEAN"))
        return given

    score.__name__ = scorer.name
    return score
