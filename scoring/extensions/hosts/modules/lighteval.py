"""A metric of lighteval that scores by a spec.

A task of lighteval names it among its metrics, and hands over what the spec reads in ``Doc.specific``:

    METRIC = spec_metric("invoices.yaml")
    Doc(query=row["question"], choices=[], gold_index=[], specific={"reference": row["gold"]}, task_name=task_name)

lighteval writes what is in ``specific`` into Parquet files, so references of several types are JSON texts there, and
``references_as="json"`` reads them.

Source:
    Hugging Face, lighteval 0.13.0, src/lighteval/metrics/utils/metric_utils.py and logging/info_loggers.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scoring.api.opening import SpecSource
from scoring.api.tasks import ReferencesAs, Task
from scoring.data.file_format import require
from scoring.errors import InputError
from scoring.extensions.hosts.given import given_task
from scoring.extensions.hosts.modules.host_task import RATES, HostTask, shared_rates
from scoring.result import MISSING

SAMPLES = "scoring"
"""The name of the metric whose values are the samples themselves; of them all others are made."""


class SpecScorer:
    """What lighteval calls for each sample, and for all of them in the end.

    Args:
        host: The task.
        references_as: ``json`` if references are given as JSON texts.
    """

    def __init__(self, host: HostTask, references_as: ReferencesAs) -> None:
        self.host, self.references_as = host, references_as

    def __str__(self) -> str:
        return f"{self.host.task.name} {self.host.meaning}"

    def compute(self, doc: Any, model_response: Any, **_: Any) -> dict[str, Any]:
        """Score what a model said to a document, and return the values of all metrics of the sample.

        Raises:
            InputError: for several responses to a task that takes one.
        """
        said = list(model_response.final_text) or [None]
        if len(said) > 1 and self.host.task.spec.answers == "one":
            raise InputError(
                f"{self.host.task.name} takes one answer, and here are {len(said)}: write `answers: many` in the spec"
            )
        record = dict(doc.specific or {})
        reference = self._reference(doc, record)
        samples = [self.host.sample(one, reference, record, self.references_as) for one in said]
        own = samples[0] if len(samples) == 1 else samples
        return {SAMPLES: own, **self.host.values(samples), **shared_rates(samples)}

    def figures(self, items: Sequence[Any]) -> dict[str, float]:
        """Return all figures of the samples; one that has no value is NaN, since lighteval adds them up."""
        samples = [one for item in items for one in (item if isinstance(item, list) else [item])]
        found = {SAMPLES: float(len(samples)), **self.host.all_figures(samples)}
        return {name: math.nan if value is None else float(value) for name, value in found.items()}

    def _reference(self, doc: Any, record: dict[str, Any]) -> Any:
        """Return the reference at the spec's path in the record, else at `reference`, else the document's gold."""
        found = self.host.reference_in(record)
        if found is MISSING or found is None:
            found = record.get("reference", MISSING)
        if found is not MISSING and found is not None:
            return found
        golds = doc.get_golds() if doc.choices else []
        return MISSING if not golds else golds[0] if len(golds) == 1 else golds


def spec_metric(spec: SpecSource | Task, *, references_as: ReferencesAs = "values", seed: int | None = None) -> Any:
    """Return the metric of lighteval that scores by a spec.

    Args:
        spec: The path or the name of the task, its content, or a loaded one; a path is that from the folder of the
            program.
        references_as: ``json`` if references are given as JSON texts.
        seed: The seed of the intervals, in place of the spec's, as in `scoring score --seed`.

    Raises:
        InputError: when lighteval is not installed, or the task has no samples.
        SpecError: when the spec is invalid.
    """
    name = "scoring by a spec in lighteval"
    utils = require(name, "lighteval.metrics.utils.metric_utils", "lighteval")
    scorer = SpecScorer(HostTask(given_task(spec, seed)), references_as)
    utils.SampleLevelComputation.register(SpecScorer)
    names = [SAMPLES, *(one.name for one in scorer.host.figures), *RATES]
    higher = {one.name: one.higher_is_better is not False for one in scorer.host.figures}
    return utils.SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better={**dict.fromkeys(names, False), **higher, SAMPLES: True, "coverage": True},
        category=utils.SamplingMethod.GENERATIVE,
        sample_level_fn=scorer,
        corpus_level_fn=dict.fromkeys(names, scorer.figures),
    )
