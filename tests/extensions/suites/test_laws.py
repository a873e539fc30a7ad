"""Laws of a suite's figures, for any results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.results import TaskResult
from scoring.extensions.suites.run import recompute
from tests.extensions.suites.world import compiled

unit = st.integers(0, 1000).map(lambda number: number / 1000)
KINDS = ("x", "y", "z")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    path: Path = tmp_path_factory.mktemp("laws") / "suite.json"
    groups = {kind: {"kind": kind} for kind in KINDS}
    path.write_text(json.dumps({"kind": "suite", "name": "laws", "groups": groups, "by": ["kind", "many[]"]}))
    return compiled(path, results=path)


@st.composite
def results(draw: st.DrawFn) -> list[TaskResult]:
    """Some tasks, with and without a score."""
    size = draw(st.integers(1, 12))
    return [
        TaskResult(
            f"task {number}",
            draw(st.none() | unit),
            draw(st.integers(1, 40)),
            draw(st.integers(0, 2)),
            attributes={"kind": draw(st.sampled_from(KINDS)), "many": draw(st.lists(st.sampled_from(KINDS)))},
        )
        for number in range(size)
    ]


def value(figures: Any, place: int) -> float | None:
    found: float | None = figures["metrics"][place]["value"]
    return found


@pytest.mark.property
@settings(max_examples=60)
@given(found=results(), data=st.data())
def test_the_order_of_the_results_changes_no_bit(suite: Suite, found: list[TaskResult], data: st.DataObject) -> None:
    assert recompute(suite, data.draw(st.permutations(found))).summary == recompute(suite, found).summary


@pytest.mark.property
@settings(max_examples=60)
@given(found=results())
def test_groups_that_split_the_tasks_make_up_the_whole(suite: Suite, found: list[TaskResult]) -> None:
    summary = recompute(suite, found).summary
    for parts in (summary["groups"], summary["by"]["kind"]):
        for count in summary["counts"]:
            assert sum(part["counts"][count] for part in parts) == summary["counts"][count]
        for place, weight in ((0, "scored"), (1, "records_of_scored")):
            sums = sum((value(part, place) or 0.0) * part["counts"][weight] for part in parts)
            whole = value(summary, place)
            assert whole == (pytest.approx(sums / summary["counts"][weight]) if summary["counts"]["scored"] else None)


@pytest.mark.property
@settings(max_examples=60)
@given(found=results())
def test_a_task_counts_once_in_each_of_its_groups(suite: Suite, found: list[TaskResult]) -> None:
    parts = recompute(suite, found).summary["by"]["many[]"]
    counted = {part["group"]: part["counts"]["tasks"] for part in parts}
    assert counted == {
        kind: number for kind in KINDS if (number := sum(1 for result in found if kind in result.attributes["many"]))
    }


@pytest.mark.property
@settings(max_examples=60)
@given(found=results())
def test_bounds_hold_whatever_the_missing_scores_are(suite: Suite, found: list[TaskResult]) -> None:
    summary = recompute(suite, found).summary
    for metric in summary["metrics"]:
        if metric["bounds"] is None:
            assert metric["value"] is None or summary["counts"]["unscored"] == 0
            continue
        low, high = metric["bounds"]
        assert low <= high
        assert metric["value"] is None or low - 1e-12 <= metric["value"] <= high + 1e-12
