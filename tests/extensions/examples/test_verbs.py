"""The examples of spec files are run, and each that fails is a finding."""

from __future__ import annotations

from pathlib import Path

import scoring

TASK = """
kind: task
name: t
version: 1.0.0
score: lower | equal
examples:
  - {response: A, reference: a, expect: 1.0}
"""


def test_examples_are_tried(tmp_path: Path) -> None:
    task = tmp_path / "task.yaml"
    task.write_text(TASK, encoding="utf-8")
    assert (scoring.test(task).examples, scoring.test(task).passed) == (1, True)
    task.write_text(TASK.replace("expect: 1.0", "expect: 0.25"), encoding="utf-8")
    assert [one.id for one in scoring.test([task]).findings] == ["example-failed"]
