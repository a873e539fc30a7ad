"""Metrics of answers keep what fields compare, and others do not."""

from __future__ import annotations

import pytest

import scoring
from scoring.engine.road.run import reads_records


def test_only_metrics_of_answers_keep_what_fields_compare() -> None:
    metrics = ["mean", "quantile(q=0.5)", "f1", 'f1(prediction="response", reference="reference")']
    found = scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": metrics}).metrics
    assert [metric.reads_compared for metric in found] == [False, False, True, False]


@pytest.mark.parametrize(("metric", "expected"), [('f1(prediction="answer", reference="gold")', True)])
def test_records_are_kept_for_metrics_of_labels(metric: str, expected: bool) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": [metric]})
    assert reads_records(task) is expected
