"""The command that measures growth finds its subjects among what is listed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.golden import REPOSITORY


def test_a_tiny_run_by_the_real_command(tmp_path: Path) -> None:
    lines = tmp_path / "found.jsonl"
    command = [sys.executable, "-m", "benchmarks.growth", "--only", "levenshtein", "packs", "--size", "500"]
    done = subprocess.run(
        [*command, "--json", str(lines)], capture_output=True, text=True, cwd=REPOSITORY, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert {one["group"] for one in found} == {"primitives", "packs"}
    assert all(cost["size"] <= 500 and cost["seconds"] > 0 for one in found for cost in one["growths"][0]["costs"])
