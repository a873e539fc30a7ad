"""Braintrust: a task as a scorer of ``Eval``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def braintrust(
    spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values"
) -> Callable[..., Any]:
    """Return a task as a scorer for ``Eval(…, scores=[…])``.

    A score of None is a skipped one to Braintrust; status and reason are in the metadata of the scorer's span. A task
    with ``pass:`` also gives ``NAME.passed``, as 1 or 0.

    Args:
        spec: The task, or the path or content of its spec; its scores have to lie in 0 to 1.
        name: The name of the score; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when scores of the task may lie outside of 0 to 1.
    """
    scorer = FeedbackScorer.of(spec, name, references_as, shares_of="Braintrust")

    async def score(input: Any, output: Any, expected: Any = None, **_: Any) -> Any:
        found = await scorer.feedback_later(output, expected, input)
        given = {"name": scorer.name, "score": found["value"], "metadata": dict(found)}
        if found["passed"] is None:
            return given
        return [given, {"name": f"{scorer.name}.passed", "score": float(found["passed"]), "metadata": {}}]

    score.__name__ = scorer.name
    return score
