"""The census of the items of ranked lists."""

from __future__ import annotations

from tests.unit.engine.road.test_census import check_told, task


def test_what_cannot_be_meant_is_told() -> None:
    check_told(
        "never_equal",
        1,
        task(score="equal", metrics=["recall_at_k(k=2)"]),
        lambda n: {"response": "a", "reference": "a", "retrieved": [n], "relevant": {str(n): 1}},
    )
