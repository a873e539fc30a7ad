"""A spec scores what EvalScope hands to a metric; its signatures are held by stand-ins."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from scoring.errors import InputError
from scoring.extensions.hosts.modules.evalscope import AGGREGATION, NAME, spec_entry
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case


class _Unavailable(RuntimeError):
    pass


class _Metric:
    def __call__(self, prediction: Any, reference: Any) -> Any:
        return self.apply([prediction], [reference])[0]  # type: ignore[attr-defined]


class _Mean:
    def agg_func(self, values: list[float]) -> float:
        return sum(values) / len(values)


class _Registry(dict[str, Any]):
    def is_registered(self, name: str) -> bool:
        return name in self


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> _Registry:
    found = _Registry()
    metrics: Any = ModuleType("evalscope.api.metric.metric")
    metrics.Metric, metrics.MetricUnavailableError = _Metric, _Unavailable
    names: Any = ModuleType("evalscope.api.registry")
    names.METRIC_REGISTRY = found
    names.register_metric = names.register_aggregation = lambda name: lambda kind: found.setdefault(name, kind)
    aggregators: Any = ModuleType("evalscope.metrics.aggregators.aggregators")
    aggregators.Mean = _Mean
    packages = ("evalscope", "evalscope.api", "evalscope.api.metric", "evalscope.metrics")
    for name in (*packages, "evalscope.metrics.aggregators"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "evalscope.metrics.aggregators.aggregators", aggregators)
    monkeypatch.setitem(sys.modules, "evalscope.api.metric.metric", metrics)
    monkeypatch.setitem(sys.modules, "evalscope.api.registry", names)
    return found


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path, registry: _Registry) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    entry = spec_entry(case.spec, references_as="json")
    found: list[float | None] = []
    reasons: list[str] = []
    with case.replaying():
        for one, row in zip(case.records, rows_of(case), strict=True):
            metric = registry[NAME](**entry[NAME])
            values = () if row["answer"] is None else (row["answer"],)
            try:
                found.append(metric(one.response, metric.prepare_reference(SimpleNamespace(values=values))))
            except _Unavailable as error:
                reasons.append(str(error))
                found.append(None)
    assert all(one.startswith("unscored: ") for one in reasons)
    kept = [value for value in found if value is not None]
    case.check(found, registry[AGGREGATION]().agg_func(kept))


def test_without_evalscope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evalscope", None)
    with pytest.raises(InputError, match="pip install 'evalscope'"):
        spec_entry(host_case("landmark", tmp_path).spec)
