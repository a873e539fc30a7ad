"""What is wrong with the arguments of a verb is told in a line."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.api.test_wrong_arguments import ROWS, SPEC


def test_a_run_in_memory_is_refused() -> None:
    run = scoring.evaluate(SPEC, ROWS)
    with pytest.raises(scoring.InputError, match=r"not a `Run`: `run.write\(folder\)` makes a folder"):
        scoring.runs.verify(run)
