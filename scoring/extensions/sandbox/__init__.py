"""Running untrusted programs: ``current_sandbox().run(SandboxJob(...))``; docs/sandbox.md describes the protection."""

from typing import Any

from scoring.extensions.sandbox.choose import current_sandbox, set_sandbox, use_sandbox
from scoring.extensions.sandbox.protocol import Case, CaseResult, Limits, Sandbox, SandboxJob, SandboxUnavailable

__all__ = [
    "Case",
    "CaseResult",
    "Limits",
    "Sandbox",
    "SandboxJob",
    "SandboxUnavailable",
    "current_sandbox",
    "set_sandbox",
    "use_sandbox",
]


def __getattr__(name: str) -> Any:
    if name == "Program":  # the name of `SandboxJob` up to 0.1
        import warnings

        warnings.warn("scoring.extensions.sandbox.Program is now called SandboxJob", DeprecationWarning, stacklevel=2)
        return SandboxJob
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
