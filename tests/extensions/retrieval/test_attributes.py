"""Metrics of ranked lists know the names that a task declares, and are tried before a record is read."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.compiler.test_attributes import check_finding_of_metric


def test_metrics_know_the_declared_names() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "score": "equal",
        "record": {"response": "out.text", "pages": "out.pages", "later": "out.pages[1:]"},
        "metrics": ["generalised_f1", 'hit_at_k(k=1, retrieved="pages")', "mrr(retrieved=record.later)"],
    }
    records = [
        {"id": 1, "out": {"text": "Not answerable", "pages": [7, 8]}, "reference": "Not answerable", "relevant": [7]},
        {"id": 2, "out": {"text": "b", "pages": [9, 7]}, "reference": "b", "relevant": [7]},
    ]
    assert list(scoring.load(spec).evaluate(records).metrics.values()) == [1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("metric", "finding", "place"), [('mrr(retrieved="pages[")', "bad-path", 'mrr(retrieved="pages[")')]
)
def test_metrics_of_lists_are_tried_before_a_record_is_read(metric: str, finding: str, place: str) -> None:
    check_finding_of_metric(metric, finding, place)
