"""The items of a record are the cases of a program."""

from __future__ import annotations

import shutil

import pytest

from tests.primitives.test_each import record, task_of


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_the_cases_of_a_program_may_be_items() -> None:
    task = task_of("each(over=record.rules, score=run_tests(cases=item), join=mean)")
    cases = [{"input": "1", "expected": "2"}, {"input": "2", "expected": "5"}, {"input": "x", "expected": "7"}]
    found = task.score(record(cases, "print(int(input()) * 2)")).fields["answer"].outcome
    assert found.value == pytest.approx(1 / 3)
    assert (found.reason or "").startswith("case 1: the output differs; case 1: it ended with an error")
