"""Weave: a task as a ``Scorer`` of evaluations."""

from __future__ import annotations

from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def weave(
    spec: SpecSource | Task,
    *,
    name: str | None = None,
    reference: str = "expected",
    references_as: ReferencesAs = "values",
) -> Any:
    """Return a task as a scorer for ``weave.Evaluation(dataset=…, scorers=[…])``.

    Each row gets the whole feedback, and the summary the mean of ``value`` and of each field over the rows that have
    one, and the count and share of ``passed``.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the scorer; by default the last part of the task's name.
        reference: The column of the data set that holds the reference.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when weave is not installed.
    """
    package = require("scoring.platforms.weave", "weave", "weave")
    base: Any = package.Scorer
    scorer = FeedbackScorer.of(spec, name, references_as)

    async def score(self: Any, output: Any, **row: Any) -> dict[str, Any]:
        found = await scorer.feedback_later(output, row.get(self.reference), row)
        return {key: value for key, value in found.items() if key != "name"}

    traced = package.op(score)

    class SpecScorer(base):  # type: ignore[misc]
        meaning: str
        reference: str
        score = traced

    return SpecScorer(name=scorer.name, meaning=scorer.meaning, reference=reference)
