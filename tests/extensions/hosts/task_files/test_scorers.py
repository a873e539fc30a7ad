"""Specs made of `eval.yaml` give the scores that Inspect's own scorers gave, of which the outcomes are stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extensions.hosts.task_files.answers import (
    MATH,
    STORED,
    TASKS,
    ScorerTask,
    official_outcomes,
    write_eval_yaml,
)
from tests.extensions.hosts.task_files.scored import converted_scores, graded_scores, scores

OFFICIAL = official_outcomes()


def test_rules_score_as_inspect(tmp_path: Path) -> None:
    found = converted_scores(tmp_path, TASKS, STORED)
    wrong = {
        (task.id, case, score, official)
        for task in TASKS
        for case, score, official in zip(task.cases(STORED), found[task.id], OFFICIAL[task.id], strict=True)
        if score != official
    }
    assert not wrong


def test_grades_are_read_as_inspect_reads_them(tmp_path: Path) -> None:
    found = graded_scores(tmp_path)
    assert found == {id: OFFICIAL[id] for id in found}


def test_mathematics(tmp_path: Path) -> None:
    pytest.importorskip("sympy")
    write_eval_yaml(tmp_path, [ScorerTask("math", "math").entry])
    from scoring.cli.main import main

    assert main(["convert", str(tmp_path / "eval.yaml"), "-o", str(tmp_path / "specs/math.yaml")]) == 0
    assert scores(tmp_path, "math", MATH) == OFFICIAL["math"]
