"""Every verb of the language, callable from Python under the names that the command line uses; each is imported on
first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "scoring.api.definitions": ("parser", "scorer"),
    "scoring.api.gates": ("Gate", "check_gates", "gates_of", "passed"),
    "scoring.api.judging": ("judge_arguments",),
    "scoring.api.opening": ("open_spec",),
    "scoring.api.run": ("Run",),
    "scoring.api.parameters": ("VerbParameter", "parameters_of"),
    "scoring.api.running": ("RunOptions", "run_opened"),
    "scoring.api.sources": ("GivenData",),
    "scoring.api.specs": ("check", "check_file"),
    "scoring.api.evaluating": ("evaluate",),
    "scoring.api.tasks": ("load", "score"),
    "scoring.data.address": ("hide_credentials",),
    "scoring.data.json_write": ("dumps_pretty",),
    "scoring.errors": ("InputError",),
    "scoring.registry.extension": ("find_service", "service"),
    "scoring.version": ("VERSION",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_VERBS = {"JudgeOptions": "judges.JudgeOptions"}
"""Names that commands of the core take from extensions, by their plug-ins in the group `scoring.verbs`."""


def __getattr__(name: str) -> Any:
    if name in _VERBS:
        from scoring.registry.extension import provided

        return provided("scoring.verbs", _VERBS[name], f"`{name}`")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'scoring.api' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted((*_HOME_OF, *_VERBS))
