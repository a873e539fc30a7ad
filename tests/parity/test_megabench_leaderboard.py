"""From task results and task attributes a suite computes every figure of the published leaderboard files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scoring.data.rows.report import InputReport
from scoring.extensions.suites.results import read_results
from scoring.extensions.suites.run import recompute
from scoring.packs.megabench.leaderboard import leaderboard_statistics
from tests.extensions.suites.world import compiled
from tests.support.golden import REPOSITORY, require_golden

MODELS = ("Gemini-2.0-1206", "Gemini_2_5_pro_exp_03_25", "Qwen2_VL_7B")
FIGURES = 118
TOLERANCE = 1e-9


def published(model: str) -> dict[str, Any]:
    """The published figures; one of the files holds its summary inside a second one."""
    path = require_golden(f"megabench/leaderboard/{model}/summary_and_keyword_stats.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if set(found["model_summary"]) == {"model_summary"}:
        found["model_summary"] = found["model_summary"]["model_summary"]
    return found


def computed(model: str) -> dict[str, Any]:
    """The same figures from the task results, through the shipped suite."""
    folder = require_golden("megabench/leaderboard")
    suite = compiled(
        REPOSITORY / "specs" / "megabench-suite" / "suite.yaml",
        attributes=folder / "all_task_meta.json",
        results=folder / model / "task_results.json",
    )
    assert suite.results is not None
    report = InputReport()
    done = recompute(suite, read_results(suite.results, report), report)
    assert done.summary["inputs"] == {}
    return leaderboard_statistics(done.summary)


def figures(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float]]:
    """Every number with its place."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from figures(value, f"{path}/{key}")
        elif isinstance(value, list):
            assert value == [], f"{path}/{key}"
        else:
            yield f"{path}/{key}", value


@pytest.mark.parametrize("model", MODELS)
def test_every_published_figure(model: str) -> None:
    ours, theirs = dict(figures(computed(model))), dict(figures(published(model)))
    assert len(theirs) == FIGURES
    assert ours.keys() == theirs.keys()
    assert {place for place in theirs if abs(ours[place] - theirs[place]) > TOLERANCE} == set()
