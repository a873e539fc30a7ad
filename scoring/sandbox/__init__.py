"""Untrusted programs: ``current_sandbox().run(Program(...))``. docs/sandbox.md says what it protects against."""

from scoring.sandbox.choose import current_sandbox, set_sandbox, use_sandbox
from scoring.sandbox.protocol import Case, CaseResult, Limits, Program, Sandbox, SandboxUnavailable

__all__ = [
    "Case",
    "CaseResult",
    "Limits",
    "Program",
    "Sandbox",
    "SandboxUnavailable",
    "current_sandbox",
    "set_sandbox",
    "use_sandbox",
]
