"""The public names for finished runs: verify, repeat, compare, bundle and merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.api.comparing import Leaderboard as Leaderboard
    from scoring.api.comparing import NotComparable as NotComparable
    from scoring.api.comparing import RunComparison as RunComparison
    from scoring.api.verifying import RunBundle as RunBundle
    from scoring.api.verifying import RunVerification as RunVerification
    from scoring.api.verifying import bundle as bundle
    from scoring.api.verifying import repeat as repeat
    from scoring.api.verifying import verify as verify
    from scoring.extensions.hosts.columns import Columns as Columns
    from scoring.extensions.wide.verbs import merge as merge

__all__, __getattr__, __dir__ = room("runs")
