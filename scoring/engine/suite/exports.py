"""A suite's summary in the layouts of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scoring.packs.megabench.leaderboard import leaderboard

# Each layout with the name of its file.
LAYOUTS: dict[str, tuple[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "megabench": ("summary_and_keyword_stats.json", leaderboard)
}


def exported(layout: str, summary: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The file name and the content of a layout."""
    name, convert = LAYOUTS[layout]
    return name, convert(summary)
