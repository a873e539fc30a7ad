"""A set has one order in every process, wherever it becomes a text."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.golden import REPOSITORY


def test_a_set_is_cleaned_to_one_text_in_every_process() -> None:
    code = "import scoring; print(scoring.parser('clean_answer').parse({'a': {'x y', 'z', 'b', 'c'}}))"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    shown = {
        subprocess.run(
            [sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert shown == {b"{'a': {'b', 'c', 'x y', 'z'}}\n"}
