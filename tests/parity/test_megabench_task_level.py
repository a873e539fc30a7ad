"""Whole tasks of several queries: task scores, and the means over all of them, as the released code computes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.extensions.suites.run import SuiteRun
from tests.extensions.suites.world import compiled, metrics, rows, run, scores
from tests.support.golden import REPOSITORY, require_golden

TASKS = 60


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(require_golden("megabench/task_level.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def done(golden: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    path: Path = rows(tmp_path_factory.mktemp("suite") / "tasks.jsonl", golden["tasks"])
    suite = compiled(REPOSITORY / "specs" / "megabench-upstream-suite" / "suite.yaml", tasks=path)
    return run(suite, path)


def test_every_task_score(golden: dict[str, Any], done: SuiteRun) -> None:
    wanted = {task["task_name"]: task["mean_task_score"] for task in golden["tasks"]}
    assert len(wanted) == TASKS
    assert scores(done) == pytest.approx(wanted, abs=1e-9)


def test_every_query_score(golden: dict[str, Any], done: SuiteRun) -> None:
    for task in golden["tasks"]:
        ours = [one.score if one.status == "scored" else -1 for one in done.records[task["task_name"]]]
        assert ours == pytest.approx([query["query_score"] for query in task["queries"]], abs=1e-9)


def test_the_summary(golden: dict[str, Any], done: SuiteRun) -> None:
    wanted = golden["summary"]
    core, judged = done.summary["groups"]
    for group, kind in ((core, "rule"), (judged, "llm")):
        counts = group["counts"]
        assert counts["scored"] == wanted["num_tasks_evaluated"][kind]
        assert counts["unscored"] == wanted["num_tasks_unevaluated"][kind]
        assert counts["records"] == wanted["num_samples_all"][kind]
        assert counts["records_of_scored"] == wanted["num_queries_evaluated"][kind]
        # Where there is no task the released code prints 0, and we print no figure.
        macro, micro = (metric["value"] for metric in group["metrics"])
        assert (macro or 0) == pytest.approx(wanted["macro_mean_score"][kind], abs=1e-9)
        assert (micro or 0) == pytest.approx(wanted["micro_mean_score"][kind], abs=1e-9)
    assert metrics(done)["macro"] == pytest.approx(wanted["overall_macro_mean_score"], abs=1e-9)
    assert metrics(done)["micro"] == pytest.approx(wanted["overall_micro_mean_score"], abs=1e-9)
