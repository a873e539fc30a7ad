"""Runs of other forms that are stopped at any point go on, and leave the bytes of one that nothing disturbed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forked import Nursery, nursery
from tests.unit.engine.road.test_going_on import PROGRAM, check_killed, write_files

WIDE = PROGRAM.replace(
    "from scoring.api import sources\n",
    "from scoring.api import sources\n"
    "from scoring.extensions.wide import verbs as wide\nwide._LEAST, wide.SIZE = 2000, 4000\n",
)
WAYS: dict[str, list[str]] = {
    "parquet": ["task.json", "data.jsonl", "--scores", "parquet"],
    "sums": ["one.json", "data.jsonl", "--state", "sums"],
    "a suite": ["suite.json", "suite"],
    "parts": ["task.json", "data.jsonl", "--parts", "parts"],
}


@pytest.fixture(scope="module")
def begun() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_killed_at_any_step_ends_with_the_bytes_of_one_that_is_not(
    begun: Nursery, tmp_path: Path, way: str
) -> None:
    check_killed(begun, write_files(tmp_path), WAYS[way], way, WIDE)
