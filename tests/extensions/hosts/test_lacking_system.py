"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import printed, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_a_worker_scores_and_says_that_it_bounds_no_memory(folder: Path) -> None:
    program = """
with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(seconds=60) as worker:
    print([worker.score_parts(given, "a").score for given in ("a", "b", "a" * 200_000)])
try:
    with scoring.load({"kind": "task", "name": "t", "score": "equal"}).worker(memory="1GB") as worker:
        worker.score_parts("a", "a")
except scoring.InputError as error:
    print(error)
"""
    bounded = "this system bounds no memory of a process: leave `memory` out, or run it on Linux"
    assert printed(folder, program).splitlines() == ["[1.0, 0.0, 0.0]", f"the worker did not start: {bounded}"]
