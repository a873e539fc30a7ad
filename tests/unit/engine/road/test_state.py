"""What a summary is made of adds up: however the records are parted, every figure is the same to the bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scoring
from scoring.engine.road import run as road
from scoring.engine.road.summary import RunState

SPEC: dict[str, Any] = {
    "kind": "task",
    "name": "t",
    "record": {"weight": "weight"},
    "fields": {"same": "casefold | equal", "near": "casefold | levenshtein", "few": "equal"},
    "pass": "near > 0.5",
    "metrics": ["mean", "weighted_mean", "pass_rate", "mean(field='few')", "quantile(q=0.3)"],
    "by": ["kind", "kind x tags"],
}
RECORD = st.fixed_dictionaries(
    {
        "id": st.integers(0, 50),
        "response": st.sampled_from(["Paris", "paris", "12", "Rom", None, ""]),
        "reference": st.sampled_from(["Paris", "12", "Rome", None]),
        "kind": st.sampled_from(["a", "b", None, 1, True]),
        "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2),
        "weight": st.sampled_from([1, 2.5, 0.1, "heavy"]),
    }
)


def summary(spec: Mapping[str, Any], records: list[Any], **how: Any) -> str:
    return json.dumps(scoring.evaluate(spec, records, **how).to_json())


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda size: monkeypatch.setattr(road, "TOGETHER", size)


@pytest.mark.property
@pytest.mark.parametrize("cluster", [None, "kind"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(records=st.lists(RECORD, min_size=1, max_size=40), size=st.integers(1, 9))
def test_parts_give_the_summary_of_the_whole(
    in_parts: Callable[[int], None], cluster: str | None, records: list[Any], size: int
) -> None:
    parts_give_the_whole(SPEC, in_parts, cluster, records, size)


def parts_give_the_whole(
    given: Mapping[str, Any], in_parts: Callable[[int], None], cluster: str | None, records: list[Any], size: int
) -> None:
    """Hold that a spec gives the same summary for records in stretches of a size."""
    spec = given if cluster is None else {**given, "intervals": {"cluster": cluster}}
    in_parts(10_000)
    whole = summary(spec, records)
    in_parts(size)
    assert summary(spec, records, batch_size=size) == whole


def test_a_run_that_keeps_no_records_has_the_same_summary() -> None:
    records = [
        {"id": n, "response": str(n % 3), "reference": "1", "kind": n % 2, "weight": 1, "tags": []} for n in range(50)
    ]
    found = scoring.evaluate(SPEC, records, keep_values=False, keep_records=False)
    assert found.to_json() == scoring.evaluate(SPEC, records).to_json()
    assert not found.table()


def test_the_state_is_updated_whenever_enough_records_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given 20 records by threes, then the state is updated after every 3 batches, since 7 records are needed."""
    of, seen = RunState.of, list[int]()

    def counted(task: Any, results: Any, *rest: Any) -> Any:
        seen.append(len(results))
        return of(task, results, *rest)

    monkeypatch.setattr(road, "TOGETHER", 7)
    monkeypatch.setattr(RunState, "of", counted)
    records = [{"id": n, "response": "1", "reference": "1", "kind": 1, "weight": 1, "tags": []} for n in range(20)]
    scoring.evaluate(SPEC, records, batch_size=3)
    assert seen == [9, 9, 2]
