"""Hugging Face evaluate: a task as an evaluation module."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def hf_evaluate(spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values") -> Any:
    """Return a task as a module of Hugging Face evaluate, with `compute`, `add` and `add_batch`.

    What it computes has the mean of the scores that are there under the module's name, and in ``feedback`` what is
    known of each prediction. Its type is what ``evaluate.load`` looks for in a file: a file with the line ``Towns =
    type(scoring.platforms.hf_evaluate("towns.yaml"))`` can be loaded by its path.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the score; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts, as parsed references have to be: the columns
            of the module are texts, or chat messages for predictions.

    Raises:
        InputError: when evaluate or datasets is not installed.
    """
    package = require("scoring.platforms.hf_evaluate", "evaluate", "evaluate>=0.4")
    datasets = require("scoring.platforms.hf_evaluate", "datasets", "datasets")
    scorer = FeedbackScorer.of(spec, name, references_as)
    base: Any = package.Metric

    class SpecModule(base):  # type: ignore[misc]
        def _info(self) -> Any:
            text = datasets.Value("string")
            columns = [{"predictions": said, "references": text} for said in (text, [{"role": text, "content": text}])]
            about = scorer.task.spec.doc or scorer.task.name
            return package.MetricInfo(
                description=about, citation="", inputs_description="", features=list(map(datasets.Features, columns))
            )

        def _compute(self, predictions: Any, references: Any) -> dict[str, Any]:
            found = scorer.task.score_columns(list(predictions), list(references), references_as=scorer.references_as)
            scores = found.scores[~np.isnan(found.scores)]
            mean = float(np.mean(scores)) if len(scores) else None
            return {scorer.name: mean, "feedback": list(map(scorer.told, found.results))}

    return SpecModule()
