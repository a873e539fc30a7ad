"""The page on patterns says what the constants say, and names every step that there is."""

from __future__ import annotations

import re
from pathlib import Path

import scoring.primitives.patterns.find
from scoring.primitives.patterns.prepared import LONGEST, MOST_STEPS
from scoring.primitives.patterns.syntax import MAX_DEPTH
from scoring.registry import registry

PAGE = (Path(__file__).parents[2] / "docs/patterns.md").read_text("utf-8")


def test_the_page_has_a_row_for_every_step() -> None:
    steps = {one.name for one in registry if one.family == "patterns"}
    assert steps
    assert set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)) == steps


def test_the_page_names_the_bounds() -> None:
    assert scoring.primitives.patterns.find
    for bound in (f"{MOST_STEPS // 1_000_000} million steps", f"{LONGEST:,} characters", f"groups {MAX_DEPTH} deep"):
        assert bound in PAGE
