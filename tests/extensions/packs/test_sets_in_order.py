"""A set has one order in every process, in primitives of packs too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.golden import REPOSITORY


@pytest.mark.parametrize(
    "call",
    [
        "parser('megabench_upstream/lower_items').parse(value)",
        "parser('megabench_upstream/lower_as_text').parse(value)",
        "scorer('megabench_upstream/mean_iou_in_order').score(value, value)",
        "scorer('megabench_upstream/mean_best_iou').score('t', value)",
    ],
)
def test_a_set_has_one_order_in_every_process(call: str) -> None:
    code = f"import scoring; value = {{'a', '12345', 'cat', '50%', 'b c'}}; print(scoring.{call})"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    shown = {
        subprocess.run(
            [sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "1234"
    }
    assert len(shown) == 1
