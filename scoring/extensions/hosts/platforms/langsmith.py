"""LangSmith: a task as an evaluator of ``langsmith.evaluate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer, keyed_part, keyed_response


def langsmith(
    spec: SpecSource | Task,
    *,
    name: str | None = None,
    response: str | None = "output",
    reference: str | None = "answer",
    references_as: ReferencesAs = "values",
) -> Callable[..., dict[str, Any]]:
    """Return a task as an evaluator for ``langsmith.evaluate(target, data, evaluators=[…])``.

    Where there is no score, ``score`` is None, ``value`` the status and ``comment`` the reason. A task with ``pass:``
    also gives ``NAME.passed``.

    Args:
        spec: The task, or the path or content of its spec.
        name: The key of the feedback; by default the last part of the task's name.
        response: The key of the response in the outputs of the run; None if it is all of them.
        reference: The key of the reference in the outputs of the example; None if it is all of them.
        references_as: ``json`` if the references are given as JSON texts.
    """
    scorer = FeedbackScorer.of(spec, name, references_as)

    def score(inputs: dict[str, Any], outputs: dict[str, Any], reference_outputs: dict[str, Any]) -> dict[str, Any]:
        gold = keyed_part(reference_outputs, reference, "reference outputs")
        found = scorer.feedback(keyed_response(outputs, response, "outputs"), gold, inputs)
        given: dict[str, Any] = {
            "key": scorer.name,
            "score": found["value"],
            "comment": found["reason"],
            "metadata": dict(found),
        }
        if found["value"] is None:
            given["value"] = found["status"]
        if found["passed"] is None:
            return {"results": [given]}
        return {"results": [given, {"key": f"{scorer.name}.passed", "score": found["passed"]}]}

    score.__name__ = scorer.name
    return score
