"""Tasks of shipped packs and of other tools travel between processes."""

from __future__ import annotations

import pytest

import scoring


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("specs/mmesgbench/task.yaml", None),
        ("specs/examples/suite/tasks/weekday/metrics.json", None),
        ("specs/examples/suite/tasks/weekday/metrics.json", "megabench-upstream"),
    ],
)
def test_shipped_packs_and_files_of_other_tools_travel(name: str, dialect: str | None) -> None:
    task = scoring.load(name, dialect=dialect)
    assert scoring.Task.from_bytes(task.to_bytes()).signature == task.signature
