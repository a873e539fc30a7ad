"""The core is small enough to be read: what most readers need not know is an extension."""

from __future__ import annotations

from tests.architecture.source import files

MOST_LINES = 51_527
"""It only shrinks: what makes room lowers it; what does not fit is an extension, or replaces something."""


def test_the_core_is_small_enough_to_be_read() -> None:
    core = [file for file in files() if not file.room.startswith(("extensions", "packs"))]
    lines = sum(len(file.text.splitlines()) for file in core)
    assert lines <= MOST_LINES, f"the core has {lines:,} lines; at most {MOST_LINES:,} are wanted"
