"""The shipped examples of each kind of task, copied where a test may change them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.golden import REPOSITORY

KINDS = {
    "rows": ("rows/invoices.yaml", "rows/invoices.jsonl"),
    "suite": ("suite/suite.yaml", "suite/predictions.jsonl"),
    "table": ("images/task.yaml", "images/results.json"),
}
"""For each kind of task its spec and its data in a folder with the examples."""


def copy_examples(folder: Path) -> None:
    """Copy the examples into a folder."""
    specs = REPOSITORY / "specs"
    for source, name in (("quickstart", "rows"), ("examples/suite", "suite"), ("examples/detection", "images")):
        shutil.copytree(specs / source, folder / name)
