"""A run over a table of text that was killed goes on, to the bytes of one that was not."""

from __future__ import annotations

from pathlib import Path

from tests.support.forked import nursery
from tests.unit.engine.road.test_going_on import check_killed, write_files


def test_a_run_that_is_killed_at_any_step_ends_with_the_bytes_of_one_that_is_not(tmp_path: Path) -> None:
    with nursery() as begun:
        check_killed(begun, write_files(tmp_path), ["task.json", "quoted.csv"], "quoted cells")
