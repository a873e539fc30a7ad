"""MLflow: a task as a scorer of ``mlflow.genai.evaluate``."""

from __future__ import annotations

from json import dumps
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import Feedback, FeedbackScorer, keyed_part, keyed_response


def mlflow(
    spec: SpecSource | Task,
    *,
    name: str | None = None,
    response: str | None = None,
    reference: str | None = "expected_response",
    references_as: ReferencesAs = "values",
) -> Any:
    """Return a task as a scorer for ``mlflow.genai.evaluate(data, scorers=[…])``.

    A response without a score has the value None, with the reason as its rationale and the status in its metadata; one
    that could not be scored also has the error ``UNSCORED``. A task with ``pass:`` also gives ``NAME.passed``, whose
    mean is the share that passed among those that were decided.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the feedback; by default the last part of the task's name.
        response: The key of the response if ``outputs`` is a mapping; None if it is all of it.
        reference: The key of the reference in ``expectations``; None if it is all of them.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when mlflow is not installed.
    """
    scorers = require("scoring.platforms.mlflow", "mlflow.genai.scorers", "mlflow>=3")
    entities = require("scoring.platforms.mlflow", "mlflow.entities", "mlflow>=3")
    judged = FeedbackScorer.of(spec, name, references_as)

    def score(inputs: Any, outputs: Any, expectations: Any) -> list[Any]:
        gold = keyed_part(expectations, reference, "expectations")
        found = judged.feedback(keyed_response(outputs, response, "outputs"), gold, inputs)
        given = [_entity(entities, found)]
        if found["passed"] is not None:
            given.append(entities.Feedback(name=f"{judged.name}.passed", value=found["passed"]))
        return given

    return scorers.scorer(score, name=judged.name)


def _entity(entities: Any, found: Feedback) -> Any:
    # MLflow takes an error for a failure of the scorer, and says so: a response that did not parse is the model's.
    failed = found["value"] is None and found["status"] == "unscored"
    error = entities.AssessmentError("UNSCORED", found["reason"] or "") if failed else None
    told = {key: found[key] for key in ("status", "passed", "fields", "meaning")}
    return entities.Feedback(
        name=found["name"],
        value=found["value"],
        error=error,
        rationale=found["reason"],
        metadata={key: value if isinstance(value, str) else dumps(value) for key, value in told.items()},
    )
