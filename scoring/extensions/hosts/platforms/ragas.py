"""Ragas: a task as a metric of ``ragas.evaluate`` and of experiments."""

from __future__ import annotations

from math import nan
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import Feedback, FeedbackScorer


def ragas(spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values") -> Any:
    """Return a task as a metric for ``ragas.evaluate(dataset, metrics=[…])``, of samples of one turn or of several.

    Ragas holds numbers alone: an answer without a score is NaN, which its means leave out. In experiments, ``await
    metric.ascore(response=…, reference=…)`` returns a ``MetricResult`` that has the reason, and the feedback as its
    traces.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the metric; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts; Ragas holds nothing but texts.

    Raises:
        InputError: when ragas is not installed.
    """
    base = require("scoring.platforms.ragas", "ragas.metrics.base", "ragas>=0.3")
    result = require("scoring.platforms.ragas", "ragas.metrics.result", "ragas>=0.3")
    single: Any = base.SingleTurnMetric
    several: Any = base.MultiTurnMetric
    scorer = FeedbackScorer.of(spec, name, references_as)

    class SpecMetric(single, several):  # type: ignore[misc]
        def init(self, run_config: Any) -> None:
            """Do nothing: there is no model to set up."""

        async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:
            return _number(await scorer.feedback_later(sample.response, sample.reference, sample.model_dump()))

        async def _multi_turn_ascore(self, sample: Any, callbacks: Any) -> float:
            return _number(await scorer.feedback_later(sample.user_input, sample.reference, sample.model_dump()))

        async def ascore(self, **columns: Any) -> Any:
            """Return the score of the columns ``response`` and ``reference``, with its reason."""
            found = await scorer.feedback_later(columns.get("response"), columns.get("reference"), columns)
            return result.MetricResult(found["value"], reason=found["reason"], traces={"output": dict(found)})

    return SpecMetric(name=scorer.name)


def _number(found: Feedback) -> float:
    return nan if found["value"] is None else found["value"]
