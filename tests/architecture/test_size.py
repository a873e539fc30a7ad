"""The core is small enough to be read: what most readers need not know is an extension, and no run loads all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.architecture.source import PACKAGE, files

MOST_LINES = 49_780
"""It only shrinks: what makes room lowers it; what does not fit is an extension, or replaces something."""

MOST_LOADED = 29_850
"""Lines of the modules that the first run of the README loads, which is about what its road from file to figure is."""

_SCORE = """
import json, sys
from scoring.cli.main import main
status = main(["score", *sys.argv[1:]])
loaded = [getattr(module, "__file__", "") for name, module in sys.modules.items() if name.split(".")[0] == "scoring"]
print(json.dumps([status, loaded]))
"""


def test_the_core_is_small_enough_to_be_read() -> None:
    core = [file for file in files() if not file.room.startswith(("extensions", "packs"))]
    lines = sum(len(file.text.splitlines()) for file in core)
    assert lines <= MOST_LINES, f"the core has {lines:,} lines; at most {MOST_LINES:,} are wanted"


def test_a_run_loads_what_it_uses() -> None:
    quickstart = PACKAGE.parent / "specs" / "quickstart"
    command = [sys.executable, "-c", _SCORE, str(quickstart / "invoices.yaml"), str(quickstart / "invoices.jsonl")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    status, loaded = json.loads(run.stdout.splitlines()[-1])
    assert status == 0
    lines = sum(len(Path(file).read_text(encoding="utf-8").splitlines()) for file in loaded)
    assert lines <= MOST_LOADED, f"`score` loads {lines:,} lines; at most {MOST_LOADED:,} are wanted"
