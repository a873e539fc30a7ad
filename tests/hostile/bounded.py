"""Scoring in a process whose memory is bounded, for answers of which steps make much."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.hostile.table import MEMORY

_SCORE = "import sys\nfrom scoring.cli.main import main\nsys.exit(main(sys.argv[1:]))"


def score_in_bounded_memory(spec: Mapping[str, Any], answers: Sequence[str], folder: Path) -> None:
    """Score answers by a task's spec, and assert that all are scored; an attempt to take more memory fails."""
    (folder / "t.json").write_text(json.dumps({"kind": "task", "name": "t", **spec}))
    records = [{"id": str(at), "response": answer, "reference": "b"} for at, answer in enumerate(answers)]
    (folder / "d.jsonl").write_text("\n".join(map(json.dumps, records)))
    done = subprocess.run(
        [sys.executable, "-c", _SCORE, "score", "t.json", "d.jsonl", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY + (600 << 20),) * 2),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"]["scored"] == len(answers)
