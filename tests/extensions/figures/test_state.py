"""What figures of labels and of samples are made of adds up, however the records are parted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.engine.road import run as road
from tests.unit.engine.road.test_state import RECORD, SPEC, parts_give_the_whole

METRICS = ["f1(prediction='response', reference='reference')", "pass_at_k(k=1, question='kind')"]


@pytest.mark.property
@pytest.mark.parametrize("cluster", [None, "kind"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=st.lists(RECORD, min_size=1, max_size=40), size=st.integers(1, 9))
def test_parts_give_the_summary_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, cluster: str | None, records: list[Any], size: int
) -> None:
    spec = {**SPEC, "metrics": METRICS}
    parts_give_the_whole(spec, lambda most: monkeypatch.setattr(road, "TOGETHER", most), cluster, records, size)
