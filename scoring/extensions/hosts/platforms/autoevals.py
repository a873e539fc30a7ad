"""autoevals: a task as a ``Scorer``."""

from __future__ import annotations

from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import FeedbackScorer


def autoevals(spec: SpecSource | Task, *, name: str | None = None, references_as: ReferencesAs = "values") -> Any:
    """Return a task as a scorer of autoevals: call it, or its `eval` or `eval_async`, with ``output`` and ``expected``.

    Args:
        spec: The task, or the path or content of its spec; its scores have to lie in 0 to 1.
        name: The name of the score; by default the last part of the task's name.
        references_as: ``json`` if the references are given as JSON texts.

    Raises:
        InputError: when autoevals is not installed, or scores of the task may lie outside of 0 to 1.
    """
    package = require("scoring.platforms.autoevals", "autoevals", "autoevals")
    base: Any = package.score.Scorer
    scorer = FeedbackScorer.of(spec, name, references_as, shares_of="autoevals")

    class SpecScorer(base):  # type: ignore[misc]
        def _name(self) -> str:
            return scorer.name

        def _run_eval_sync(self, output: Any, expected: Any = None, **kwargs: Any) -> Any:
            found = scorer.feedback(output, expected, kwargs.get("input"))
            return package.Score(name=scorer.name, score=found["value"], metadata=dict(found))

        async def _run_eval_async(self, output: Any, expected: Any = None, **kwargs: Any) -> Any:
            found = await scorer.feedback_later(output, expected, kwargs.get("input"))
            return package.Score(name=scorer.name, score=found["value"], metadata=dict(found))

    return SpecScorer()
