"""Every verb of the language from Python, in the words of the command line; each is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.api.auditing import AuditReport, audit
    from scoring.api.comparing import NotComparable, RunComparison, RunVerification, compare, verify
    from scoring.api.definitions import Parser, Scorer, parser, scorer
    from scoring.api.dialects import ScorersCompared, compare_dialects
    from scoring.api.explaining import Explained, explain
    from scoring.api.generating import stale
    from scoring.api.judge_cache import CachedCalls, export_calls, import_calls, list_calls, prune_calls
    from scoring.api.judges import JudgeOptions, JudgeQuality, agreement, calibrate
    from scoring.api.listing import Listing, dialects, listing
    from scoring.api.opening import Opened, open_spec
    from scoring.api.run import Run
    from scoring.api.specs import Change, Checked, check, check_file, convert, fmt, lock, new, spec_files, test
    from scoring.api.tasks import Task, evaluate, load, score
    from scoring.data.rows.row import InputError
    from scoring.data.strict_json import dumps_pretty
    from scoring.engine.runs.read import StoredRun, read_run
    from scoring.engine.runs.versions import scoring_version

_HOMES = {
    "scoring.api.auditing": ("AuditReport", "audit"),
    "scoring.api.comparing": ("NotComparable", "RunComparison", "RunVerification", "compare", "verify"),
    "scoring.api.definitions": ("Parser", "Scorer", "parser", "scorer"),
    "scoring.api.dialects": ("ScorersCompared", "compare_dialects"),
    "scoring.api.explaining": ("Explained", "explain"),
    "scoring.api.generating": ("stale",),
    "scoring.api.judge_cache": ("CachedCalls", "export_calls", "import_calls", "list_calls", "prune_calls"),
    "scoring.api.judges": ("JudgeOptions", "JudgeQuality", "agreement", "calibrate"),
    "scoring.api.listing": ("Listing", "dialects", "listing"),
    "scoring.api.opening": ("Opened", "open_spec"),
    "scoring.api.run": ("Run",),
    "scoring.api.specs": (
        "Change",
        "Checked",
        "check",
        "check_file",
        "convert",
        "fmt",
        "lock",
        "new",
        "spec_files",
        "test",
    ),
    "scoring.api.tasks": ("Task", "evaluate", "load", "score"),
    "scoring.data.rows.row": ("InputError",),
    "scoring.data.strict_json": ("dumps_pretty",),
    "scoring.engine.runs.read": ("StoredRun", "read_run"),
    "scoring.engine.runs.versions": ("scoring_version",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AuditReport",
    "CachedCalls",
    "Change",
    "Checked",
    "Explained",
    "InputError",
    "JudgeOptions",
    "JudgeQuality",
    "Listing",
    "NotComparable",
    "Opened",
    "Parser",
    "Run",
    "RunComparison",
    "RunVerification",
    "Scorer",
    "ScorersCompared",
    "StoredRun",
    "Task",
    "agreement",
    "audit",
    "calibrate",
    "check",
    "check_file",
    "compare",
    "compare_dialects",
    "convert",
    "dialects",
    "dumps_pretty",
    "evaluate",
    "explain",
    "export_calls",
    "fmt",
    "import_calls",
    "list_calls",
    "listing",
    "load",
    "lock",
    "new",
    "open_spec",
    "parser",
    "prune_calls",
    "read_run",
    "score",
    "scorer",
    "scoring_version",
    "spec_files",
    "stale",
    "test",
    "verify",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'scoring.api' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
