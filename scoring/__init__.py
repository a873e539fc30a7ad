"""The scoring language for AI benchmarks: small, versioned, validated files instead of metric code.

Everything is imported when it is first used, so that ``import scoring`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.version import VERSION as __version__

if TYPE_CHECKING:
    from scoring.api.columns import Columns
    from scoring.api.comparing import Leaderboard, NotComparable, RunComparison, compare
    from scoring.api.definitions import Parser, Scorer, parser, scorer
    from scoring.api.explaining import explain
    from scoring.api.lists import listing
    from scoring.api.run import Run
    from scoring.api.specs import check, check_file, test
    from scoring.api.starting import new_from
    from scoring.api.tasks import Task, evaluate, load, score
    from scoring.api.verifying import RunBundle, RunVerification, bundle, repeat, verify
    from scoring.api.writing import convert, fmt, new
    from scoring.diagnostics.diagnostic import Diagnostic, SpecError
    from scoring.errors import InputError
    from scoring.extensions.audit.verbs import AuditReport, audit
    from scoring.extensions.judge.verbs import JudgeOptions, agreement, calibrate
    from scoring.extensions.sharing.verbs.citing import Citation, cite
    from scoring.extensions.sharing.verbs.differing import SpecDiff, diff
    from scoring.extensions.sharing.verbs.projects import add, lock, remove, upgrade
    from scoring.extensions.sharing.verbs.releasing import Released, release
    from scoring.extensions.sharing.verbs.signing import Signed, new_key, sign, signed_by
    from scoring.extensions.site.verbs import docs, serve_docs
    from scoring.extensions.wide.verbs import merge
    from scoring.registry import primitive
    from scoring.result import MISSING, FieldResult, NotApplicable, Outcome, RecordResult, Unparsed, Unscored

# Where what is no verb lives; all other public names are those of `scoring.api`.
_HOMES = {
    "scoring.diagnostics.diagnostic": ("Diagnostic", "SpecError"),
    "scoring.registry": ("primitive",),
    "scoring.result": ("MISSING", "FieldResult", "NotApplicable", "Outcome", "RecordResult", "Unparsed", "Unscored"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MISSING",
    "AuditReport",
    "Citation",
    "Columns",
    "Diagnostic",
    "FieldResult",
    "InputError",
    "JudgeOptions",
    "Leaderboard",
    "NotApplicable",
    "NotComparable",
    "Outcome",
    "Parser",
    "RecordResult",
    "Released",
    "Run",
    "RunBundle",
    "RunComparison",
    "RunVerification",
    "Scorer",
    "Signed",
    "SpecDiff",
    "SpecError",
    "Task",
    "Unparsed",
    "Unscored",
    "__version__",
    "add",
    "agreement",
    "audit",
    "bundle",
    "calibrate",
    "check",
    "check_file",
    "cite",
    "compare",
    "convert",
    "diff",
    "docs",
    "evaluate",
    "explain",
    "fmt",
    "listing",
    "load",
    "lock",
    "merge",
    "new",
    "new_from",
    "new_key",
    "parser",
    "primitive",
    "release",
    "remove",
    "repeat",
    "score",
    "scorer",
    "serve_docs",
    "sign",
    "signed_by",
    "test",
    "upgrade",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'scoring' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME_OF.get(name, "scoring.api")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
