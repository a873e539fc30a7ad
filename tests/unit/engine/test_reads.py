"""Metrics that declare to read scores alone do so; records are kept in memory for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import scoring
from scoring.engine.road.run import reads_records
from scoring.registry import registry
from scoring.registry.model import Primitive
from scoring.statistics.rows import Rows

METRICS = [one for one in registry if one.kind == "metric"]
OF_SCORES = [one for one in METRICS if one.reads == "scores"]


class _Closed(Sequence[Mapping[str, Any]]):
    """Records that nobody may look at."""

    def __len__(self) -> int:
        raise AssertionError("the records were looked at")

    def __getitem__(self, place: Any) -> Any:
        raise AssertionError("the records were looked at")


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda one: one.name)
def test_what_declares_to_read_scores_reads_nothing_else(metric: Primitive) -> None:
    plain = Rows.of_scores([1.0, 0.5, None, 0.25], passed=[True, False, None, True], weights=[1.0, 2.0, 1.0, 1.0])
    closed = Rows(plain.ids, plain.scores, plain.statuses, plain.weights, plain.passed, records=_Closed())
    assert metric.function(closed).value() == metric.function(plain).value()


def test_the_usual_metrics_declare_it() -> None:
    usual = {"mean", "weighted_mean", "pass_rate", "accuracy", "coverage", "quantile"}
    assert usual == {one.name for one in OF_SCORES if one.function.__module__.startswith("scoring.metrics.")}


@pytest.mark.parametrize(("metric", "expected"), [("mean", False), ("weighted_mean", False)])
def test_records_are_kept_for_metrics_that_read_them(metric: str, expected: bool) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": [metric]})
    assert reads_records(task) is expected
