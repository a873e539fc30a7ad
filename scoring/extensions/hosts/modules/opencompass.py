"""An evaluator of OpenCompass that scores by a spec, as configurations name it:

    eval_cfg = dict(evaluator=dict(type="scoring.extensions.hosts.modules.opencompass.SpecEvaluator", spec="x.yaml"))

Source:
    OpenCompass 0.5.4, opencompass/tasks/openicl_eval.py, `_evaluate_predictions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.result import MISSING


class SpecEvaluator:
    """What OpenCompass makes for a data set, and asks for the figures of all its predictions.

    It has what OpenCompass calls, and no base class: `BaseEvaluator` would average the figures of several runs.

    Args:
        spec: The path or the name of the task, its content, or a loaded one.
        references_as: ``json`` if the column of references holds JSON texts, since a column has one type.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.
    """

    def __init__(
        self, spec: SpecSource | Task, references_as: ReferencesAs = "values", seed: int | None = None
    ) -> None:
        self.host, self.references_as = HostTask(given_task(spec, seed)), references_as

    def evaluate(self, k: Any, n: int, original_dataset: Any, **columns: Any) -> dict[str, Any]:
        """Score the predictions of all `n` runs together; `k` is of metrics that OpenCompass computes itself."""
        return self.score(**columns)

    def score(
        self, predictions: Sequence[Any], references: Sequence[Any] | None, test_set: Sequence[Any]
    ) -> dict[str, Any]:
        """Return the figures by name, and under ``details`` what is known of each sample.

        Args:
            predictions: The model's responses.
            references: The references; None if the data set states no column for them.
            test_set: The rows of the data set, of which the spec's paths are read.
        """
        found = [None] * len(predictions) if references is None else list(references)
        samples = []
        for said, reference, row in zip(predictions, found, test_set, strict=True):
            record = dict(row)
            given = self.host.reference_in(record) if reference is None else reference
            given = MISSING if given is None else given
            samples.append(self.host.sample(said, given, record, self.references_as))
        return {**self.host.all_figures(samples), "details": [dict(one) for one in samples]}
