"""A metric of EvalScope that scores by a spec; a benchmark names it in its `metric_list`:

    BenchmarkMeta(name="mine", metric_list=[spec_entry("invoices.yaml")], aggregation=AGGREGATION, ...)

EvalScope hands a prediction and the target's texts to a metric. Its own aggregation `mean` adds up plain floats, so
`AGGREGATION` stands beside it, whose mean is that of `scoring score` to the bit.

Source:
    ModelScope, EvalScope 1.14.1: evalscope/api/metric/metric.py, api/benchmark/adapters/default_data_adapter.py,
    metrics/aggregators/aggregators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from scoring.api.tasks import ReferencesAs, load
from scoring.data.file_format import require
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.result import MISSING
from scoring.statistics.exact import ExactSum

NAME = "scoring_spec"
"""The name of the metric in the registry of EvalScope, and of its column."""

AGGREGATION = "scoring_mean"
"""The name of the aggregation in the registry of EvalScope: the mean of the scores, from their exact sum."""


def spec_entry(spec: str | Path, *, references_as: ReferencesAs = "values") -> dict[str, dict[str, str]]:
    """Register the metric and its aggregation with EvalScope, and return the entry of a `metric_list` for a spec.

    Args:
        spec: The path or the name of the task.
        references_as: ``json`` if targets are JSON texts.

    Raises:
        InputError: when EvalScope is not installed.
        SpecError: when the spec is invalid.
    """
    title = "scoring by a spec in EvalScope"
    metrics = require(title, "evalscope.api.metric.metric", "evalscope")
    registry = require(title, "evalscope.api.registry", "evalscope")
    aggregators = require(title, "evalscope.metrics.aggregators.aggregators", "evalscope")
    _host(str(spec))  # so that an invalid spec is reported at once
    if not registry.METRIC_REGISTRY.is_registered(NAME):
        registry.register_metric(NAME)(_metric_class(metrics))
        registry.register_aggregation(AGGREGATION)(_aggregation_class(aggregators))
    return {NAME: {"spec": str(spec), "references_as": references_as}}


@lru_cache(maxsize=16)
def _host(spec: str) -> HostTask:
    return HostTask(load(spec))


def _metric_class(metrics: Any) -> Any:
    """Return the class that EvalScope instantiates for each sample."""

    class SpecMetric(metrics.Metric):  # type: ignore[misc]  # the host's class is known at run time
        def __init__(self, spec: str, references_as: ReferencesAs = "values") -> None:
            self.host, self.references_as = _host(spec), references_as

        def prepare_reference(self, target: Any) -> Any:
            values = list(target.values)
            return MISSING if not values else values[0] if len(values) == 1 else values

        def apply(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[float]:
            return [self._score(said, reference) for said, reference in zip(predictions, references, strict=True)]

        def _score(self, said: Any, reference: Any) -> float:
            sample = self.host.sample(said, reference, {}, self.references_as)
            if sample.result.score is None:  # EvalScope leaves the sample out of the mean, and keeps the reason
                raise metrics.MetricUnavailableError(f"{sample['status']}: {sample['reason']}")
            return float(sample.result.score)

    return SpecMetric


def _aggregation_class(aggregators: Any) -> Any:
    """Return the class that EvalScope instantiates for each subset; its figures are named ``mean``, as they are."""

    class ExactMean(aggregators.Mean):  # type: ignore[misc]  # the host's class is known at run time
        def agg_func(self, values: Sequence[float]) -> float:
            return ExactSum.of(values).value / len(values)

    return ExactMean
