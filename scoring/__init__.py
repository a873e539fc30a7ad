"""The scoring language for AI benchmarks: small, versioned, validated files instead of metric code.

This module has the verbs and types of everyday use. Others are in submodules, called rooms: ``scoring.runs`` (finished
runs), ``scoring.specs`` (spec files), ``scoring.packs`` (packs to share), ``scoring.tables`` (data frames),
``scoring.rewards`` (of trainers), ``scoring.platforms``, ``scoring.judges`` and ``scoring.site``. Authors of plug-ins
import from ``scoring.plugin``. Every name is imported lazily, on first use, so that ``import scoring`` costs next to
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.version import VERSION as __version__

if TYPE_CHECKING:
    from scoring.api.definitions import Parser, Scorer, parser, scorer
    from scoring.api.evaluating import evaluate
    from scoring.api.run import Run
    from scoring.api.specs import check
    from scoring.api.tasks import Task, load, score
    from scoring.diagnostics.diagnostic import Diagnostic, SpecError
    from scoring.errors import InputError
    from scoring.extensions.audit.verbs import audit
    from scoring.extensions.comparison.verbs import compare
    from scoring.extensions.examples.verbs import test
    from scoring.extensions.sharing.verbs.differing import diff
    from scoring.extensions.tracing.verbs import explain
    from scoring.result import MISSING, FieldResult, NotApplicable, Outcome, RecordResult, Unparsed, Unscored

_HOMES = {
    "scoring.api.definitions": ("Parser", "Scorer", "parser", "scorer"),
    "scoring.api.run": ("Run",),
    "scoring.api.specs": ("check",),
    "scoring.api.evaluating": ("evaluate",),
    "scoring.api.tasks": ("Task", "load", "score"),
    "scoring.diagnostics.diagnostic": ("Diagnostic", "SpecError"),
    "scoring.errors": ("InputError",),
    "scoring.result": ("MISSING", "FieldResult", "NotApplicable", "Outcome", "RecordResult", "Unparsed", "Unscored"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_OF_EXTENSIONS = ("audit", "compare", "diff", "explain", "test")
_ROOMS = ("editors", "judges", "packs", "platforms", "plugin", "rewards", "runs", "site", "specs", "tables")

__all__ = [
    "MISSING",
    "Diagnostic",
    "FieldResult",
    "InputError",
    "NotApplicable",
    "Outcome",
    "Parser",
    "RecordResult",
    "Run",
    "Scorer",
    "SpecError",
    "Task",
    "Unparsed",
    "Unscored",
    "__version__",
    "audit",
    "check",
    "compare",
    "diff",
    "evaluate",
    "explain",
    "load",
    "parser",
    "score",
    "scorer",
    "test",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name in _ROOMS:
        return importlib.import_module(f"scoring.{name}")
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    if name in _OF_EXTENSIONS:
        from scoring.errors import InputError
        from scoring.registry.extension import provided

        try:
            return provided("scoring.verbs", name, f"`scoring.{name}`")
        except InputError as error:  # so that `hasattr` can tell
            raise AttributeError(str(error)) from None
    raise AttributeError(f"module 'scoring' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
