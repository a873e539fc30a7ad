"""Phoenix: a task as an evaluator of ``phoenix.evals``."""

from __future__ import annotations

from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def phoenix(spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values") -> Any:
    """Return a task as an evaluator for ``evaluate_dataframe`` and ``run_experiment``.

    It reads the columns ``output`` and ``expected``, and ``input`` if it is there; rename others by
    ``bind_evaluator``. Where there is no score, ``score`` is None, ``label`` the status and ``explanation`` the reason.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the scores; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when arize-phoenix-evals is not installed.
    """
    evals = require("scoring.platforms.phoenix", "phoenix.evals", "arize-phoenix-evals>=2")
    scorer = FeedbackScorer.of(spec, name, references_as)
    direction = {"higher": "maximize", "lower": "minimize"}.get(str(scorer.task.better), "neutral")

    def score(output: Any = None, expected: Any = None, input: Any = None) -> Any:
        found = scorer.feedback(output, expected, input)
        return evals.Score(
            score=found["value"], label=found["status"], explanation=found["reason"], metadata=dict(found)
        )

    return evals.create_evaluator(name=scorer.name, kind="code", direction=direction)(score)
