"""A state of sums holds no ids."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.unit.api.test_addresses import ROWS, TASK

# As in partitions, whose names say the language.
TAGGED = [{**row, "lang": "de"} for row in ROWS]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "t.yaml"
    path.write_text(TASK)
    return path


def test_sums_hold_no_ids_in_one_process_either(task: Path, tmp_path: Path) -> None:
    rows = [*TAGGED, TAGGED[0], {**TAGGED[1], "id": 7}, {**TAGGED[1], "id": 7}]
    assert scoring.evaluate(task, rows).summary["inputs"]["repeated_ids"]["count"] == 2
    assert "repeated_ids" not in scoring.evaluate(task, rows, state="sums").summary["inputs"]
