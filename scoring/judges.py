"""The public names for judges: options for calling one, agreement between several, and cached calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.judge.judge_options import JudgeOptions as JudgeOptions
    from scoring.extensions.judge.verbs import CachedCalls as CachedCalls
    from scoring.extensions.judge.verbs import JudgeQuality as JudgeQuality
    from scoring.extensions.judge.verbs import agreement as agreement
    from scoring.extensions.judge.verbs import calibrate as calibrate
    from scoring.extensions.judge.verbs import export_calls as export_calls
    from scoring.extensions.judge.verbs import import_calls as import_calls
    from scoring.extensions.judge.verbs import list_calls as list_calls
    from scoring.extensions.judge.verbs import prune_calls as prune_calls

__all__, __getattr__, __dir__ = room("judges")
