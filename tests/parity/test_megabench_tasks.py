"""The 505 real task configurations: each compiles in both dialects, and gives its own reference the best score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from scoring.extensions.suites.model import Suite
from scoring.result import RecordResult
from tests.extensions.suites.world import compiled
from tests.support.golden import REPOSITORY, decode, read_jsonl, require_golden

TASKS = 505
DIALECTS = ("megabench", "megabench-upstream")
NO_JUDGE = "no judge is configured"

# Tasks whose printed example does not score 1 in `megabench@1`, and why.
OTHER_QUERY = "the printed program solves another query than the printed test cases"
LISTED = {
    "code_programming_extremely_hard": OTHER_QUERY,
    "code_programming_test_advanced": OTHER_QUERY,
    "code_programming_test_easy": OTHER_QUERY,
    "code_programming_test_hard": OTHER_QUERY,
    "code_translation_advanced": OTHER_QUERY,
    "code_translation_easy": OTHER_QUERY,
    "code_translation_hard": OTHER_QUERY,
}


@pytest.fixture(autouse=True)
def _no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCORING_JUDGE_URL", "SCORING_JUDGE_MODEL"):
        monkeypatch.delenv(name, raising=False)


@cache
def rows() -> dict[str, dict[str, Any]]:
    found = {row["task_name"]: row for row in read_jsonl(require_golden("megabench/tasks.jsonl"))}
    assert len(found) == TASKS
    return found


@cache
def suite(dialect: str) -> Suite:
    path = REPOSITORY / "specs" / f"{dialect}-suite" / "suite.yaml"
    return compiled(path, tasks=require_golden("megabench/tasks.jsonl"))


@cache
def results(dialect: str) -> dict[str, RecordResult]:
    """The result of each task's printed answer against its printed reference."""
    found = {}
    for task in suite(dialect).tasks:
        oracle = rows()[task.name]["oracle"]
        if oracle["response"] is None:
            continue
        record = {"id": 1, "response": decode(oracle["response"]), "reference": decode(oracle["reference"])}
        found[task.name] = task.compiled.score({**task.shared, **record})
    return found


def scored_by_rules(dialect: str) -> Iterator[tuple[str, RecordResult, dict[str, Any]]]:
    for name, result in results(dialect).items():
        oracle = rows()[name]["oracle"]
        if oracle["query_score"] is not None:
            yield name, result, oracle


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_task_compiles(dialect: str) -> None:
    made = suite(dialect)
    assert [task.name for task in made.tasks] == list(rows())
    assert Counter(task.attributes["eval_type"] for task in made.tasks) == {"rule": 440, "llm": 65}
    # One file weighs a field whose metric it does not print.
    assert [warning.message for warning in made.warnings] == ["there is no field `proximity` to weigh"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_task_without_a_judge_is_unscored_and_says_so(dialect: str) -> None:
    judged = {task.name for task in suite(dialect).tasks if task.attributes["eval_type"] == "llm"}
    seen = {name: result for name, result in results(dialect).items() if name in judged}
    assert len(seen) == 61  # the other four print no example
    for result in seen.values():
        assert (result.status, result.score) == ("unscored", None)
        assert NO_JUDGE in (result.outcome.reason or "")


def test_the_printed_answers_score_as_released() -> None:
    compared = 0
    for name, result, oracle in scored_by_rules("megabench-upstream"):
        compared += 1
        assert result.score == pytest.approx(oracle["query_score"], abs=1e-9), name
        for field, score in oracle["fields"].items():
            assert result.fields[field].score == pytest.approx(score, abs=1e-9), (name, field)
    assert compared == 422


def test_a_reference_is_its_own_best_answer_or_listed() -> None:
    found = list(scored_by_rules("megabench"))
    assert len(found) == 422
    assert {name for name, result, _ in found if result.score != pytest.approx(1.0, abs=1e-9)} == set(LISTED)


def test_what_the_oracle_leaves_out() -> None:
    """18 tasks print no answer, 65 need a judge: with the 422 that makes 505."""
    without = {name for name, row in rows().items() if row["oracle"]["query_score"] is None}
    judged = {task.name for task in suite("megabench").tasks if task.attributes["eval_type"] == "llm"}
    assert len(without & judged) == 65
    unanswered = without - judged
    assert len(unanswered) == 18
    for name in unanswered:
        assert set(rows()[name]["metrics"]["field_score_function"].values()) == {"constrained_generation"}
        assert rows()[name]["oracle"]["response"] is None
