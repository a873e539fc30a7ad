"""Running untrusted programs: ``current_sandbox().run(SandboxJob(...))``; docs/sandbox.md describes the protection."""

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
