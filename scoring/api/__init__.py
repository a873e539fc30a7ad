"""Every verb of the language from Python, in the words of the command line; each is imported when it is first used."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from scoring.project.moved import word_changes

_HOMES = {
    "scoring.extensions.audit.verbs": ("AuditReport", "audit"),
    "scoring.extensions.sharing.verbs.citing": ("Citation", "cite"),
    "scoring.api.columns": ("Columns",),
    "scoring.api.comparing": ("Leaderboard", "NotComparable", "RunComparison", "compare"),
    "scoring.api.definitions": ("Parser", "Scorer", "parser", "scorer"),
    "scoring.api.dialects": ("ScorersCompared", "compare_dialects"),
    "scoring.extensions.sharing.verbs.differing": ("SpecDiff", "diff"),
    "scoring.extensions.site.verbs": ("WrittenSite", "docs", "serve_docs"),
    "scoring.api.explaining": ("Explained", "explain"),
    "scoring.data.address": ("shown",),
    "scoring.extensions.judge.verbs": (
        "CachedCalls",
        "JudgeOptions",
        "JudgeQuality",
        "agreement",
        "calibrate",
        "export_calls",
        "import_calls",
        "list_calls",
        "prune_calls",
    ),
    "scoring.api.generating": ("stale",),
    "scoring.api.gates": ("Gate", "check_gates", "gates_of", "passed"),
    "scoring.api.lists": ("Listing", "listing"),
    "scoring.api.opening": ("Opened", "open_spec"),
    "scoring.extensions.sharing.verbs.projects": ("add", "lock", "remove", "upgrade"),
    "scoring.extensions.sharing.verbs.releasing": ("Released", "release"),
    "scoring.api.run": ("Run",),
    "scoring.api.running": ("RunOptions", "run_opened"),
    "scoring.extensions.sharing.verbs.signing": (
        "Signed",
        "new_key",
        "sign",
        "signed_by",
        "statement",
        "verify_release",
    ),
    "scoring.api.sources": ("GivenData",),
    "scoring.api.specs": ("Change", "Checked", "check", "check_file", "test"),
    "scoring.api.starting": ("new_from",),
    "scoring.api.writing": ("convert", "fmt", "new"),
    "scoring.api.tasks": ("Task", "evaluate", "load", "score"),
    "scoring.api.verifying": ("RunBundle", "RunVerification", "bundle", "repeat", "verify"),
    "scoring.extensions.wide.verbs": ("merge",),
    "scoring.errors": ("InputError",),
    "scoring.data.strict_json": ("dumps_pretty",),
    "scoring.engine.runs.read": ("StoredRun", "read_run"),
    "scoring.extensions.sharing.changing": ("ProjectChange",),
    "scoring.extensions.sharing.locking": ("PackMove", "LockChange"),
    "scoring.version": ("VERSION",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def _moved(old: Any, old_loader: Any, new: Any, new_loader: Any) -> Sequence[str]:
    """What moved in a pack that a project has locked; a state that is broken has moved nothing yet."""
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.extensions.sharing.changes.found import changed

    try:
        found = changed(old, old_loader, new, new_loader)
        return [str(change) for change in found if change.moves or change.breaks]
    except SpecError:
        return ()


word_changes(_moved)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'scoring.api' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(_HOME_OF)
