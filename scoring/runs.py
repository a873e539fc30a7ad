"""The public names for finished runs: verify, compare, bundle and merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.comparison.verbs import Leaderboard as Leaderboard
    from scoring.extensions.comparison.verbs import NotComparable as NotComparable
    from scoring.extensions.comparison.verbs import RunComparison as RunComparison
    from scoring.extensions.hosts.columns import Columns as Columns
    from scoring.extensions.hosts.exports.exporting import Exported as Exported
    from scoring.extensions.hosts.exports.exporting import export as export
    from scoring.extensions.hosts.totals import Totals as Totals
    from scoring.extensions.verification.verbs import RunBundle as RunBundle
    from scoring.extensions.verification.verbs import RunVerification as RunVerification
    from scoring.extensions.verification.verbs import bundle as bundle
    from scoring.extensions.verification.verbs import verify as verify
    from scoring.extensions.wide.verbs import merge as merge

__all__, __getattr__, __dir__ = room("runs")
