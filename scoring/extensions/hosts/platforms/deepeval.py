"""DeepEval: a task as a metric of ``evaluate`` and ``assert_test``."""

from __future__ import annotations

from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.extensions.hosts.platforms.feedback import Feedback, FeedbackScorer


def deepeval(
    spec: SpecSource | Task, *, name: str | None = None, threshold: float = 0.5, references_as: ReferencesAs = "values"
) -> Any:
    """Return a task as a metric for ``evaluate(test_cases, metrics=[…])`` and ``assert_test``.

    A test case succeeds as the task's ``pass:`` says, or by the threshold where the task has none. An answer that did
    not parse, or could not be scored, is an error with its reason; one that is not applicable is skipped.

    Args:
        spec: The task, or the path or content of its spec.
        name: The name of the metric; by default the last part of the task's name.
        threshold: The least score of a test case that succeeds, for tasks without ``pass:``.
        references_as: ``json`` if the references are given as JSON texts; DeepEval holds nothing but texts.

    Raises:
        InputError: when deepeval is not installed.
    """
    base: Any = require("scoring.platforms.deepeval", "deepeval.metrics", "deepeval").BaseMetric

    class SpecMetric(base):  # type: ignore[misc]
        def __init__(self, scorer: FeedbackScorer, threshold: float) -> None:  # DeepEval makes copies from these
            self.scorer, self.threshold = scorer, threshold

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            return self._settle(self.scorer.feedback(*_parts(test_case)))

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            return self._settle(await self.scorer.feedback_later(*_parts(test_case)))

        def _settle(self, found: Feedback) -> float | None:
            status, passed = found["status"], found["passed"]
            self.score, self.reason, self.score_breakdown = found["value"], found["reason"], found["fields"]
            self.skipped = status == "not_applicable"
            self.error = f"{status}: {found['reason']}" if self.score is None and not self.skipped else None
            reached = self.score is not None and self.score >= self.threshold
            self.success = None if self.skipped else reached if passed is None else passed
            self.feedback = found
            return self.score

        def is_successful(self) -> bool | None:
            return self.success

        @property
        def __name__(self) -> str:
            return self.scorer.name

    return SpecMetric(FeedbackScorer.of(spec, name, references_as), threshold)


def _parts(test_case: Any) -> tuple[Any, Any, Any]:
    more = {key: getattr(test_case, key, None) for key in ("input", "context", "retrieval_context", "metadata")}
    return test_case.actual_output, test_case.expected_output, {**(test_case.metadata or {}), **more}
