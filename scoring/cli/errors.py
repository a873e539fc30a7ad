"""How a command ends early."""

from __future__ import annotations

CLEAN, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """The command can't do what it was asked; one line says why."""
