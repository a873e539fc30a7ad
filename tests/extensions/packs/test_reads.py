"""What metrics of packs read."""

from __future__ import annotations

import pytest

import scoring
from scoring.engine.road.run import reads_records
from tests.unit.engine.test_reads import OF_SCORES


@pytest.mark.parametrize(("metric", "expected"), [("megabench_upstream/task_mean", False)])
def test_records_are_kept_for_metrics_of_packs_that_read_them(metric: str, expected: bool) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": [metric]})
    assert reads_records(task) is expected


def test_the_mean_of_a_task_declares_it() -> None:
    of_packs = {one.name for one in OF_SCORES if one.function.__module__.startswith("scoring.packs.")}
    assert of_packs == {"megabench_upstream/task_mean"}
